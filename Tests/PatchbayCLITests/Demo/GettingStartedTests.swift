import Foundation
import PatchbayTestSupport
import Testing

/// What the manual's first page says, key by key, as who reads it would press them.
@Suite("Getting started, as it is written", .crowd, .bounded(120))
struct GettingStartedTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  /// What stands in backquotes in a part of the page.
  private static func words(of part: String) throws -> [String] {
    let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
    let page = try String(
      contentsOfFile: root + "/Sources/PatchbayManual/PatchbayManual.docc/Start.md", encoding: .utf8)
    let text = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix(part) })
    return text.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }

  private func demo() async throws -> PtySession {
    let console = try desk.console("demo", columns: 120, rows: 40)
    try await console.waitFor(row: "200", "/v1/books?page=1", "network")
    return console
  }

  @Test func anAnswerIsChanged() async throws {
    #expect(
      try Self.words(of: "2. Change") == [
        "2", "space", "maintenance", "1", "/v1/books", "space", "k", "s", "e", "ctrl-s", "u",
      ])
    let console = try await demo()
    try console.send("2")
    try await console.waitFor(row: "▸", "○", "maintenance")
    try console.send("space")
    try await console.waitFor(row: "●", "maintenance")
    try console.send("1")
    try await console.waitFor(row: "503", "/v1/books?page=", "◆ maintenance")
    try console.send("2", "space")
    try await console.waitFor(row: "○", "maintenance")
    try console.send("1", "k")
    try await console.select("200", "/v1/books?page=1", "network")
    try console.send("s")
    try await console.waitFor(row: "Added the stub", "answers")
    try console.send("e")
    try await console.waitFor(row: "Stub “GET /v1/books")
    try await console.focus(field: "Body")
    try console.send("ctrl-a")
    console.type("{\"mine\": 1}")
    try console.send("ctrl-s")
    try await console.waitFor(row: "is in force")
    try await console.waitFor(row: "200", "10 B", "/v1/books?page=1", "◆ GET /v1/books")
    try console.send("u")
    try await console.waitFor(row: "Undone")
  }

  @Test func anEndpointFails() async throws {
    #expect(
      try Self.words(of: "3. Make") == ["x", "enter", "x", "enter", "x", "midway", "enter"])
    let console = try await demo()
    try await console.select("/v1/books?page=1")
    try console.send("x")
    try await console.waitFor(row: "Type to find")
    try console.send("enter")
    try await console.waitFor(row: "“Timed out” is on for GET /v1/books")
    try await console.waitFor(row: "✗ timed out", "/v1/books?page=", "◆ Timed out")
    try console.send("x", "enter")
    try await console.waitFor(row: "“Timed out” is off")
    try console.send("x")
    try await console.waitFor(row: "Fail: this endpoint")
    console.type("midway")
    try await console.waitFor("it alone") { screen in
      screen.has("Connection lost midway") && !screen.dialog.contains { $0.contains("Timed out") }
    }
    try console.send("enter")
    try await console.waitFor(row: "“Connection lost midway", "is on")
  }

  @Test func aRequestIsHeld() async throws {
    #expect(try Self.words(of: "4. Hold") == ["h", "c", "e", "a", "x", "h"])
    let console = try await demo()
    try await console.select("/v1/books?page=1")
    try console.send("h")
    try await console.waitFor(row: "The next request like this is held.")
    try await console.waitFor(row: "‖ held", "/v1/books?page=")
    try console.send("c")
    try await console.waitFor(row: "c continue", "e edit", "a answer", "x fail")
    #expect(!console.screen.has("goes there"))
    try console.send("c")
    try await console.waitFor("it goes on") { $0.rows("‖ held").isEmpty && $0.rows("200", "/v1/books?page=").count > 1 }
  }
}
