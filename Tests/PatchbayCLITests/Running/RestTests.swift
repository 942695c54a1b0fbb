import PatchbayTestSupport
import Testing

@Suite("A console to which nothing happens", .crowd, .bounded)
struct RestTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  /// Some seconds after the last event; the condition never holds, so each turn waits for what must not come.
  private func rests(_ console: PtySession) async throws -> Bool {
    for _ in 0..<15 {
      let before = try ContextSwitches(of: console.process)
      await #expect(throws: PtyError.self) {
        try await console.waitFor("nothing", timeout: .milliseconds(2_200)) { _ in false }
      }
      if try ContextSwitches(of: console.process) == before { return true }
    }
    return false
  }

  @Test("is not woken once, also after a key, and still takes keys and programs then")
  func noWakeUp() async throws {
    let console = try desk.console("listen", columns: 120)
    try await console.waitFor(text: "patchbay run")
    #expect(try await rests(console))

    try console.send("?")
    try await console.waitFor(text: "Keys")
    #expect(try await rests(console))

    let asker = try desk.asker()
    let server = try LoopbackServer()
    try await asker.ask(server.url("/json"))
    try await console.waitFor(text: "Keys")
    try console.send("esc")
    try await console.waitFor(row: "/json", "200")
    try console.send("enter")
    try await console.waitFor(text: "Response")
  }
}
