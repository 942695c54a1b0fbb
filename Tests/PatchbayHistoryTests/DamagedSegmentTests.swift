import Foundation
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// Segments whose bytes are not what was written: read from the tables instead, or read wrong, and never beyond their end.
@Suite(.bounded) struct DamagedSegmentTests {
  private static let lines: [[String]] = [["a: b", "X-Id: 1"], [], ["X-Id: 7", "a: b", ": "], ["a: b"]]
  private static let urls = ["https://a.example/x?q=1", "", "https://b.example/%78", "/y"]

  private static let headers: Data = {
    var builder = SegmentHeadersBuilder()
    for row in lines {
      for line in row { Array(line.utf8).withUnsafeBufferPointer { builder.append($0) } }
      builder.endRow()
    }
    return builder.data
  }()

  private static let texts: Data = {
    var builder = SegmentTextsBuilder()
    for url in urls { Array(url.utf8).withUnsafeBufferPointer { builder.append($0) } }
    return builder.data
  }()

  /// Ids with gaps, a status of each width, texts that some have.
  private static let numbers: Data = {
    var columns = SegmentNumbers.Column.allCases.map { _ in [Int64](repeating: 3, count: 4) }
    columns[SegmentNumbers.Column.id.rawValue] = [0, 2, 2, 9]
    columns[SegmentNumbers.Column.started.rawValue] = [1 << 50, 0, 5, 7]
    columns[SegmentNumbers.Column.status.rawValue] = [200, 404, SegmentNumbers.null, 500]
    columns[SegmentNumbers.Column.size.rawValue] = [70_000, 0, 1, 70_001]
    return SegmentNumbers.encoded(columns)
  }()

  /// Each part with one thing changed: a byte, its length, or four bytes as a number.
  private static func damaged(_ data: Data) -> [[UInt8]] {
    let bytes = [UInt8](data)
    var all = bytes.indices.map { Array(bytes[..<$0]) } + [bytes + [0], bytes + bytes]
    for place in bytes.indices {
      for value in [0, 1, 2, 4, 8, 0x7F, 0x80, 0xFF, bytes[place] ^ 1, bytes[place] &+ 1, bytes[place] &- 1] {
        var changed = bytes
        changed[place] = value
        all.append(changed)
      }
      guard place + 4 <= bytes.count else { continue }
      for number: [UInt8] in [[255, 255, 255, 255], [255, 255, 255, 127], [0, 0, 0, 128], [0, 0, 1, 0]] {
        var changed = bytes
        changed.replaceSubrange(place..<place + 4, with: number)
        all.append(changed)
      }
    }
    return all
  }

  private static func isIn(_ part: UnsafeBufferPointer<UInt8>, _ whole: UnsafeRawBufferPointer) -> Bool {
    guard let start = part.baseAddress, let base = whole.baseAddress else { return part.isEmpty }
    let offset = UnsafeRawPointer(start) - base
    return offset >= 0 && offset + part.count <= whole.count
  }

  @Test func textsStayWithinTheirBytes() throws {
    let patterns = try ["/x", "~[xy]", "none"].map { try FilterText($0) }
    for bytes in Self.damaged(Self.texts) {
      bytes.withUnsafeBytes { raw in
        guard let texts = SegmentTexts(raw) else { return }
        #expect(texts.count <= bytes.count / 4)
        for index in 0..<texts.count { #expect(Self.isIn(texts[index], raw)) }
        for pattern in patterns {
          texts.candidates([pattern], decodes: true) { #expect((0..<texts.count).contains($0)) }
        }
      }
    }
  }

  @Test func headersStayWithinTheirBytes() throws {
    let patterns = try ["a: b", "~.", "x-id: 7"].map { try FilterText($0) }
    for bytes in Self.damaged(Self.headers) {
      bytes.withUnsafeBytes { raw in
        guard let headers = SegmentHeaders(raw) else { return }
        for pattern in patterns {
          for row in headers.rows([pattern], among: RowBitmap(first: 1_024)) ?? .none {
            #expect(row < headers.rowCount)
          }
        }
      }
    }
  }

  /// Where the lines of a row end, and which they are, is a number in the bytes.
  @Test func aListThatPointsElsewhereIsRefused() throws {
    let all = [try FilterText("~.")]
    let whole = [UInt8](Self.headers)
    let total = Self.lines.joined().count
    let list = whole.count - 4 * total
    let ends = list - 4 * Self.lines.count
    func rows(_ change: (inout [UInt8]) -> Void) -> [Int]? {
      var bytes = whole
      change(&bytes)
      return bytes.withUnsafeBytes { SegmentHeaders($0)?.rows(all, among: RowBitmap(first: 4)).map { Array($0) } }
    }
    #expect(rows { _ in } == [0, 2, 3])
    // The first row's lines end beyond those of all rows, the second's before the first's.
    #expect(rows { $0[ends] = 7 } == nil)
    #expect(rows { $0[ends] = 200 } == nil)
    #expect(rows { $0[ends + 3] = 255 } == nil)
    #expect(rows { $0[ends + 4] = 1 } == nil)
    #expect(rows { $0[ends] = 1 } == [0, 1, 2, 3], "still a list in order")
    // A line that there is not: there are four.
    #expect(rows { $0[list] = 4 } == nil)
    #expect(rows { $0[list + 3] = 255 } == nil)
    #expect(rows { $0[list] = 3 } == [0, 2, 3])
  }

  /// Conditions of all kinds on a segment of which one part is damaged.
  @Test(arguments: SegmentReader.Part.allCases) func aSegmentIsDamagedOrHasRowsOfItsOwn(_ part: SegmentReader.Part)
    throws
  {
    let conditions: [StoredCondition] = [
      .url(.url, [try FilterText("~[xy]")]), .header([try FilterText("a: b")]), .isSet(.status),
      .within(.status, [400...Int64.max]), .within(.id, [2_048...2_060]), .marked([2_050, 2_060, 5_000]),
      .digits(.status, [try FilterText("404")]), .hasBits(.size, 1), .within(.started, [0...5, 9...Int64.max]),
    ]
    let scratch = UnsafeMutablePointer<Int64>.allocate(capacity: Int(RunIndex.span))
    scratch.initialize(repeating: 0, count: Int(RunIndex.span))
    defer { scratch.deallocate() }
    var taken = 0
    for bytes in Self.damaged([Self.numbers, Self.texts, Self.headers][Int(part.rawValue)]) {
      var parts: [[UInt8]] = [[UInt8](Self.numbers), [UInt8](Self.texts), [UInt8](Self.headers)]
      parts[Int(part.rawValue)] = bytes
      parts[0].withUnsafeBytes { first in
        parts[1].withUnsafeBytes { second in
          parts[2].withUnsafeBytes { third in
            let segment = SegmentNumbers(first).flatMap {
              Segment(first: 2_048, $0, scratch: scratch) { [first, second, third][Int($0.rawValue)] }
            }
            guard let segment else { return }
            taken += 1
            let ids = Array(segment.ids())
            #expect(ids.allSatisfy { (2_048..<3_072).contains($0) })
            #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
            for condition in conditions {
              let found = try? segment.rows(condition, among: RowBitmap(first: segment.numbers.count))
              for row in found?.maybe ?? .none { #expect(row < segment.numbers.count) }
            }
          }
        }
      }
    }
    #expect(taken > 0)
  }

  /// The place of each row's id, as far as it is from the first that the run can have and from the row before.
  @Test(
    arguments: [
      ([0, 0, 0, 0], true), ([1_020, 1_020, 1_020, 1_020], true), ([1_021, 1_021, 1_021, 1_021], false),
      ([-1, -1, -1, -1], false), ([0, 2, 1, 3], false), ([0, 1, 1, 1_020], true), ([0, 1, 1, 1_021], false),
      ([-1, 0, 0, 0], false), ([0, 0, 0, .max], false), ([.max, .max, .max, .max], false),
      ([.min, .min, .min, .min], false), ([0, .min, 0, 0], false), ([], false),
    ] as [([Int64], Bool)]) func idsRiseWithinTheirRun(_ offsets: [Int64], _ isTaken: Bool)
  {
    var columns = SegmentNumbers.Column.allCases.map { _ in [Int64](repeating: 3, count: offsets.count) }
    columns[0] = offsets
    let scratch = UnsafeMutablePointer<Int64>.allocate(capacity: Int(RunIndex.span))
    scratch.initialize(repeating: 0, count: Int(RunIndex.span))
    defer { scratch.deallocate() }
    SegmentNumbers.encoded(columns).withUnsafeBytes { bytes in
      let segment = SegmentNumbers(bytes).flatMap { Segment(first: 1_024, $0, scratch: scratch) { _ in nil } }
      #expect((segment != nil) == isTaken)
      if isTaken { #expect(segment.map { Array($0.ids()) } == offsets.enumerated().map { 1_024 + Int64($0) + $1 }) }
    }
  }

  /// Through the whole store: what is asked comes from the tables.
  @Test func theTablesAnswerWhereASegmentIsDamaged() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((1...6).filter { $0 != 4 }.map { .sample(id: $0) })
    try await store.buildSegments()
    let packs = try await store.database.read { database in
      try SegmentReader.Part.allCases.map { part in
        let statement = try RawStatement(database, "SELECT data FROM pack WHERE id = ?")
        statement.bind(1, part.id(run: 0))
        return try statement.step() ? [UInt8](statement.data(0) ?? Data()) : []
      }
    }
    func put(_ bytes: [UInt8], as part: SegmentReader.Part) throws {
      try store.database.write {
        try $0.execute(sql: "UPDATE pack SET data = ? WHERE id = ?", arguments: [Data(bytes), part.id(run: 0)])
      }
    }
    func ids(_ text: String) async throws -> [Int64] {
      var ids: [Int64] = []
      for try await batch in store.search(try Filter(parsing: text)) { ids += batch.ids }
      return ids
    }
    // All ids are as high as can be.
    var numbers = packs[0]
    numbers.replaceSubrange(4..<12, with: [255, 255, 255, 255, 255, 255, 255, 127])
    try put(numbers, as: .numbers)
    #expect(try await ids("status:200") == [6, 5, 3, 2, 1])
    #expect(try await store.statistics().hosts.map(\.count) == [5])
    try put(packs[0], as: .numbers)
    // The last line of the last row is another than there is.
    try put(packs[2].dropLast() + [9], as: .headers)
    #expect(try await ids("header:set-cookie") == [6, 5, 3, 2, 1])
    try put(packs[2], as: .headers)
    // A host, method and endpoint that no text has.
    var columns: [[Int64]] = []
    packs[0].withUnsafeBytes { bytes in
      guard let numbers = SegmentNumbers(bytes) else { return }
      for column in SegmentNumbers.Column.allCases {
        var values = [Int64](repeating: 0, count: numbers.count)
        numbers.read(column, into: &values)
        columns.append(values)
      }
    }
    for column: SegmentNumbers.Column in [.host, .method, .endpoint] {
      columns[column.rawValue] = columns[column.rawValue].map { _ in -1 }
    }
    try put([UInt8](SegmentNumbers.encoded(columns)), as: .numbers)
    #expect(try await store.statistics().hosts.map(\.count) == [5])
    await store.close()
  }
}
