import Foundation
import GRDB
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// What a segment says of its rows, beside what it was made of. Through a store a wrong one is hard to see: where a segment
/// says nothing the tables are asked.
@Suite(.bounded) struct SegmentRowsTests {
  private static let count = 130

  private func id(_ row: Int) -> Int64 { 2_048 + Int64(row) + Int64(row / 10) }
  private func status(_ row: Int) -> Int64? { row % 7 == 0 ? nil : 200 + Int64(row % 5) }
  private func hasStatus(_ row: Int, _ values: [Int64?]) -> Bool { values.contains(status(row)) }
  private func url(_ row: Int) -> String { row % 9 == 0 ? "" : "https://h/\(row % 11)" }
  private func header(_ row: Int) -> String? { row % 3 == 0 ? nil : "X-Id: \(row % 6)" }

  private func numbers() -> [UInt8] {
    var columns = SegmentNumbers.Column.allCases.map { _ in [Int64](repeating: 3, count: Self.count) }
    func set(_ column: SegmentNumbers.Column, _ value: (Int) -> Int64?) {
      columns[column.rawValue] = (0..<Self.count).map { value($0) ?? SegmentNumbers.null }
    }
    set(.id) { Int64($0 / 10) }
    set(.status) { status($0) }
    set(.outcome) { _ in nil }
    set(.flags) { Int64($0 % 4) }
    set(.pid) { Int64($0 / 3) }
    set(.host) { Int64($0 % 2) }
    return [UInt8](SegmentNumbers.encoded(columns))
  }

  private func urls(_ count: Int = Self.count) -> [UInt8] {
    var builder = SegmentTextsBuilder()
    for row in 0..<count { Array(url(row).utf8).withUnsafeBufferPointer { builder.append($0) } }
    return [UInt8](builder.data)
  }

  private func headers(_ count: Int = Self.count) -> [UInt8] {
    var builder = SegmentHeadersBuilder()
    for row in 0..<count {
      if let line = header(row) { Array(line.utf8).withUnsafeBufferPointer { builder.append($0) } }
      builder.endRow()
    }
    return [UInt8](builder.data)
  }

  private func withSegment(urls: [UInt8], headers: [UInt8], _ body: (Segment) throws -> Void) throws {
    let scratch = UnsafeMutablePointer<Int64>.allocate(capacity: Int(RunIndex.span))
    scratch.initialize(repeating: 0, count: Int(RunIndex.span))
    defer { scratch.deallocate() }
    try numbers().withUnsafeBytes { first in
      try urls.withUnsafeBytes { second in
        try headers.withUnsafeBytes { third in
          let segment = SegmentNumbers(first).flatMap {
            Segment(first: 2_048, $0, scratch: scratch) { [first, second, third][Int($0.rawValue)] }
          }
          guard let segment else {
            Issue.record("no segment")
            return
          }
          try body(segment)
        }
      }
    }
  }

  private func rows(_ fits: (Int) -> Bool) -> RowBitmap {
    var rows = RowBitmap.none
    for row in 0..<Self.count where fits(row) { rows.insert(row) }
    return rows
  }

  /// Of all rows, and of some of them.
  private func check(
    _ segment: Segment, _ condition: StoredCondition, sure: (Int) -> Bool, maybe: (Int) -> Bool,
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for among in [rows { _ in true }, rows { $0 % 4 != 1 }] {
      let found = try segment.rows(condition, among: among)
      #expect(Array(found.sure) == Array(rows(sure) & among), sourceLocation: sourceLocation)
      #expect(Array(found.maybe) == Array(rows(maybe) & among), sourceLocation: sourceLocation)
    }
    let none = try segment.rows(condition, among: .none)
    #expect(none.sure.isEmpty && none.maybe.isEmpty, sourceLocation: sourceLocation)
  }

  private func check(
    _ segment: Segment, _ condition: StoredCondition, sourceLocation: SourceLocation = #_sourceLocation,
    _ fits: (Int) -> Bool
  ) throws {
    try check(segment, condition, sure: fits, maybe: fits, sourceLocation)
  }

  @Test func numbersAndTextsAreToldOfEachRow() throws {
    let shared = SharedTexts(function: "f", patterns: [], ids: [1])
    let four = [try FilterText("4")]
    let (minus, seven) = ([try FilterText("-9")], [try FilterText("h/7")])
    let (none, line) = ([try FilterText("none")], [try FilterText("x-id: 4")])
    try withSegment(urls: urls(), headers: headers()) { segment in
      #expect(Array(segment.ids()) == (0..<Self.count).map { id($0) })
      try check(segment, .isSet(.status)) { status($0) != nil }
      try check(segment, .isSet(.outcome)) { _ in false }
      try check(segment, .isSet(.type)) { _ in true }
      try check(segment, .within(.status, [201...202])) { hasStatus($0, [201, 202]) }
      try check(segment, .within(.status, [200...200, 203...203])) { hasStatus($0, [200, 203]) }
      try check(segment, .within(.status, [Int64.min...Int64.max])) { status($0) != nil }
      try check(segment, .within(.status, [Int64.min...200, 202...Int64.max])) { !hasStatus($0, [nil, 201]) }
      try check(segment, .within(.status, [])) { _ in false }
      try check(segment, .within(.outcome, [Int64.min...Int64.max])) { _ in false }
      try check(segment, .within(.type, [3...3])) { _ in true }
      try check(segment, .within(.id, [2_050...2_060, 2_100...2_100])) { row in
        (2_050...2_060).contains(id(row)) || id(row) == 2_100
      }
      try check(segment, .hasBits(.flags, 2)) { $0 % 4 >= 2 }
      try check(segment, .text(.host, shared)) { $0 % 2 == 1 }
      try check(segment, .digits(.pid, four)) { String($0 / 3).contains("4") }
      // What is NULL has no digits.
      try check(segment, .digits(.status, minus)) { _ in false }
      try check(segment, .digits(.status, four)) { status($0) == 204 }
      try check(segment, .url(.url, seven)) { $0 % 9 != 0 && $0 % 11 == 7 }
      try check(segment, .url(.path, none)) { _ in false }
      try check(segment, .header(line)) { $0 % 3 != 0 && $0 % 6 == 4 }
      try check(segment, .header(none)) { _ in false }
    }
  }

  /// Marks are of the whole history: those before and behind the run are not its own.
  @Test func marksAreThoseOfTheRun() throws {
    try withSegment(urls: urls(), headers: headers()) { segment in
      let marked: [Int64] = [7, 2_047, 2_048, 2_100, id(Self.count - 1), 3_071, 3_072, 5_000]
      try check(segment, .marked(marked)) { marked.contains(id($0)) }
      try check(segment, .remarked(.tag, [], marked)) { marked.contains(id($0)) }
      try check(segment, .marked([7, 2_047, 3_072])) { _ in false }
      try check(segment, .marked([])) { _ in false }
    }
  }

  /// Bodies, and marks that are too many, are not known: such a row fits perhaps.
  @Test func whatIsNotKnownFitsPerhaps() throws {
    try withSegment(urls: urls(), headers: headers()) { segment in
      let (yes, no): ((Int) -> Bool, (Int) -> Bool) = ({ _ in true }, { _ in false })
      let isSet: (Int) -> Bool = { status($0) != nil }
      for unknown: StoredCondition in [.body(.request, []), .marked(nil), .remarked(.note, [], nil)] {
        try check(segment, unknown, sure: no, maybe: yes)
        try check(segment, .not(unknown), sure: no, maybe: yes)
        try check(segment, .all([.isSet(.status), unknown]), sure: no, maybe: isSet)
        try check(segment, .any([.isSet(.status), unknown]), sure: isSet, maybe: yes)
        try check(segment, .not(.all([unknown, .isSet(.status)])), sure: { !isSet($0) }, maybe: yes)
      }
      try check(segment, .not(.isSet(.status))) { status($0) == nil }
      try check(segment, .all([.isSet(.status), .hasBits(.flags, 1)])) { isSet($0) && $0 % 2 == 1 }
      try check(segment, .any([.isSet(.status), .hasBits(.flags, 1)])) { isSet($0) || $0 % 2 == 1 }
      try check(segment, .all([]), yes)
      try check(segment, .any([]), no)
    }
  }

  /// URLs or headers that are not there, or of another number of rows.
  @Test func partsThatDoNotBelongTogetherAreDamage() throws {
    let pattern = [try FilterText("h/7")]
    for count in [Self.count - 1, Self.count + 1] {
      try withSegment(urls: urls(count), headers: headers(count)) { segment in
        let all = rows { _ in true }
        #expect(throws: Segment.Damaged.self) { _ = try segment.rows(.url(.url, pattern), among: all) }
        #expect(throws: Segment.Damaged.self) { _ = try segment.rows(.header(pattern), among: all) }
        try check(segment, .isSet(.status)) { status($0) != nil }
      }
    }
    try withSegment(urls: [], headers: []) { segment in
      let all = rows { _ in true }
      #expect(throws: Segment.Damaged.self) { _ = try segment.rows(.url(.url, pattern), among: all) }
      #expect(throws: Segment.Damaged.self) { _ = try segment.rows(.header(pattern), among: all) }
    }
  }

  /// A search that would ask the tables of each row takes many times as long: what a segment has is read of it.
  @Test func whatASegmentHasIsNotAskedOfTheTables() async throws {
    let store = try HistoryStore.open(.memory)
    store.record((1...3).map { (id: Int64) -> Exchange in .sample(id: id, status: 200 + Int(id)) })
    try await store.buildSegments()
    try store.database.write {
      try $0.execute(sql: "UPDATE exchange SET status = 500, url = 'http://other/'")
      try $0.execute(sql: "UPDATE detail SET facts = zeroblob(0)")
    }
    func ids(_ text: String) async throws -> [Int64] {
      var ids: [Int64] = []
      for try await batch in store.search(try Filter(parsing: text)) { ids += batch.ids }
      return ids
    }
    #expect(try await ids("status:202") == [2])
    #expect(try await ids("path:/v1/users") == [3, 2, 1])
    #expect(try await ids("header:\"x-id: 3\"") == [3])
    #expect(try await ids("header:set-cookie -status:203") == [2, 1])
    await store.close()
  }

  /// The shortest that there are.
  @Test func headersOfNoRowsAndRowsWithoutHeadersAreRead() throws {
    var builder = SegmentHeadersBuilder()
    let all = [try FilterText("~.")]
    for count in 0...3 {
      let data = builder.data
      data.withUnsafeBytes { raw in
        let headers = SegmentHeaders(raw)
        #expect(headers?.rowCount == count)
        #expect(headers?.rows(all, among: RowBitmap(first: 1_024)).map { Array($0) } == [])
      }
      builder.endRow()
    }
  }
}
