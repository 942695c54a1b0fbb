import Foundation
import PatchbayTestSupport
import Testing

@Suite(
  "In tmux", .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/tmux")), .crowd, .bounded)
struct TmuxDemoTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  @Test(
    "the demo works in a real terminal: list, Japanese, a stub, resizing, leaving",
    arguments: ["tmux-256color", "xterm"])
  func demo(term: String) async throws {
    let words = try TmuxCommand.words(
      ["env", "TERM=\(term)", BuiltProduct.path("patchbay"), "demo"], in: desk.folder)
    let session = try PtySession(words, environment: desk.environment(["SHELL": "/bin/sh"]), columns: 110, rows: 36)
    try await session.waitFor(row: "/v1/books?page=1", "200")
    try session.send("2", "space")
    try await session.waitFor(row: "●", "maintenance")
    try session.send("1")
    try await session.waitFor(row: "503", "/v1/books?page=", "◆ maint")
    try await session.select("503")
    try session.send("enter")
    try await session.waitFor(row: "\"message\": \"ただいまメンテナンス中です。\"")
    session.resize(columns: 90, rows: 20)
    try await session.waitFor("the smaller screen") { $0.has("1 Requests") && $0.lines.count == 20 && $0.has("? help") }
    try session.send("q", "q")
    try await session.waitForExit()
    #expect(session.screen.isPutBack)
  }
}
