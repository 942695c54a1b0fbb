import PatchbayInspect

/// The pack of one run, as far as it has been looked at.
///
/// Not `Sendable`: belongs to the `PackReader` that made it, and is good until that reads the next one.
final class PackRun {
  /// The ids of the run are this and up.
  let first: Int64
  let numbers: PackNumbers
  private let load: (PackReader.Part) throws -> UnsafeRawBufferPointer?
  private var urls: PackTexts?
  private var headers: PackHeaders?
  private let scratch: UnsafeMutablePointer<Int64>

  /// - Parameter scratch: room for as many numbers as a run has rows.
  init(
    first: Int64, _ numbers: PackNumbers, scratch: UnsafeMutablePointer<Int64>,
    load: @escaping (PackReader.Part) throws -> UnsafeRawBufferPointer?
  ) {
    self.first = first
    self.numbers = numbers
    self.scratch = scratch
    self.load = load
  }

  /// Damaged: to be read from the tables.
  struct Damaged: Error {}

  func values(_ column: PackNumbers.Column) -> UnsafeBufferPointer<Int64> {
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
  func rows(_ condition: PackCondition, among: PackBits) throws -> (sure: PackBits, maybe: PackBits) {
    if among.isEmpty { return (.none, .none) }
    switch condition {
    case .always: return (among, among)
    case .unknown: return (.none, among)
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
      var (sure, maybe) = (PackBits.none, PackBits.none)
      for part in parts where !(among - sure).isEmpty {
        let found = try rows(part, among: among - sure)
        (sure, maybe) = (sure | found.sure, maybe | found.maybe)
      }
      return (sure, sure | maybe)
    case .url(let field, let patterns): return same(try rows(field, patterns, among))
    case .header(let patterns): return same(try headerRows(patterns, among))
    default: return same(numberRows(condition) & among)
    }
  }

  private func same(_ rows: PackBits) -> (sure: PackBits, maybe: PackBits) { (rows, rows) }

  private func numberRows(_ condition: PackCondition) -> PackBits {
    switch condition {
    case .within(.id, let ranges): return each(ids()) { value in ranges.contains { $0.contains(value) } }
    case .within(let column, let ranges):
      if ranges.count == 1, let range = ranges.first {
        return each(column) { $0 != PackNumbers.null && $0 >= range.lowerBound && $0 <= range.upperBound }
      }
      return each(column) { value in value != PackNumbers.null && ranges.contains { $0.contains(value) } }
    case .text(let column, let ids): return each(column) { ids.contains($0) }
    case .bits(let column, let mask): return each(column) { $0 & mask != 0 }
    case .isSet(let column): return each(column) { $0 != PackNumbers.null }
    case .digits(let column, let patterns):
      var last: (value: Int64, fits: Bool)?
      return each(column) { value in
        if value == PackNumbers.null { return false }
        if let last, last.value == value { return last.fits }
        let fits = patterns.contains { $0.matches(String(value)) }
        last = (value, fits)
        return fits
      }
    case .ids(let wanted):
      guard let from = wanted.firstIndex(atLeast: first), wanted[from] < first + Census.span else { return .none }
      let here = Set(wanted[from...].prefix { $0 < first + Census.span })
      return each(ids()) { here.contains($0) }
    default: return .none
    }
  }

  private func each(_ column: PackNumbers.Column, _ holds: (Int64) -> Bool) -> PackBits {
    if let constant = numbers.constant(column) { return holds(constant) ? PackBits(first: numbers.count) : .none }
    return each(values(column), holds)
  }

  private func each(_ values: UnsafeBufferPointer<Int64>, _ holds: (Int64) -> Bool) -> PackBits {
    var found = PackBits.none
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

  private func rows(_ field: FilterField, _ patterns: [FilterText], _ among: PackBits) throws -> PackBits {
    if urls == nil { urls = try load(.urls).flatMap { PackTexts($0) } }
    guard let urls, urls.count == numbers.count else { throw Damaged() }
    var found = PackBits.none
    urls.candidates(patterns, decodes: true) { row in
      if among[row], !found[row], FilterMatching.url(urls[row], field: field, patterns) { found.insert(row) }
    }
    return found
  }

  private func headerRows(_ patterns: [FilterText], _ among: PackBits) throws -> PackBits {
    if headers == nil { headers = try load(.headers).flatMap { PackHeaders($0) } }
    guard let headers, headers.rowCount == numbers.count else { throw Damaged() }
    return headers.rows(patterns, among: among)
  }
}

extension [Int64] {
  /// Of numbers in rising order.
  fileprivate func firstIndex(atLeast value: Int64) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low < count ? low : nil
  }
}
