import Foundation
import PatchbayTestSupport
import Testing

@Suite("Many processes at one console", .crowd, .bounded)
final class ManyProcessesTests: DeskSuite {
  /// Takes 3 s on two cores; where the machine is busy one of the fifty may get its answer only after a minute.
  @Test("fifty are linked; a stopped one and a flooding one disturb neither the others nor the screen", .bounded(240))
  func fifty() async throws {
    let file = try stubs(
      "- { name: flood, when: { path: /flood }, then: { respond: { body: x } } }\n"
        + "- { name: tea, enabled: false, when: { path: /tea }, then: { respond: { status: 418 } } }\n")
    let console = try desk.console("listen", "--history", ":memory:", "--stubs", file, columns: 120)
    try await console.waitFor(row: "0 linked")
    let calm = try (0..<48).map { _ in try desk.asker() }
    let stopped = try desk.asker()
    let flooding = try desk.start([
      BuiltProduct.path("attached-harness"), "loop", server.url("/flood").absoluteString, "100000000",
    ])
    stopped.begin(server.url("/json"))
    _ = try await stopped.process.waitFor(lines: 1, timeout: Patience.usual * 4)
    try await console.waitFor(row: "50 linked")
    stopped.process.signal(SIGSTOP)
    // A machine may take the processor away from one of the others for longer than these 2 s, but not each time.
    var late = try await unacknowledged("enable")
    for _ in 0..<4 where late != [stopped.pid] {
      _ = try await unacknowledged("disable")
      late = try await unacknowledged("enable")
    }
    #expect(late == [stopped.pid])
    for asker in calm { asker.begin(server.url("/tea")) }
    for asker in calm {
      #expect(try await asker.process.waitFor(lines: 1, timeout: Patience.usual * 4)[0].hasPrefix("418"))
    }
    try console.send("4")
    try await console.waitFor(row: "1 does not answer", "50 linked")
    try console.send("G")
    try await console.waitFor(row: "\(stopped.pid)", "does not answer")
    try console.send("2")
    try await console.waitFor(row: "●", "tea", "48")
    #expect(flooding.exitStatus == nil)
    stopped.process.signal(SIGCONT)
    // Nobody has said that the change is in force there.
    try await ask(stopped, "/tea", until: "418")
  }

  @Test("one is bypassed from the screen and comes back; a stub can be for one")
  func bypass() async throws {
    let file = try stubs(
      "- { name: theirs, when: { path: /json, process: somebody-else }, then: { respond: { status: 500 } } }\n"
        + "- { name: tea, when: { path: /json, process: attached-* }, then: { respond: { status: 418 } } }\n")
    let console = try desk.console("listen", "--history", ":memory:", "--stubs", file, columns: 120)
    try await console.waitFor(row: "0 linked")
    let asker = try desk.asker()
    #expect(try await asker.ask(server.url("/json")).hasPrefix("418"))
    try console.send("4")
    try await console.waitFor(row: "\(asker.pid)", "full")
    try console.send("b")
    try console.send("b")
    try await console.waitFor(row: "\(asker.pid)", "bypass")
    // It is in force as soon as the process has read it.
    try await ask(asker, "/json", until: "200")
    try console.send("b")
    try await console.waitFor(row: "\(asker.pid)", "full")
    try await ask(asker, "/json", until: "418")
  }

  @Test("without a screen a line ends with its process as soon as two have linked")
  func headlessLines() async throws {
    let console = try await desk.listener("--history", ":memory:")
    let one = try desk.asker()
    try await one.ask(server.url("/json?alone"))
    try await console.waitFor(errors: "/json?alone")
    let other = try desk.asker()
    try await other.ask(server.url("/json?other"))
    try await console.waitFor(errors: "/json?other")
    try await one.ask(server.url("/json?again"))
    try await console.waitFor(errors: "/json?again")
    let lines = console.errors.split(separator: "\n")
    let ends = ["?alone", "?other", "?again"].map { word in
      lines.first { $0.contains(word) }?.components(separatedBy: "  ").last
    }
    #expect(ends == ["network", "attached-harness \(other.pid)", "attached-harness \(one.pid)"])
  }

  /// Switches the stub; one of the programs is stopped. Returns who is named, after 2 s, as not going by it.
  private func unacknowledged(_ command: String) async throws -> Set<pid_t> {
    let change = try await desk.run("stubs", command, "tea")
    #expect(change.exitStatus == 4 && change.errors.contains(" not acknowledged"), "\(change.said)")
    return Set(change.errors.matches(of: /attached-harness (\d+)/).compactMap { pid_t($0.1) })
  }

  /// Asks again and again until the answer begins like that.
  private func ask(_ asker: Asker, _ path: String, until answer: String) async throws {
    for _ in 0..<2_000 {
      if try await asker.ask(server.url(path)).hasPrefix(answer) { return }
    }
    throw WaitedInVain(description: "\(answer) never came. \(asker.process.said)")
  }
}
