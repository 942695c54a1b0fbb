import Foundation
import PatchbayTestSupport
import Testing

@Suite("Sockets", .crowd, .bounded)
struct SocketTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return attributes[.posixPermissions] as? Int ?? -1
  }

  @Test("listen takes the default one, ours alone, with the control socket beside it, and removes both")
  func defaults() async throws {
    let console = try await desk.listener()
    #expect(console.errors.contains(desk.defaultSocket))
    #expect(try mode(desk.folder.file("run/patchbay")) == 0o700)
    #expect(try mode(desk.defaultSocket) == 0o600)
    #expect(try mode(desk.defaultSocket + ".control") == 0o600)
    console.signal(SIGINT)
    #expect(try await console.end() == 0)
    #expect(!FileManager.default.fileExists(atPath: desk.defaultSocket))
    #expect(!FileManager.default.fileExists(atPath: desk.defaultSocket + ".control"))
  }

  @Test(
    "whoever finds the socket may end the console at once: it ends, and leaves nothing",
    arguments: [(SIGTERM, []), (SIGINT, []), (SIGTERM, ["/bin/sleep", "60"])] as [(Int32, [String])])
  func ended(by number: Int32, running command: [String]) async throws {
    let run = ["run", "--headless", "--socket", desk.defaultSocket, "--"]
    let words = command.isEmpty ? ["listen", "--headless"] : run
    for round in 0..<10 {
      let console = try desk.start([BuiltProduct.path("patchbay")] + words + command)
      let deadline = ContinuousClock.now + Patience.usual
      // Without a pause between the looks: what is looked for lasts for microseconds.
      let socket = desk.defaultSocket + (round % 2 == 0 ? "" : ".control")
      while access(socket, F_OK) != 0, ContinuousClock.now < deadline {}
      console.signal(number)
      #expect(try await console.end() == (number == SIGINT ? 0 : 128 + number), "round \(round)")
      #expect(!FileManager.default.fileExists(atPath: desk.defaultSocket))
      #expect(!FileManager.default.fileExists(atPath: desk.defaultSocket + ".control"))
    }
  }

  @Test("nohup has it survive its terminal, and nothing else")
  func hangUp() async throws {
    let console = try desk.start(["/usr/bin/nohup", BuiltProduct.path("patchbay"), "listen", "--headless"])
    try await console.waitFor(errors: "waiting for programs")
    console.signal(SIGHUP)
    #expect(try await desk.run("stubs", "list").exitStatus == 0)
    console.signal(SIGTERM)
    #expect(try await console.end() == 128 + SIGTERM)
  }

  @Test("a second console on the same socket is refused with a sentence, and does the first no harm")
  func second() async throws {
    let first = try await desk.listener()
    let second = try await desk.run("listen", "--headless")
    #expect(second.exitStatus == 1)
    #expect(second.errors.contains("Another console is already listening on \(desk.defaultSocket)"))
    let onScreen = try desk.console("listen", columns: 200)
    #expect(try await onScreen.waitForExit() == .exited(1))
    #expect(onScreen.screen.text.contains("Another console"))
    #expect(!String(decoding: onScreen.output, as: UTF8.self).contains("\u{1B}[?1049h"), "the screen never opened")
    let server = try LoopbackServer()
    defer { server.stop() }
    let asker = try desk.asker()
    try await asker.ask(server.url("/json"))
    try await first.waitFor(errors: "/json")
  }

  @Test("the stale socket of a killed console is taken over")
  func stale() async throws {
    let killed = try await desk.listener()
    killed.signal(SIGKILL)
    try await killed.end()
    #expect(FileManager.default.fileExists(atPath: desk.defaultSocket))
    let next = try await desk.listener()
    next.signal(SIGTERM)
    #expect(try await next.end() == 128 + SIGTERM)
  }

  @Test("a path over 107 bytes, a missing folder, a file in the place of the folder or the socket are told")
  func wrong() async throws {
    let long = desk.folder.file(String(repeating: "x", count: 120))
    let file = try desk.folder.write("I am a file", to: "file")
    for (path, words) in [
      (long, ["107", "--socket"]), (desk.folder.file("none/a.sock"), ["none", "--socket"]),
      (file + "/a.sock", ["file", "--socket"]), (file, [file, "not a socket"]),
    ] {
      for command in ["listen", "demo"] {
        let console = try await desk.run(command, "--headless", "--for", "1s", "--socket", path)
        #expect(console.exitStatus == 1, "\(path)")
        for word in words { #expect(console.errors.contains(word), "\(word) in: \(console.errors)") }
        let sentences = console.errors.split(separator: "\n")
        #expect(sentences.count == 1, "\(sentences)")
      }
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "I am a file")
  }

  @Test("the only console is found wherever its socket lies; of two both are named; nothing is left of either")
  func onlyOne() async throws {
    let paths = ["a.sock", "run/patchbay/b.sock"].map { desk.folder.file($0) }
    let none = try await desk.run("stubs", "list")
    #expect(none.exitStatus == 1 && none.errors.contains("No console is running"))
    let first = try desk.start("listen", "--headless", "--socket", paths[0])
    try await first.waitFor(errors: "waiting for programs")
    let list = try await desk.run("stubs", "list")
    #expect(list.exitStatus == 0, "\(list.said)")
    let second = try desk.start("listen", "--headless", "--socket", paths[1])
    try await second.waitFor(errors: "waiting for programs")
    let several = try await desk.run("stubs", "list")
    #expect(several.exitStatus == 1 && paths.allSatisfy { several.errors.contains($0) }, "\(several.said)")
    first.signal(SIGKILL)
    try await first.end()
    let left = try await desk.run("stubs", "list")
    #expect(left.exitStatus == 0, "\(left.said)")
    second.signal(SIGTERM)
    try await second.end()
    let third = try await desk.run("listen", "--headless", "--for", "10ms", "--socket", paths[0])
    #expect(third.exitStatus == 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: desk.folder.file("run/patchbay"))
    #expect(!files.contains { $0.hasSuffix(".control") }, "\(files)")
  }

  @Test("a socket path that is too long is told to controllers too")
  func controllers() async throws {
    let long = desk.folder.file(String(repeating: "x", count: 120))
    let list = try await desk.run("stubs", "list", "--socket", long)
    #expect(list.exitStatus == 1)
    #expect(list.errors.split(separator: "\n").count == 1)
    #expect(list.errors.contains("--socket"))
  }
}
