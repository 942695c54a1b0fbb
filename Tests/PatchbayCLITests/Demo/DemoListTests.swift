import PatchbayTestSupport
import Testing

@Suite("patchbay demo: the live list", .crowd, .bounded)
struct DemoListTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  @Test("shows requests of each kind as they come, and changes a waiting row in place")
  func live() async throws {
    let console = try desk.console("demo", columns: 120, rows: 40)
    try await console.waitFor(row: "1 Requests", "2 Stubs", "3 Traffic", "4 Processes", "5 Output")
    try await console.waitFor(row: "POST", "✓ 200", "/v1/sessions", "network")
    try await console.waitFor(row: "GET", "/v1/books?page=1", "200")
    try await console.waitFor(row: "GET", "/covers/42.png", "200")
    try await console.waitFor(row: "POST", "201", "/v1/reviews")
    try await console.waitFor(row: "GET", "✗ 500", "/v1/orders/9001")
    try await console.waitFor(row: "PUT", "200", "/v1/photos/7")
    try await console.waitFor(row: "GET", "cancelled", "/v1/search")
    let waiting = try await console.waitFor(row: "waiting", "/v1/recommendations")
    let place = try #require(waiting.position(of: "/v1/recommendations"))
    let done = try await console.waitFor("the answer in the same row") { screen in
      screen.lines[place.row].contains("/v1/recommendations") && screen.lines[place.row].contains("✓ 200")
    }
    #expect(done.has("1 linked"))
    try console.send("q")
    #expect(try await console.waitForExit() == .exited(0))
  }

  @Test("Enter shows headers and the body, JSON indented, Japanese at the right width; the request too")
  func detail() async throws {
    let console = try desk.console("demo", columns: 100, rows: 30)
    try await console.waitFor(row: "POST", "200", "/v1/sessions")
    try await console.select("/v1/sessions")
    try console.send("enter")
    let screen = try await console.waitFor(row: "\"name\": \"山田 花子\",")
    #expect(screen.has("Response", "Request", "Timing", "Why"))
    #expect(screen.has("Content-Type: application/json"))
    // Four wide characters: the quotation mark behind them stands eight columns and a space further.
    let name = try #require(screen.position(of: "山田 花子"))
    #expect(screen.cell(column: name.column + 9, row: name.row)?.text == "\"")
    #expect(screen.cell(column: name.column + 1, row: name.row)?.text.isEmpty == true)
    #expect(screen.has("   \"user\": {"))
    try console.send("right")
    try await console.waitFor(row: "\"password\": \"ひみつ\"")
    try await console.waitFor(row: "User-Agent: Komorebi/2.1 (demo)")
    try console.send("right")
    try await console.waitFor(row: "POST", "/v1/sessions")
    try console.send("right")
    try await console.waitFor(row: "maintenance")
  }

  @Test("a request that was opened stays open while new ones come")
  func openedStays() async throws {
    let console = try desk.console("demo", columns: 100, rows: 30)
    try await console.waitFor(row: "▸", "/v1/books/42", "200")
    try console.send("enter")
    try await console.waitFor(row: "── Response")
    // The newest may have come between, of whichever host.
    let opened = try await console.waitFor(row: "▸", " /")
    let marked = try #require(opened.rows("▸").first).prefix(24)
    let count = try #require(opened.requestCount)
    try await console.waitFor("six more requests") { ($0.requestCount ?? 0) >= count + 6 }
    #expect(console.screen.rows("▸").first?.prefix(24) == marked)
  }
}
