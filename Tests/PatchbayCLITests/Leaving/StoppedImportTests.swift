import Foundation
import PatchbayHistory
import PatchbayTestSupport
import Testing

@Suite("A console that ends while it imports an archive", .crowd, .bounded)
struct StoppedImportTests {
  let desk: Desk

  init() throws { desk = try Desk() }

  /// So large that it is not read to its end by the time that some of it is in the history.
  private func archive() throws -> String {
    let body = String(repeating: "x", count: 3_000)
    let entry = """
      {"startedDateTime":"2026-01-01T10:00:00Z","request":{"method":"GET","url":"http://a.example/"},\
      "response":{"status":200,"content":{"text":"\(body)"}}}
      """
    let list = [String](repeating: entry, count: 30_000).joined(separator: ",")
    return try desk.folder.write("{\"log\":{\"entries\":[\(list)]}}", to: "large.har")
  }

  @Test("keeps nothing of it", arguments: ["q", "TERM"])
  func nothingIsKept(how: String) async throws {
    let archive = try archive()
    let history = desk.folder.file("history.sqlite")
    let console = try desk.console("listen", "--history", history)
    try await console.waitFor(text: "Requests")
    try console.send("I")
    try await console.waitFor(text: "a .har file")
    console.type(archive)
    try console.send("enter")
    try await eventually("some of it in the history", state: console.screen.text) {
      (try? HistoryStore.open(.file(history), access: .read).count).map { $0 > 100 } ?? false
    }
    if how == "q" { try console.send("q") } else { console.signal(SIGTERM) }
    try await console.waitForExit()
    #expect(!console.screen.contains("Recorded 30,000"))
    #expect(try HistoryStore.open(.file(history), access: .read).count == 0)
  }
}
