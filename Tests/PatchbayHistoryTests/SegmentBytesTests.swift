import Foundation
import PatchbayInspect
import PatchbayTestSupport
import Testing

@testable import PatchbayHistory

/// The bytes of segments, beside what they are made of.
@Suite(.bounded) struct SegmentBytesTests {
  private static let columns = SegmentNumbers.Column.allCases
  private static let null = SegmentNumbers.null

  /// One column of those values, the others of one value.
  private static func encoded(_ values: [Int64]) -> Data {
    SegmentNumbers.encoded(columns.map { $0 == .size ? values : [Int64](repeating: 3, count: values.count) })
  }

  private static func decoded(_ data: Data) -> [Int64]? {
    data.withUnsafeBytes { bytes in
      SegmentNumbers(bytes).map { numbers in
        var values = [Int64](repeating: 0, count: numbers.count)
        numbers.read(.size, into: &values)
        return values
      }
    }
  }

  /// As narrow as the distance of the highest from the lowest allows; 0 is kept for NULL.
  @Test(
    arguments: [
      (0, 0), (1, 1), (254, 1), (255, 2), (65_534, 2), (65_535, 4), (4_294_967_294, 4), (4_294_967_295, 8),
      (Int64.max, 8),
    ] as [(Int64, Int)])
  func aColumnIsAsWideAsItMustBe(_ distance: Int64, _ width: Int) {
    for base in [0, -5, 1_000] as [Int64] {
      let values = [base, base &+ distance, base]
      let data = Self.encoded(values)
      #expect(data.count == 3 + 9 * Self.columns.count + 3 * width)
      #expect(Self.decoded(data) == values)
      guard distance > 0 else { continue }
      let some = [Self.null, base, base &+ distance]
      #expect(Self.encoded(some).count == data.count && Self.decoded(Self.encoded(some)) == some)
    }
  }

  @Test func theBytesAreThoseOfTheFormat() {
    let data = [UInt8](Self.encoded([7, Self.null, 263]))
    #expect(data[0] == 1 && data[1...2] == [3, 0])
    let place = 3 + 9 * SegmentNumbers.Column.size.rawValue
    #expect(data[place..<place + 9] == [2, 7, 0, 0, 0, 0, 0, 0, 0])
    #expect(data[3..<12] == [0, 3, 0, 0, 0, 0, 0, 0, 0])
    #expect(data[(3 + 9 * Self.columns.count)...] == [1, 0, 0, 0, 1, 1])
    #expect(SegmentNumbers.encoded(Self.columns.map { _ in [] }).prefix(3) == Data([1, 0, 0]))
  }

  @Test func aRunHasSoManyRowsAtMost() {
    let most = Int(RunIndex.span)
    #expect(Self.decoded(Self.encoded([Int64](repeating: 4, count: most)))?.count == most)
    #expect(Self.decoded(Self.encoded([Int64](repeating: 4, count: most + 1))) == nil)
    var wide = [UInt8](Self.encoded([1, 2]))
    for width in UInt8(0)...9 {
      wide[3] = width
      let extra = [UInt8](repeating: 0, count: 2 * Int(width))
      let isKnown = [0, 1, 2, 4, 8].contains(width)
      #expect((Self.decoded(Data(wide + extra)) != nil) == isKnown, "width \(width)")
    }
  }

  @Test func columnsAreThoseOfTheTable() {
    #expect(
      Self.columns.map(\.sql) == [
        "id", "started", "method", "host", "endpoint", "status", "outcome", "sent", "duration", "process", "pid",
        "phase",
        "answerer", "stub", "type", "request_type", "error_domain", "error_code", "error_name", "size", "hops", "flags",
        "replay_of",
      ])
    #expect(SegmentReader.Part.allCases.map { $0.id(run: 5) } == [20, 21, 22])
  }

  // MARK: Sets of rows

  @Test(arguments: [UInt64(1), 2, 3]) func setsOfRowsDoWhatSetsDo(_ seed: UInt64) {
    var dice = Dice(state: seed)
    for _ in 0..<20 {
      var (one, other) = (RowBitmap.none, RowBitmap.none)
      var (left, right) = (Set<Int>(), Set<Int>())
      for _ in 0..<Int(dice.next() % 200) {
        let row = Int(dice.next() % 1_024)
        one.insert(row)
        left.insert(row)
      }
      for _ in 0..<Int(dice.next() % 200) {
        let row = Int(dice.next() % 1_024)
        other.insert(row)
        right.insert(row)
      }
      #expect(Array(one) == left.sorted() && one.count == left.count && one.isEmpty == left.isEmpty)
      #expect(Array(one & other) == left.intersection(right).sorted())
      #expect(Array(one | other) == left.union(right).sorted())
      #expect(Array(one - other) == left.subtracting(right).sorted())
      for row in 0..<1_024 { #expect(one[row] == left.contains(row)) }
    }
    for count in [0, 1, 63, 64, 65, 127, 128, 1_023, 1_024] {
      #expect(Array(RowBitmap(first: count)) == Array(0..<count))
    }
  }

  // MARK: Texts and headers

  private static func texts(_ texts: [String]) -> Data {
    var builder = SegmentTextsBuilder()
    for text in texts { Array(text.utf8).withUnsafeBufferPointer { builder.append($0) } }
    return builder.data
  }

  @Test(arguments: [[], [""], ["a"], ["", "ab", "", "日本", "c"]]) func textsComeBack(_ texts: [String]) {
    let data = Self.texts(texts)
    #expect(data.count == 4 + 4 * texts.count + texts.joined().utf8.count)
    data.withUnsafeBytes { raw in
      let found = SegmentTexts(raw)
      #expect(found?.count == texts.count)
      guard let found else { return }
      #expect(texts.indices.map { String(decoding: found[$0], as: UTF8.self) } == texts)
    }
  }

  /// Each text that fits is among those that are named, and where a pattern says what every text has no others are.
  @Test(arguments: [
    (["b"], false, [1, 3]), (["x"], false, []), (["b", "d"], false, [1, 3, 4]), (["~."], false, [0, 1, 2, 3, 4, 5]),
    ([""], false, [0, 1, 2, 3, 4, 5]), (["b"], true, [1, 3, 5]), (["x"], true, [5]), (["ab*c"], false, [1, 3]),
    (["a"], false, [1, 3]),
    (["20"], true, [5]),
  ])
  func candidatesAreNamed(_ patterns: [String], _ decodes: Bool, _ expected: [Int]) throws {
    let patterns = try patterns.map { try FilterText($0) }
    Self.texts(["", "abc", "", "Yab", "d", "%20"]).withUnsafeBytes { raw in
      var found: Set<Int> = []
      SegmentTexts(raw)?.candidates(patterns, decodes: decodes) { found.insert($0) }
      #expect(found == Set(expected))
    }
  }

  /// More lines than the table of lines begins with, each many times.
  @Test func manyLinesAreEachKeptOnce() throws {
    var builder = SegmentHeadersBuilder()
    let rows = (0..<1_000).map { row in (0..<7).map { "X-\($0): \((row * 7 + $0) % 5_000)" } + ["Same: 1"] }
    for row in rows {
      for line in row { Array(line.utf8).withUnsafeBufferPointer { builder.append($0) } }
      builder.endRow()
    }
    let lines = Set(rows.joined())
    #expect(lines.count > 4_096)
    #expect(builder.size == lines.reduce(0) { $0 + $1.utf8.count } + 4 * 8_000)
    let data = builder.data
    let texts = 4 + 4 * lines.count + lines.reduce(0) { $0 + $1.utf8.count }
    #expect(data.count == 4 + texts + 2 + 4 * 1_000 + 4 * 8_000)
    try data.withUnsafeBytes { raw in
      let headers = try #require(SegmentHeaders(raw))
      #expect(headers.rowCount == 1_000)
      for wanted in ["X-3: 3", "X-6: 4999", "X-0: 7", "Same: 1", "X-1: none", "X-2: 2"] {
        let expected = rows.indices.filter { rows[$0].contains(wanted) }
        let pattern = [try FilterText("~^\(wanted)$")]
        #expect(headers.rows(pattern, among: RowBitmap(first: 1_000)).map { Array($0) } == expected, "\(wanted)")
        var some = RowBitmap.none
        for row in expected.dropFirst() { some.insert(row) }
        some.insert(999)
        #expect(headers.rows(pattern, among: some).map { Array($0) } == expected.filter { some[$0] }, "\(wanted)")
      }
      let same = [try FilterText("Same: 1")]
      #expect(headers.rows(same, among: RowBitmap(first: 1_024))?.count == 1_000)
    }
  }
}
