import PatchbayTestSupport
import Testing

@Suite("patchbay demo: stubs on the fly", .crowd, .bounded)
struct DemoStubTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  private func demo() async throws -> PtySession {
    let console = try desk.console("demo", columns: 120, rows: 40)
    try await console.waitFor(row: "200", "/v1/books?page=1", "network")
    return console
  }

  @Test("2 shows four stubs, all off; space turns one on, and the next request is answered by it")
  func toggle() async throws {
    let console = try await demo()
    try console.send("2")
    try await console.waitFor(row: "0 of 4 on")
    let stubs = try await console.wholeScreen()
    for name in ["maintenance", "orders work again", "recommendations time out", "look at sign-ins"] {
      #expect(stubs.has("○", String(name.prefix(18))))
    }
    try console.send("space")
    try await console.waitFor(row: "●", "maintenance")
    try console.send("1")
    try await console.waitFor(row: "503", "/v1/books?page=", "◆ maintenance")
    let screen = try await console.wholeScreen()
    // Nothing of the endpoint came from the network after the first stubbed one.
    let books = screen.rows("/v1/books?page=")
    let first = try #require(books.firstIndex { $0.contains("maintenance") })
    #expect(books[first...].allSatisfy { $0.contains("503") && $0.contains("maintenance") })
    try console.send("2", "space")
    try await console.waitFor(row: "○", "maintenance")
    try console.send("1")
    try await console.waitFor("the network again") { screen in
      screen.rows("/v1/books?page=").last?.contains("network") == true
    }
  }

  @Test("e changes status, header, body and delay in the form; the next request gets them")
  func edit() async throws {
    let console = try await demo()
    try console.send("2", "space")
    try await console.waitFor(row: "●", "maintenance")
    try console.send("e")
    try await console.waitFor(row: "Stub “maintenance”")
    try await console.focus(field: "status")
    try console.send("end", "backspace", "backspace", "backspace")
    console.type("418")
    try await console.waitFor(row: "status", "418")
    try await console.focus(field: "delay")
    console.type("700ms")
    try await console.focus(field: "Headers")
    try console.send("ctrl-a")
    console.type("X-Edited: はい")
    try await console.waitFor(row: "X-Edited: はい")
    try await console.focus(field: "Body")
    try console.send("ctrl-a")
    console.type("{\"お茶\": \"急須\"}")
    try await console.waitFor(row: "急須")
    try console.send("ctrl-s")
    try await console.waitFor(row: "is in force")
    try console.send("1")
    try await console.waitFor(row: "418", "/v1/books?page=", "ms", "◆ maintenance")
    try console.send("/")
    console.type("status:418")
    try console.send("enter")
    try await console.waitFor("the filtered list") { $0.has("▸", "418") && !$0.has("network") }
    try console.send("enter")
    try await console.waitFor(row: "X-Edited: はい")
    try await console.waitFor(row: "\"お茶\": \"急須\"")
    let row = try #require(console.screen.rows("▸", "418").first)
    let took = row.split(separator: " ").compactMap { Int($0) }.filter { $0 >= 700 && $0 < 5_000 }
    #expect(!took.isEmpty, "a delay of 700 ms in: \(row)")
  }

  @Test("e turns an answer into an error, by its Swift name")
  func editError() async throws {
    let console = try await demo()
    try console.send("2", "space", "e")
    try await console.waitFor(row: "Stub “maintenance”")
    try await console.focus(field: "then")
    try console.send("right")
    try await console.waitFor(row: "then", "fail")
    try await console.focus(field: "error")
    for _ in 0..<8 { try console.send("end", "backspace") }
    console.type("networkConnectionLost")
    try await console.waitFor(row: "error", "networkConnectionLost")
    try console.send("ctrl-s")
    try await console.waitFor(row: "is in force")
    try console.send("1")
    try await console.waitFor(row: "✗ conn lost", "/v1/books?page=", "◆ maintenance")
  }

  @Test("s makes a stub of a request's real answer, switched on, and it answers the next one")
  func stubFromRequest() async throws {
    let console = try await demo()
    try await console.select("/v1/books?page=1")
    try console.send("s")
    try await console.waitFor(row: "stub", "books")
    try console.send("2")
    try await console.waitFor(row: "1 of 5 on")
    let stubs = try await console.wholeScreen()
    #expect(stubs.has("●", "books"))
    try console.send("1")
    let screen = try await console.waitFor(row: "200", "/v1/books?page=1", "◆")
    #expect(screen.has("/v1/books?page=1", "◆"))
    try await console.select("/v1/books?page=1", "◆")
    try console.send("enter")
    try await console.waitFor(row: "\"title\": \"")
  }
}
