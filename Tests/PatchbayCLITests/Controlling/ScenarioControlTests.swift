import Foundation
import PatchbayTestSupport
import Testing

@Suite("Scenarios from another terminal", .crowd, .bounded)
final class ScenarioControlTests: DeskSuite {
  /// Stubs of two scenarios.
  private func file() throws -> String {
    try stubs(
      """
      - name: welcome
        scenario: { name: session, in: signed in }
        when: { path: /me }
        then: { respond: { status: 201 } }
      - name: who is it
        scenario: { name: session, in: Started }
        when: { path: /me }
        then: { respond: { status: 401 } }
      - name: paid
        scenario: { name: cart, in: full }
        when: { path: /cart }
        then: { respond: { status: 202 } }
      """)
  }

  @Test("are shown for each process, and moved in all of them")
  func states() async throws {
    let console = try await desk.listener("--stubs", file())
    let none = try await desk.run("stubs", "scenario")
    #expect(none.output == "session\t(none is linked)\tStarted\ncart\t(none is linked)\tStarted\n", "\(none.said)")
    let asker = try desk.asker()
    #expect(try await asker.ask(server.url("/me")) == "401 ")
    let process = "attached-harness \(asker.pid)"
    let cart = try await desk.run("stubs", "scenario", "cart")
    #expect(cart.output == "cart\t\(process)\tStarted\n", "\(cart.said)")
    let moved = try await desk.run("stubs", "scenario", "session", "signed in")
    #expect(moved.exitStatus == 0 && moved.output.isEmpty && moved.errors.isEmpty, "\(moved.said)")
    #expect(try await asker.ask(server.url("/me")) == "201 ")
    // The process tells its states by itself.
    var shown = ""
    for _ in 0..<200 where !shown.contains("signed in") {
      shown = try await desk.run("stubs", "scenario", "session").output
    }
    #expect(shown == "session\t\(process)\tsigned in\n")
    let listed = try await desk.run("stubs", "scenario", "--json")
    let all = try #require(try Records.parse(listed.output).first?["scenarios"] as? [[String: Any]], "\(listed.said)")
    #expect(all.compactMap { $0["name"] as? String } == ["session", "cart"])
    let filled = try await desk.run("stubs", "scenario", "cart", "full", "--json")
    #expect(try Records.parse(filled.output).first?["ok"] as? Bool == true, "\(filled.said)")
    #expect(filled.exitStatus == 0 && filled.lines.count == 1, "\(filled.said)")
    #expect(try await asker.ask(server.url("/cart")) == "202 ")
    #expect(console.exitStatus == nil)
  }

  @Test("their names are completed, each once however many consoles know it, and behind a name its states")
  func completions() async throws {
    let console = try await desk.listener("--stubs", file())
    let socket = desk.folder.file("run/patchbay/other.sock")
    let other = try desk.start("listen", "--headless", "--socket", socket, "--stubs", try file())
    try await other.waitFor(errors: "waiting for programs")
    for (line, words) in [
      ("", "session\ncart\n"), ("session", "session\ncart\n"), ("session ", "Started\nsigned in\n"),
      ("cart fu", "Started\nfull\n"), ("--socket \(socket) ", "session\ncart\n"),
    ] {
      let offered = try await desk.run("stubs", "scenario", "--completing", "patchbay stubs scenario " + line)
      #expect(offered.exitStatus == 0 && offered.output == words, "\(line): \(offered.said)")
    }
    #expect(console.exitStatus == nil && other.exitStatus == nil)
  }

  @Test("where no stub has one it is said")
  func none() async throws {
    let console = try await desk.listener()
    let none = try await desk.run("stubs", "scenario")
    #expect(none.exitStatus == 0 && none.output.isEmpty, "\(none.said)")
    #expect(none.errors == "patchbay: no stub has a scenario.\n")
    #expect(console.exitStatus == nil)
  }

  @Test("a stopped process that has not taken a state or a stub is named with status 4")
  func laggard() async throws {
    let console = try await desk.listener("--stubs", file())
    let more = try stubs("- name: more\n  then: { respond: { status: 299 } }\n", to: "more.yaml")
    let asker = try desk.asker()
    #expect(try await asker.ask(server.url("/me")) == "401 ")
    asker.process.signal(SIGSTOP)
    let moving = try desk.start("stubs", "scenario", "session", "signed in")
    let adding = try desk.start("stubs", "add", more, "--json")
    for change in [moving, adding] {
      #expect(try await change.end() == 4, "\(change.said)")
      #expect(change.errors.contains("attached-harness \(asker.pid) has not acknowledged"), "\(change.said)")
    }
    #expect(moving.output.isEmpty && adding.lines.count == 1 && adding.output.hasPrefix("{"), "\(adding.said)")
    asker.process.signal(SIGCONT)
    try await desk.settled()
    #expect(try await asker.ask(server.url("/none")) == "299 ")
    #expect(console.exitStatus == nil)
  }
}
