import Foundation
import PatchbayTestSupport
import Testing

@Suite("Stub files", .crowd, .bounded)
final class StubFileTests: DeskSuite {
  private func stub(status: Int) -> String {
    "patchbay: 1\nstubs:\n- name: tea\n  when: { path: /tea }\n  then: { respond: { status: \(status), body: x } }\n"
  }

  @Test("a mistake is told with file, line and column and what was expected, before the screen opens")
  func mistake() async throws {
    let path = try desk.folder.write(
      "patchbay: 1\nstubs:\n- name: tea\n  when: { pth: /tea }\n  then: { respond: { status: 200 } }\n", to: "bad.yaml")
    for command in ["listen", "demo"] {
      let headless = try await desk.run(command, "--headless", "--stubs", path, "--for", "1s")
      #expect(headless.exitStatus == 1)
      #expect(headless.errors.contains("\(path):4:11"))
      #expect(headless.errors.contains("pth") && headless.errors.contains("path"))
      let console = try desk.console(command, "--stubs", path, columns: 200)
      #expect(try await console.waitForExit() == .exited(1))
      #expect(console.screen.text.contains("bad.yaml:4:11"))
      #expect(!String(decoding: console.output, as: UTF8.self).contains("\u{1B}[?1049h"))
    }
    let check = try await desk.run("stubs", "check", path)
    #expect(check.exitStatus == 1)
    #expect((check.errors + check.output).contains("\(path):4:11"))
  }

  @Test("a missing file and a folder are told", arguments: ["none.yaml", "work"])
  func missing(name: String) async throws {
    let console = try await desk.run("listen", "--headless", "--for", "1s", "--stubs", desk.folder.file(name))
    #expect(console.exitStatus == 1)
    #expect(console.errors.contains(desk.folder.file(name)))
    #expect(console.errors.split(separator: "\n").count == 1)
  }

  @Test("a saved file is in force within a second; a broken save keeps the last good stubs and says so")
  func saving() async throws {
    let path = try desk.folder.write(stub(status: 201), to: "stubs.yaml")
    let console = try await desk.listener("--stubs", path)
    let asker = try desk.asker()
    #expect(try await asker.ask(server.url("/tea")) == "201 x")
    // A machine under load is late too, but not at each save.
    var times: [Duration] = []
    let tries = Patience.tries(5)
    while times.count < tries, times.last.map({ $0 >= .seconds(1) }) ?? true {
      times.append(try await timeToForce(201 + times.count + 1, asker))
    }
    #expect(times.contains { $0 < .seconds(1) }, "\(times)")
    let last = "\(201 + times.count) x"
    try desk.folder.write("patchbay: 1\nstubs:\n- nam: tea\n", to: "stubs.yaml")
    try await console.waitFor(errors: "last good stubs stay in force")
    #expect(console.errors.contains("\(path):3:3"))
    #expect(try await asker.ask(server.url("/tea")) == last)
    _ = try await timeToForce(299, asker)
  }

  /// From the end of a save to the first answer with its status.
  private func timeToForce(_ status: Int, _ asker: Asker) async throws -> Duration {
    try desk.folder.write(stub(status: status), to: "stubs.yaml")
    let saved = ContinuousClock.now
    while try await asker.ask(server.url("/tea")) != "\(status) x" {
      try #require(ContinuousClock.now - saved < Patience.usual)
    }
    return ContinuousClock.now - saved
  }

  /// Other programs of the user may have taken all that inotify(7) gives: 128, where nobody has said otherwise.
  @Test(
    "a console that gets no events for files starts all the same, and what is saved is in force",
    .enabled(if: WatchlessProcess.isPossible, WatchlessProcess.otherwise))
  func withoutEvents() async throws {
    let path = try desk.folder.write(stub(status: 201), to: "stubs.yaml")
    let console = try desk.start(
      WatchlessProcess.words + [BuiltProduct.path("patchbay"), "listen", "--headless", "--stubs", path])
    try await console.waitFor(errors: "waiting for programs")
    let asker = try desk.asker()
    #expect(try await asker.ask(server.url("/tea")) == "201 x")
    _ = try await timeToForce(299, asker)
    #expect(!console.errors.contains("watched"), "\(console.said)")
  }

  @Test("on screen too: a notice for the broken save, and the new stub in the list")
  func onScreen() async throws {
    let path = try desk.folder.write(stub(status: 201), to: "stubs.yaml")
    let console = try desk.console("listen", "--stubs", path, columns: 140)
    try await console.waitFor(row: "0 linked")
    try console.send("2")
    try await console.waitFor(row: "●", "tea", "201", "stubs.yaml")
    try desk.folder.write("patchbay: 1\nstubs:\n- nam: tea\n", to: "stubs.yaml")
    try await console.waitFor("the notice") { $0.text.contains("stubs.yaml:3:3") }
    #expect(console.screen.has("●", "tea", "201"))
    try desk.folder.write(stub(status: 202) + "- name: more\n  then: { pass: {} }\n", to: "stubs.yaml")
    try await console.waitFor(row: "●", "more")
    #expect(console.screen.has("●", "tea", "202"))
  }

  @Test("the earlier of two files wins")
  func order() async throws {
    let first = try desk.folder.write(stub(status: 201), to: "a.yaml")
    let second = try desk.folder.write(
      stub(status: 202).replacingOccurrences(of: "name: tea", with: "name: other tea"), to: "b.yaml")
    let console = try await desk.listener("--stubs", first, "--stubs", second)
    #expect(try await desk.asker().ask(server.url("/tea")) == "201 x")
    #expect(console.exitStatus == nil)
  }
}
