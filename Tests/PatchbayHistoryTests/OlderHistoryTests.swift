import Foundation
import GRDB
import PatchbayHistory
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

/// Histories as earlier versions wrote them, in `Tests/Fixtures/Histories`: each as the SQL that makes the file, and beside
/// it what that version printed of it (`patchbay history --json`). They were recorded from the demo, with stubs that
/// redirect, fail and break off, with bodies cut at 200 bytes, a mark, and a gap of ids, so that the first run has a segment.
///
/// A change of the tables adds a file here and leaves the others as they are.
@Suite(.bounded) struct OlderHistoryTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Fixtures/Histories").standardizedFileURL

  /// What that version found.
  private static let found: [(filter: String, ids: [Int64])] = [
    ("is:failed", [6, 7, 14]), ("status:5xx", [10]), ("body:ただいま", [4, 8]), ("marked:yes", [3]),
    ("header:set-cookie", [1, 4, 8]), ("path:/v1/books*", [3, 4, 6, 9, 12, 14, 1102, 1103, 1105]),
    ("is:observed", Array(1100...1107)), ("-host:img -is:observed", [1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14, 15]),
    ("is:redirected", [4]), ("stub:half", [6, 14]), ("is:truncated", [2, 3, 5, 9, 11, 12]),
    ("time:>90ms", [1, 2, 10, 11, 13, 15]), ("error:timedOut | is:cancelled", [7, 13]),
    ("path:~/books$", [3, 6, 9, 12, 14, 1102, 1105]),
  ]

  private static func restored(_ name: String, to path: String) throws {
    let sql = try String(contentsOf: folder.appendingPathComponent(name + ".sql"), encoding: .utf8)
    let database = try DatabaseQueue(path: path)
    try database.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA application_id = \(0x5042_4159);" + sql)
    }
    try database.close()
  }

  @Test(arguments: ["2026-11-22"], [HistoryStore.Access.read, .write])
  func areReadAsTheyWereWritten(name: String, access: HistoryStore.Access) async throws {
    let folder = try Folder()
    try Self.restored(name, to: folder.file)
    let store = try HistoryStore.open(.file(folder.file), access: access)
    let lines = try String(contentsOf: Self.folder.appendingPathComponent(name + ".jsonl"), encoding: .utf8)
    let expected = try lines.split(separator: "\n").map { try JSONLines.exchange(Data($0.utf8)) }
    #expect(store.count == expected.count && store.nextID == 1_108)
    let ids = try await store.ids(from: 0, count: 100)
    #expect(Set(ids) == Set(expected.map(\.id)))
    for exchange in expected {
      var stored = try #require(try await store.exchange(exchange.id))
      #expect(stored.run == (exchange.id < 1_100 ? 1 : 2), "what has no run is known by its session")
      stored.run = nil
      #expect(JSONLines.line(stored) == JSONLines.line(exchange))
    }
    #expect(try await store.segmentCount() >= 1)
    for (filter, ids) in Self.found {
      var found: [Int64] = []
      for try await batch in store.search(try Filter(parsing: filter)) { found += batch.ids }
      #expect(found == ids.reversed(), "\(filter)")
    }
    #expect(try await store.statistics().hosts.map(\.count).reduce(0, +) == expected.count)
    await store.close()
  }

  @Test func areWrittenOn() async throws {
    let folder = try Folder()
    try Self.restored("2026-11-22", to: folder.file)
    let store = try HistoryStore.open(.file(folder.file))
    #expect(store.session == 3 && store.reserveIDs(1) == 1_108)
    store.record([.sample(id: 1_108, url: "https://a.example/new")])
    let undo = try await store.apply(.delete([3, 4]))
    #expect(store.count == 22)
    _ = try await store.apply(undo)
    await store.close()
    let again = try HistoryStore.open(.file(folder.file), access: .read)
    #expect(again.count == 24)
    #expect(try await again.page(from: 0, count: 1).first?.url == "https://a.example/new")
    #expect(try await again.exchange(3)?.marked == true)
    await again.close()
  }
}
