import GRDB
import PatchbayInspect
import PatchbayStubs

/// The segment of one run, as far as it has been looked at.
///
/// Not `Sendable`: belongs to the `SegmentReader` that made it, and is good until that reads the next one.
final class Segment {
  /// The lowest id that the run can have.
  let first: Int64
  let numbers: SegmentNumbers
  private let load: (SegmentReader.Part) throws -> UnsafeRawBufferPointer?
  private var urls: SegmentTexts?
  private var headers: SegmentHeaders?
  private let scratch: UnsafeMutablePointer<Int64>

  /// nil where it is damaged: the ids do not rise, or are not of the run.
  ///
  /// - Parameter scratch: room for as many numbers as a run has rows.
  init?(
    first: Int64, _ numbers: SegmentNumbers, scratch: UnsafeMutablePointer<Int64>,
    load: @escaping (SegmentReader.Part) throws -> UnsafeRawBufferPointer?
  ) {
    self.first = first
    self.numbers = numbers
    self.scratch = scratch
    self.load = load
    guard hasIDsOfItsRun else { return nil }
  }

  /// What is stored of each id is how many the run lacks before it.
  private var hasIDsOfItsRun: Bool {
    let highest = RunIndex.span - Int64(numbers.count)
    guard numbers.count > 0 else { return false }
    if let missing = numbers.constant(.id) { return missing >= 0 && missing <= highest }
    var last: Int64 = 0
    for missing in values(.id) {
      guard missing >= last else { return false }
      last = missing
    }
    return last <= highest
  }

  /// Damaged: to be read from the tables.
  struct Damaged: Error {}

  func values(_ column: SegmentNumbers.Column) -> UnsafeBufferPointer<Int64> {
    numbers.read(column, into: scratch)
    return UnsafeBufferPointer(start: scratch, count: numbers.count)
  }

  /// The id of each row, good until other values are asked for.
  func ids() -> UnsafeBufferPointer<Int64> {
    numbers.read(.id, into: scratch)
    for row in 0..<numbers.count { scratch[row] += first + Int64(row) }
    return UnsafeBufferPointer(start: scratch, count: numbers.count)
  }

  /// The rows for which the condition holds for sure, and those for which it may hold.
  func rows(_ condition: StoredCondition, among: RowBitmap) throws -> (sure: RowBitmap, maybe: RowBitmap) {
    if among.isEmpty { return (.none, .none) }
    switch condition {
    case .body, .marked(nil), .remarked(_, _, nil): return (.none, among)
    case .not(let inner):
      let found = try rows(inner, among: among)
      return (among - found.maybe, among - found.sure)
    case .all(let parts):
      var (sure, maybe) = (among, among)
      for part in parts where !maybe.isEmpty {
        let found = try rows(part, among: maybe)
        (sure, maybe) = (sure & found.sure, found.maybe)
      }
      return (sure & maybe, maybe)
    case .any(let parts):
      var (sure, maybe) = (RowBitmap.none, RowBitmap.none)
      for part in parts where !(among - sure).isEmpty {
        let found = try rows(part, among: among - sure)
        (sure, maybe) = (sure | found.sure, maybe | found.maybe)
      }
      return (sure, sure | maybe)
    case .url(let field, let patterns): return same(try rows(field, patterns, among))
    case .header(let patterns): return same(try headerRows(patterns, among))
    case .within, .isSet, .hasBits, .text, .digits, .marked, .remarked: return same(numberRows(condition) & among)
    }
  }

  private func same(_ rows: RowBitmap) -> (sure: RowBitmap, maybe: RowBitmap) { (rows, rows) }

  private func numberRows(_ condition: StoredCondition) -> RowBitmap {
    switch condition {
    case .within(.id, let ranges): return each(ids()) { value in ranges.contains { $0.contains(value) } }
    case .within(let column, let ranges):
      if ranges.count == 1, let range = ranges.first {
        return each(column) { $0 != SegmentNumbers.null && $0 >= range.lowerBound && $0 <= range.upperBound }
      }
      return each(column) { value in value != SegmentNumbers.null && ranges.contains { $0.contains(value) } }
    case .text(let column, let texts): return each(column) { texts.contains($0) }
    case .hasBits(let column, let mask): return each(column) { $0 & mask != 0 }
    case .isSet(let column): return each(column) { $0 != SegmentNumbers.null }
    case .digits(let column, let patterns):
      var last: (value: Int64, fits: Bool)?
      return each(column) { value in
        if value == SegmentNumbers.null { return false }
        if let last, last.value == value { return last.fits }
        let fits = patterns.contains { $0.matches(String(value)) }
        last = (value, fits)
        return fits
      }
    case .marked(let wanted?), .remarked(_, _, let wanted?):
      let here = Set(wanted[wanted.partitioningIndex { $0 >= first }...].prefix { $0 < first + RunIndex.span })
      guard !here.isEmpty else { return .none }
      return each(ids()) { here.contains($0) }
    case .body, .marked(nil), .remarked(_, _, nil), .url, .header, .not, .all, .any: return .none
    }
  }

  private func each(_ column: SegmentNumbers.Column, _ holds: (Int64) -> Bool) -> RowBitmap {
    if let constant = numbers.constant(column) { return holds(constant) ? RowBitmap(first: numbers.count) : .none }
    return each(values(column), holds)
  }

  private func each(_ values: UnsafeBufferPointer<Int64>, _ holds: (Int64) -> Bool) -> RowBitmap {
    var found = RowBitmap.none
    var word: UInt64 = 0
    for row in 0..<values.count {
      if holds(values[row]) { word |= 1 << UInt64(row & 63) }
      if row & 63 == 63 || row == values.count - 1 {
        found.setWord(row >> 6, word)
        word = 0
      }
    }
    return found
  }

  private func rows(_ field: FilterField, _ patterns: [FilterText], _ among: RowBitmap) throws -> RowBitmap {
    if urls == nil { urls = try load(.urls).flatMap { SegmentTexts($0) } }
    guard let urls, urls.count == numbers.count else { throw Damaged() }
    var found = RowBitmap.none
    urls.candidates(patterns, decodes: true) { row in
      if among[row], !found[row], FilterMatching.url(urls[row], field: field, patterns) { found.insert(row) }
    }
    return found
  }

  private func headerRows(_ patterns: [FilterText], _ among: RowBitmap) throws -> RowBitmap {
    if headers == nil { headers = try load(.headers).flatMap { SegmentHeaders($0) } }
    guard let headers, headers.rowCount == numbers.count else { throw Damaged() }
    guard let rows = headers.rows(patterns, among: among) else { throw Damaged() }
    return rows
  }
}

/// Reads segments, one run at a time.
///
/// Not `Sendable`: belongs to the reading in which it was made.
final class SegmentReader {
  /// A segment has three rows of the table, so that only what a filter asks for is read.
  enum Part: Int64, CaseIterable {
    case numbers, urls, headers

    func id(run: Int64) -> Int64 { run * 4 + rawValue }
  }

  private let statements: [RawStatement]
  private let scratch: UnsafeMutablePointer<Int64>

  /// - Returns: nil where the file is of a version that had none.
  init?(_ database: Database) throws {
    guard try database.tableExists("pack") else { return nil }
    statements = try Part.allCases.map { _ in try RawStatement(database, "SELECT data FROM pack WHERE id = ?") }
    scratch = .allocate(capacity: Int(RunIndex.span))
    scratch.initialize(repeating: 0, count: Int(RunIndex.span))
  }

  deinit { scratch.deallocate() }

  /// The segment of a run; nil where it has none that can be read. What was given out before is no longer good.
  func segment(of run: Int64) throws -> Segment? {
    for statement in statements { statement.reset() }
    guard let numbers = try load(.numbers, of: run).flatMap({ SegmentNumbers($0) }) else { return nil }
    return Segment(first: run * RunIndex.span, numbers, scratch: scratch) { [self] in try load($0, of: run) }
  }

  private func load(_ part: Part, of run: Int64) throws -> UnsafeRawBufferPointer? {
    let statement = statements[Int(part.rawValue)]
    statement.reset()
    statement.bind(1, part.id(run: run))
    return try statement.step() ? statement.bytes(0) : nil
  }
}

/// A set of rows of one run, a bit each; a sequence in rising order.
struct RowBitmap: Equatable, Sendable, Sequence {
  private var words = SIMD16<UInt64>()

  static let none = RowBitmap()

  /// The rows from 0 up to that number.
  init(first count: Int = 0) {
    for word in 0..<16 {
      let rest = Swift.min(64, Swift.max(0, count - word * 64))
      words[word] = rest == 64 ? .max : (1 << UInt64(rest)) - 1
    }
  }

  private init(_ words: SIMD16<UInt64>) { self.words = words }

  var isEmpty: Bool { words == SIMD16() }

  var count: Int { words.indices.reduce(0) { $0 + words[$1].nonzeroBitCount } }

  subscript(row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 == 1 }

  /// 64 rows at once.
  mutating func setWord(_ index: Int, _ word: UInt64) { words[index] = word }

  mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }

  static func & (left: RowBitmap, right: RowBitmap) -> RowBitmap { RowBitmap(left.words & right.words) }
  static func | (left: RowBitmap, right: RowBitmap) -> RowBitmap { RowBitmap(left.words | right.words) }
  static func - (left: RowBitmap, right: RowBitmap) -> RowBitmap { RowBitmap(left.words & ~right.words) }

  func makeIterator() -> Iterator { Iterator(words) }

  struct Iterator: IteratorProtocol {
    private let words: SIMD16<UInt64>
    private var word = 0
    private var rest: UInt64

    init(_ words: SIMD16<UInt64>) {
      self.words = words
      rest = words[0]
    }

    mutating func next() -> Int? {
      while rest == 0 {
        word += 1
        guard word < 16 else { return nil }
        rest = words[word]
      }
      defer { rest &= rest - 1 }
      return word << 6 | rest.trailingZeroBitCount
    }
  }
}
