import Foundation
import GRDB
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// Which segments lie in the file.
@Suite(.bounded) struct SegmentKeeperTests {
  private func ids(_ store: HistoryStore, _ text: String) async throws -> [Int64] {
    var ids: [Int64] = []
    for try await batch in store.search(try Filter(parsing: text)) { ids += batch.ids }
    return ids
  }

  /// The rows of the two tables.
  private func stored(_ store: HistoryStore) async throws -> [[Int64]] {
    try await store.database.read { database in
      try ["pack", "packed"].map { try Int64.fetchAll(database, sql: "SELECT id FROM \($0) ORDER BY id") }
    }
  }

  /// Runs of one exchange each, more than are written at once.
  @Test func onlyTheRunThatIsWrittenLosesItsSegment() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((0..<20).map { .sample(id: Int64($0) * 1_024 + 7) })
    try await store.buildSegments()
    let runs = (0..<20).map { Int64($0) }
    let parts: [Int64] = runs.flatMap { [$0 * 4, $0 * 4 + 1, $0 * 4 + 2] }
    #expect(try await stored(store) == [parts, runs])
    // So that it is not built again meanwhile.
    store.segments.close()
    store.record([.sample(id: 2 * 1_024 + 9), .sample(id: 5 * 1_024 + 7)])
    try await store.flush()
    let lost: Set<Int64> = [2, 5]
    let leftParts = parts.filter { !lost.contains($0 / 4) }
    let leftRuns = runs.filter { !lost.contains($0) }
    #expect(try await stored(store) == [leftParts, leftRuns])
    await store.close()
  }

  /// What loses its oldest rows loses more of them soon.
  @Test func aRunThatLosesItsOldestGetsNoOther() async throws {
    let store = try HistoryStore.open(.memory, retention: Retention(count: 40))
    let recorded = Array(Int64(1)...30) + Array(Int64(1_024)...1_043)
    store.record(recorded.map { .sample(id: $0) })
    try await store.buildSegments()
    #expect(store.count == 40)
    #expect(try await stored(store) == [[4, 5, 6], [1]])
    #expect(try await ids(store, "status:200").count == 40)
    await store.close()
  }

  @Test func whatWasClosedStaysClosedWhenTheTablesAreOthers() async throws {
    let store = try HistoryStore.open(.memory)
    store.record([.sample(id: 1)])
    try await store.flush()
    store.segments.close()
    store.segments.begin(SegmentPlan(waiting: [0]))
    await store.segments.build(below: .max, within: nil)
    #expect(try await store.segmentCount() == 0)
    await store.close()
  }

  @Test func withoutTimeAndWithoutRowsNoneIsBuilt() async throws {
    let store = try HistoryStore.open(.memory)
    store.record([.sample(id: 1)])
    try await store.flush()
    await store.segments.build(below: .max, within: .zero)
    #expect(try await stored(store) == [[], []])
    store.segments.begin(SegmentPlan(waiting: [0, 7]))
    await store.segments.build(below: .max, within: nil)
    #expect(try await stored(store) == [[0, 1, 2], [0]])
    await store.close()
  }

  /// They are only a help: nothing else fails, and it is not tried again and again.
  @Test func whereTheyCannotBeWrittenItGoesOnWithout() async throws {
    let store = try HistoryStore.open(.memory)
    store.record([.sample(id: 1)])
    try await store.flush()
    try store.database.write { try $0.execute(sql: "ALTER TABLE pack RENAME TO elsewhere") }
    try await store.buildSegments()
    try store.database.write { try $0.execute(sql: "ALTER TABLE elsewhere RENAME TO pack") }
    store.record([.sample(id: 2)])
    try await store.buildSegments()
    #expect(try await stored(store) == [[], []])
    #expect(try await ids(store, "status:200") == [2, 1])
    await store.close()
  }

  /// A run with many megabytes of URLs, or of headers, is read of the tables.
  @Test(arguments: [(0, true), (1, false)]) func aRunWithMuchTextGetsNone(_ more: Int, _ isBuilt: Bool) async throws {
    let limit = 8 << 20
    let store = try HistoryStore.open(.memory)
    store.record([.sample(id: 1)])
    try await store.flush()
    let url = String(repeating: "u", count: limit + more)
    try store.database.write { try $0.execute(sql: "UPDATE exchange SET url = ?", arguments: [url]) }
    try await store.buildSegments()
    #expect(try await store.segmentCount() == (isBuilt ? 1 : 0))
    await store.close()
    // The line, and the number of the line in the list of its row.
    var exchange = Exchange.sample(id: 1)
    exchange.request.headers = [HeaderField("A", String(repeating: "h", count: limit - "A: ".utf8.count - 4 + more))]
    exchange.response?.headers = []
    let other = try HistoryStore.open(.memory)
    other.record([exchange])
    try await other.buildSegments()
    #expect(try await other.segmentCount() == (isBuilt ? 1 : 0))
    await other.close()
  }
}
