import Foundation
import PatchbayTestSupport
import Testing

@Suite(
  "patchbay attach: into a program that runs", .enabled(if: Ptrace.isAllowed, "ptrace is forbidden here"),
  .bounded)
final class AttachRunningTests: DeskSuite {
  private func record(_ console: ChildProcess) -> [String] {
    console.errors.split(separator: "\n").map(String.init).filter { $0.contains("http://") }
  }

  @Test("every session that was alive, every later one and Data(contentsOf:) are seen, and answered as before")
  func allKinds() async throws {
    let guest = try await Guest(desk, server)
    let before = try await Guest.kinds.asyncMap { try await guest.load($0) }
    let console = try await desk.attach(guest)
    let after = try await Guest.kinds.asyncMap { try await guest.load($0, "/json?\($0)") }
    #expect(before == after)
    for kind in Guest.kinds {
      try await eventually("\(kind) in the record", state: console.said) {
        self.record(console).contains { $0.contains("?\(kind)") }
      }
    }
    console.signal(SIGINT)
    #expect(try await console.end() == 0)
    #expect(record(console).count == Guest.kinds.count)
  }

  /// It has made no request yet, so that the one thread which waits for a line is all that could be borrowed.
  @Test("a program of one thread that waits for a line")
  func waitsForALine() async throws {
    let process = try desk.start([BuiltProduct.path("running-program")], input: .written)
    _ = try await process.waitFor(lines: 1)
    let console = try desk.start(
      [
        BuiltProduct.path("patchbay"), "attach", "\(process.pid)", "--headless", "--history",
        desk.folder.file("h.sqlite"),
      ])
    try await console.waitFor(errors: "attached to ")
    process.send("handler \(server.url("/json?line").absoluteString)")
    #expect(try await process.waitFor(lines: 2)[1].hasPrefix("handler 200"))
    try await eventually("the request", state: console.said) { console.errors.contains("?line") }
  }

  @Test("stubs, faults and holds work as with run, and the program is named")
  func stubs() async throws {
    let guest = try await Guest(desk, server)
    let file = try stubs("- {name: gone, when: {url: '*gone*'}, then: {respond: {status: 410}}}\n")
    let console = try await desk.attach(guest, "--stubs", file)
    #expect(try await guest.load("handler", "/json?gone").hasPrefix("handler 410"))
    #expect(try await guest.load("fresh", "/json?gone").hasPrefix("fresh 410"))
    #expect(try await guest.load("contents", "/json?gone").hasPrefix("contents -1"))
    #expect(server.requests.allSatisfy { !$0.target.contains("gone") })
    try await eventually("the stub's name") { console.errors.contains("gone") }
    console.signal(SIGTERM)
    try await console.end()
    #expect(try await guest.load("handler", "/json?gone").hasPrefix("handler 200"))
  }

  @Test("a request that is under way ends as it would, and the next one is seen")
  func underWay() async throws {
    let guest = try await Guest(desk, server)
    let lines = guest.process.lines.count
    guest.process.send("handler \(server.url("/slow?n=3&ms=700&under-way").absoluteString)")
    let console = try await desk.attach(guest)
    #expect(try await guest.process.waitFor(lines: lines + 1)[lines].hasPrefix("handler 200"))
    #expect(try await guest.load("handler", "/json?next").hasPrefix("handler 200"))
    try await eventually("the next one") { console.errors.contains("?next") }
    #expect(!console.errors.contains("under-way"))
  }

  @Test("with --observe requests are listed and none is touched")
  func observe() async throws {
    let guest = try await Guest(desk, server)
    let file = try stubs("- {name: gone, then: {respond: {status: 410}}}\n")
    let console = try await desk.attach(guest, "--observe", "--stubs", file)
    #expect(try await guest.load("handler", "/json?seen").hasPrefix("handler 200"))
    try await eventually("the request", state: console.said) { console.errors.contains("?seen") }
  }

  @Test("by its name; several of one name are listed", .bounded)
  func byName() async throws {
    let name = "guest-\(getpid())-a"
    let program = desk.folder.file(name)
    try FileManager.default.copyItem(atPath: BuiltProduct.path("running-program"), toPath: program)
    let first = try await Guest(desk, server, program: program)
    let console = try desk.start([
      "\(BuiltProduct.path("patchbay"))", "attach", name, "--headless", "--history", ":memory:",
    ])
    try await console.waitFor(errors: "attached to \(name.prefix(15)) \(first.pid)")
    console.signal(SIGINT)
    try await console.end()
    let second = try await Guest(desk, server, program: program)
    let refused = try await desk.run("attach", name, "--headless")
    #expect(refused.exitStatus == 1)
    #expect(refused.errors.contains("2 programs are called \(name)"))
    #expect(refused.errors.contains("\(first.pid)") && refused.errors.contains("\(second.pid)"))
  }

  @Test("the program ends: so does the console without a screen, with status 0")
  func programEnds() async throws {
    let guest = try await Guest(desk, server)
    let console = try await desk.attach(guest)
    guest.process.send("end")
    #expect(try await console.end() == 0)
    #expect(console.errors.contains(" ended."))
  }

  @Test("a check that is broken gives the console its status")
  func brokenCheck() async throws {
    let guest = try await Guest(desk, server)
    let console = try await desk.attach(guest, "--expect", "path:/never")
    guest.process.send("end")
    #expect(try await console.end() == 3, "\(console.said)")
  }

  @Test(
    "10,000 sessions, while others are made and let go of: none is missed, and one thread of ours is left",
    .bounded(180))
  func manySessions() async throws {
    let guest = try await Guest(desk, server)
    // As many as there are descriptors for where not even root may have more.
    let crowd = try await guest.tell("crowd 10000", timeout: .seconds(90) * Patience.factor)
    try await guest.tell("churn")
    let console = try await desk.attach(guest)
    #expect(try await guest.tell("hooked").dropFirst(7) == crowd.dropFirst(6))
    console.signal(SIGINT)
    try await console.end()
    // Dispatch's own come and go.
    #expect(Processes.threads(of: guest.pid).filter { $0 == "patchbay" }.count == 1)
  }

  @Test("no request of a program that makes 200 a second is lost, repeated or changed")
  func busy() async throws {
    let guest = try await Guest(desk, server)
    let asked = server.requests.count
    try await guest.tell("busy 200 \(server.url("/json?busy").absoluteString)")
    let console = try await desk.attach(guest)
    try await guest.load("shared", "/json?meanwhile")
    console.signal(SIGINT)
    try await console.end()
    let words = try await guest.tell("busy-end").split(separator: " ")
    #expect(words.count == 4 && words[2] == "0", "\(words)")
    #expect(server.requests.count - asked == (Int(words[1]) ?? 0) + 1)
  }

  @Test("killed at random moments it leaves a program that runs on, and that can be attached to", .bounded(120))
  func killed() async throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../Fixtures/attach-kill")
    let check = try desk.start(
      [
        "/usr/bin/env", "python3", script.standardizedFileURL.path, "--count", "8", "--seed", "5",
        BuiltProduct.folder.path,
      ])
    let status = try await check.end(timeout: .seconds(100) * Patience.factor)
    #expect(status == 0, "\(check.said)")
  }

  @Test("words that look like sessions and are none are never touched")
  func lookalikes() async throws {
    let guest = try await Guest(desk, server)
    try await guest.tell("lookalikes")
    let console = try await desk.attach(guest)
    #expect(try await guest.tell("check") == "check ")
    #expect(try await guest.load("handler").hasPrefix("handler 200"))
    // shared, own, delegated and special; nothing else was taken for one.
    #expect(console.errors.contains(": 4 sessions"))
  }

  @Test("a gigabyte is searched while the program runs", .alone, .bounded(120))
  func gigabyte() async throws {
    let guest = try await Guest(desk, server)
    try await guest.tell("fill 1024")
    let began = ContinuousClock.now
    let console = try await desk.attach(guest)
    let took = ContinuousClock.now - began
    #expect(console.errors.contains(": 4 sessions"))
    // Less than one on a quiet machine; the tests are not built to be fast.
    #expect(took < .seconds(15) * Patience.factor, "\(took)")
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}
