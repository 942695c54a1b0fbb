import Foundation
import GRDB
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

@Suite(.bounded) struct SegmentTests {
  private static func ids(_ store: HistoryStore, _ text: String) async throws -> [Int64] {
    var ids: [Int64] = []
    for try await batch in store.search(try Filter(parsing: text)) { ids += batch.ids }
    return ids
  }

  @Test func numbersComeBack() throws {
    let columns = SegmentNumbers.Column.allCases
    let null = SegmentNumbers.null
    var values = columns.map { _ in [Int64](repeating: 7, count: 5) }
    values[1] = [1_700_000_000_000_000, 1_700_000_000_000_255, null, 1_700_000_000_000_003, 1_700_000_000_000_001]
    values[2] = [-1, 255, 254, 3, null]
    values[3] = [.max, .min + 1, 0, -5, null]
    values[4] = [70_000, 0, 1, 2, 3]
    values[5] = [null, null, null, null, null]
    let data = SegmentNumbers.encoded(values)
    try data.withUnsafeBytes { bytes in
      let numbers = try #require(SegmentNumbers(bytes))
      #expect(numbers.count == 5 && numbers.constant(.id) == 7 && numbers.constant(.status) == null)
      for column in columns {
        var read = [Int64](repeating: 0, count: 5)
        numbers.read(column, into: &read)
        #expect(read == values[column.rawValue], "\(column)")
      }
    }
    for length in 0..<data.count {
      data.withUnsafeBytes { #expect(SegmentNumbers(UnsafeRawBufferPointer(rebasing: $0[..<length])) == nil) }
    }
  }

  @Test func setsOfRowsAreSets() {
    var bits = RowBitmap.none
    for row in [0, 63, 64, 700, 1_023] { bits.insert(row) }
    #expect(Array(bits) == [0, 63, 64, 700, 1_023] && bits.count == 5 && bits[700] && !bits[701])
    #expect(Array(bits & RowBitmap(first: 64)) == [0, 63] && Array(bits - RowBitmap(first: 65)) == [700, 1_023])
    #expect(RowBitmap(first: 1_024).count == 1_024 && RowBitmap(first: 0).isEmpty && RowBitmap(first: 65).count == 65)
  }

  @Test func damagedTextsAndHeadersAreRefused() throws {
    var texts = SegmentTextsBuilder()
    var headers = SegmentHeadersBuilder()
    for line in ["a: b", "", "X-Id: 7", "a: b"] {
      Array(line.utf8).withUnsafeBufferPointer {
        texts.append($0)
        headers.append($0)
      }
      headers.endRow()
    }
    let pattern = [try FilterText("a: b")]
    headers.data.withUnsafeBytes {
      #expect(SegmentHeaders($0)?.rows(pattern, among: RowBitmap(first: 4)).map { Array($0) } == [0, 3])
    }
    for data in [texts.data, headers.data] {
      for length in 0..<data.count {
        let piece = Data(data.prefix(length))
        piece.withUnsafeBytes { #expect(SegmentHeaders($0) == nil || SegmentTexts($0) == nil) }
      }
    }
  }

  /// What is written again, removed or added behind a segment is seen at once.
  @Test func segmentsNeverShowWhatWas() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file), retention: Retention(count: 2_800))
    store.record((1...2_500).map { .sample(id: $0, url: "https://a.example/old/\($0 % 10)") })
    try await store.buildSegments()
    #expect(try await store.segmentCount() == 3)
    #expect(try await Self.ids(store, "path:/old/3").count == 250)
    store.record([.sample(id: 1_003, url: "https://a.example/new", status: 500)])
    try await store.flush()
    #expect(try await store.segmentCount() == 2)
    #expect(try await Self.ids(store, "path:/new | header:\"x-id: 1003\" status:500") == [1_003])
    #expect(try await Self.ids(store, "path:/old/3").count == 249)
    let undo = try await store.apply(.delete([13, 23]))
    #expect(try await Self.ids(store, "path:/old/3").count == 247)
    _ = try await store.apply(undo)
    let unclear = try await store.apply(.clear)
    #expect(try await Self.ids(store, "path:/old/3").isEmpty)
    _ = try await store.apply(unclear)
    #expect(try await Self.ids(store, "path:/old/3").count == 249)
    // The retention takes the oldest, out of the midst of a run.
    store.record((2_501...3_000).map { .sample(id: $0, url: "https://a.example/late") })
    try await store.buildSegments()
    let oldest = try #require(try await Self.ids(store, "path:/old").last)
    #expect(oldest > 200 && store.count <= 2_800)
    let left = (oldest...2_500).filter { $0 % 10 == 3 && $0 != 1_003 }
    #expect(try await Self.ids(store, "path:/old/3") == left.reversed())
    #expect(try await store.statistics(try Filter(parsing: "path:/old/3")).hosts.first?.count == left.count)
    await store.close()
  }

  /// Rows that are looked up where a segment does not know everything come in their order, too.
  @Test func bodiesAreAskedOfTheTables() async throws {
    let store = try HistoryStore.open(.memory)
    let exchanges = (1...3_000).map { (id: Int64) -> Exchange in
      .sample(id: id, status: id % 50 == 0 ? 503 : 200, body: Data("body \(id % 7)".utf8))
    }
    store.record(exchanges)
    try await store.buildSegments()
    let expected = (1...3_000).filter { (id: Int64) in id % 50 == 0 && id % 7 == 3 }
    #expect(try await Self.ids(store, "body:\"body 3\" status:503") == expected.reversed())
    #expect(try await Self.ids(store, "body:\"body 3\"").count == 429)
    #expect(
      try await store.statistics(try Filter(parsing: "body:\"body 3\" status:503")).hosts[0].count == expected.count)
    await store.close()
  }

  /// A history of before there were segments is read as it is, and gets them when it is opened to be written.
  @Test func olderHistoriesAreTakenOver() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file))
    store.record((1...2_100).map { .sample(id: $0, url: "https://a.example/\($0 % 10)") })
    try await store.flush()
    await store.close()
    let old = try DatabaseQueue(path: folder.file)
    try await old.write {
      try $0.execute(
        sql: "DROP TABLE pack; DROP TABLE packed; DELETE FROM grdb_migrations WHERE identifier LIKE '2 %'")
    }
    try old.close()
    let reader = try HistoryStore.open(.file(folder.file), access: .read)
    #expect(try await Self.ids(reader, "path:/7").count == 210)
    await reader.close()
    let writer = try HistoryStore.open(.file(folder.file))
    #expect(writer.count == 2_100)
    while try await writer.segmentCount() < 2 { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try await Self.ids(writer, "path:/7").count == 210)
    await writer.close()
  }

  @Test func damagedSegmentsAreNotBelieved() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file))
    store.record((1...3_000).map { .sample(id: $0, url: "https://a.example/\($0 % 10)") })
    try await store.buildSegments()
    try store.database.write { try $0.execute(sql: "UPDATE pack SET data = substr(data, 1, length(data) - 1)") }
    #expect(try await Self.ids(store, "path:/7").count == 300)
    #expect(try await Self.ids(store, "status:200 header:x-id").count == 3_000)
    try store.database.write { try $0.execute(sql: "DELETE FROM pack WHERE id % 4 > 0") }
    #expect(try await Self.ids(store, "header:\"x-id: 2999\" | path:/none") == [2_999])
    await store.close()
  }
}
