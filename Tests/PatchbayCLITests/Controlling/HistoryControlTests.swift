import Foundation
import PatchbayTestSupport
import Testing

@Suite("The history of a running console", .crowd, .bounded)
final class HistoryControlTests: DeskSuite {
  @Test("what a console keeps in memory or in a file of its own is printed", arguments: [":memory:", "own.sqlite"])
  func live(place: String) async throws {
    let console = try await desk.listener("--history", place)
    let asker = try desk.asker()
    try await asker.ask(server.url("/json"))
    try await asker.ask(server.url("/bytes?n=7"))
    var records: [[String: Any]] = []
    while records.count < 2 {
      let json = try await desk.run("history", "--json")
      #expect(json.exitStatus == 0, "\(json.said)")
      records = try Records.parse(json.output)
    }
    #expect(records.count == 2)
    let fitting = try await desk.run("history", "-path:/json", "--socket", desk.defaultSocket)
    #expect(fitting.lines.count == 1)
    #expect(fitting.output.contains("/bytes?n=7"))
    let last = try await desk.run("history", "--limit", "1")
    #expect(last.output == fitting.output)
    let none = try await desk.run("history", "path:/never", "--exit-status")
    #expect(none.exitStatus == 1)
    console.signal(SIGTERM)
    try await console.end()
  }

  @Test("a file that is named is read although a console runs")
  func named() async throws {
    let console = try await desk.listener("--history", ":memory:")
    let asker = try desk.asker()
    try await asker.ask(server.url("/json"))
    let other = try await desk.run("history", "--history", desk.folder.file("none.sqlite"))
    #expect(other.output.isEmpty)
    let both = try await desk.run("history", "--history", "a", "--socket", "b")
    #expect(both.exitStatus == 64)
    #expect(console.exitStatus == nil)
  }
}
