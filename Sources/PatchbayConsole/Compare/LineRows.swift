import Foundation
import PatchbayStubs

/// Text side by side, by line.
enum LineRows {
  /// Up to so many lines all are shown; of longer texts those that differ, and a few around them.
  private static let wholeLimit = 2_000
  private static let rowLimit = 10_000
  private static let around = 3

  static func rows(_ left: Data, _ right: Data) -> [CompareRow] {
    let (one, other) = (TextLines(left), TextLines(right))
    let difference = LineDifference(one.numbers, other.numbers)
    let isWhole = max(one.count, other.count) <= wholeLimit
    var rows: [CompareRow] = []
    var isCut = false
    func add(_ row: @autoclosure () -> CompareRow) {
      if rows.count < rowLimit { rows.append(row()) } else { isCut = true }
    }
    var (i, j) = (0, 0)
    /// What lies before a run differs: side by side in its order.
    func differ(to left: Int, _ right: Int) {
      for step in 0..<max(left - i, right - j) {
        let (x, y) = (i + step, j + step)
        add(
          CompareRow(
            label(x < left ? x : nil, y < right ? y : nil), x < left ? one[x] : "", y < right ? other[y] : ""))
      }
      (i, j) = (left, right)
    }
    func same(_ range: Range<Int>, _ shift: Int) {
      for place in range { add(CompareRow(label(place, place + shift), one[place], other[place + shift])) }
    }
    for run in joined(difference.runs) {
      differ(to: run.left, run.right)
      let shift = run.right - run.left
      let end = run.left + run.count
      let head = run.left == 0 && run.right == 0 ? 0 : around
      let tail = end == one.count && run.right + run.count == other.count ? 0 : around
      if isWhole || run.count <= head + tail + 1 {
        same(run.left..<end, shift)
      } else {
        same(run.left..<(run.left + head), shift)
        let count = run.count - head - tail
        add(.note("⋯ \(Wording.count(count, "line")) the same"))
        same((end - tail)..<end, shift)
      }
      (i, j) = (end, end + shift)
    }
    differ(to: one.count, other.count)
    if isCut {
      rows.append(.note("The rest is left out: more than \(Wording.count(rowLimit)) rows.", differs: true))
    }
    if difference.unmatched > 0 {
      let count = Wording.count(difference.unmatched, "line")
      rows.append(.note("\(count) have nothing in common and stand side by side in their order."))
    }
    return rows
  }

  private static func joined(_ runs: [LineDifference.Run]) -> [LineDifference.Run] {
    runs.reduce(into: []) { joined, run in
      if let last = joined.last, last.left + last.count == run.left, last.right + last.count == run.right {
        joined[joined.count - 1].count += run.count
      } else {
        joined.append(run)
      }
    }
  }

  private static func label(_ left: Int?, _ right: Int?) -> String {
    guard let left else { return right.map { "\($0 + 1)" } ?? "" }
    guard let right, right != left else { return "\(left + 1)" }
    return "\(left + 1) / \(right + 1)"
  }
}

/// The lines of a text in UTF-8, and a number for each that is the same for the same line.
private struct TextLines {
  private let bytes: Data
  private var starts: [Int] = []
  private(set) var numbers: [Int] = []

  var count: Int { starts.count }

  init(_ text: Data) {
    bytes = Data(text)
    bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      var start = 0
      while true {
        let end = lineEnd(bytes, from: start)
        var hasher = Hasher()
        hasher.combine(end - start)
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        starts.append(start)
        numbers.append(hasher.finalize())
        guard end < bytes.count else { break }
        start = end + 1
      }
    }
  }

  subscript(_ line: Int) -> String {
    let end = line + 1 < starts.count ? starts[line + 1] - 1 : bytes.count
    return String(decoding: bytes[starts[line]..<end], as: UTF8.self)
  }

  private func lineEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, 0x0A, bytes.count - start)
    else { return bytes.count }
    return UnsafeRawPointer(found) - base
  }
}

/// Which lines of two texts are the same, in bounded time however long and different they are.
///
/// What both begin and end with is taken off first; lines that stand once in each are anchors; what lies between is
/// compared exactly where it is short, and not at all where nothing in it can be matched.
struct LineDifference {
  /// Lines `left...` and `right...` that are the same, that many of them.
  struct Run: Equatable {
    var left: Int
    var right: Int
    var count: Int
  }

  private struct Part {
    var left: Range<Int>
    var right: Range<Int>
    var depth: Int
  }

  /// Rising in both sides.
  private(set) var runs: [Run] = []
  /// Lines that were not looked at closely, because that would take too long.
  private(set) var unmatched = 0

  private let left: [Int]
  private let right: [Int]
  private static let exactLimit = 600
  private static let depthLimit = 40

  /// - Parameters: Equal numbers stand for equal lines.
  init(_ left: [Int], _ right: [Int]) {
    self.left = left
    self.right = right
    var parts = [Part(left: 0..<left.count, right: 0..<right.count, depth: 0)]
    while let part = parts.popLast() { parts += split(part).reversed() }
    runs.sort { $0.left < $1.left }
  }

  /// Notes what is the same at both ends, and gives what is still to be compared.
  private mutating func split(_ part: Part) -> [Part] {
    var (one, other) = (part.left, part.right)
    let head = sharedCount(left[one], right[other])
    note(one.lowerBound, other.lowerBound, head)
    one = one.dropFirst(head)
    other = other.dropFirst(head)
    let tail = sharedCount(left[one].reversed(), right[other].reversed())
    note(one.upperBound - tail, other.upperBound - tail, tail)
    one = one.dropLast(tail)
    other = other.dropLast(tail)
    guard !one.isEmpty, !other.isEmpty else { return [] }
    if one.count + other.count <= Self.exactLimit {
      matchExactly(one, other)
      return []
    }
    let anchors = part.depth < Self.depthLimit ? anchors(one, other) : []
    guard !anchors.isEmpty else {
      unmatched += max(one.count, other.count)
      return []
    }
    var parts: [Part] = []
    var (from, to) = (one.lowerBound, other.lowerBound)
    for anchor in anchors {
      parts.append(Part(left: from..<anchor.left, right: to..<anchor.right, depth: part.depth + 1))
      note(anchor.left, anchor.right, 1)
      (from, to) = (anchor.left + 1, anchor.right + 1)
    }
    return parts + [Part(left: from..<one.upperBound, right: to..<other.upperBound, depth: part.depth + 1)]
  }

  private mutating func note(_ left: Int, _ right: Int, _ count: Int) {
    if count > 0 { runs.append(Run(left: left, right: right, count: count)) }
  }

  private mutating func matchExactly(_ one: Range<Int>, _ other: Range<Int>) {
    let changes = Array(right[other]).difference(from: Array(left[one]))
    var removed = Set<Int>()
    var inserted = Set<Int>()
    for change in changes {
      switch change {
      case .remove(let offset, _, _): removed.insert(one.lowerBound + offset)
      case .insert(let offset, _, _): inserted.insert(other.lowerBound + offset)
      }
    }
    let kept = zip(one.filter { !removed.contains($0) }, other.filter { !inserted.contains($0) })
    for (place, match) in kept { note(place, match, 1) }
  }

  /// Lines that stand once in either side: the longest series of them that rises in both.
  private func anchors(_ one: Range<Int>, _ other: Range<Int>) -> [(left: Int, right: Int)] {
    var places: [Int: (left: Int, right: Int)] = [:]
    for place in one { places[left[place], default: (-1, -1)].left = places[left[place]] == nil ? place : -2 }
    for place in other {
      guard let known = places[right[place]], known.left >= 0 else { continue }
      places[right[place]]?.right = known.right == -1 ? place : -2
    }
    let pairs = places.values.filter { $0.left >= 0 && $0.right >= 0 }.sorted { $0.left < $1.left }
    // Patience sorting: the lowest end of a series of each length, and what came before each pair.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: pairs.count)
    for (place, pair) in pairs.enumerated() {
      let length = ends.partitioningIndex { pairs[$0].right >= pair.right }
      if length > 0 { before[place] = ends[length - 1] }
      if length == ends.count { ends.append(place) } else { ends[length] = place }
    }
    var series: [(left: Int, right: Int)] = []
    var place = ends.last ?? -1
    while place >= 0 {
      series.append(pairs[place])
      place = before[place]
    }
    return series.reversed()
  }
}

/// How many elements two sequences begin with alike.
func sharedCount<Element: Equatable>(
  _ left: some Sequence<Element>, _ right: some Sequence<Element>
) -> Int {
  var count = 0
  for (one, other) in zip(left, right) {
    guard one == other else { break }
    count += 1
  }
  return count
}
