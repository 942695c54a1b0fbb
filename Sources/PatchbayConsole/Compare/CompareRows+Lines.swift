import Foundation

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
    var (i, j) = (0, 0)
    /// What lies before a run differs: side by side in its order.
    func differ(to left: Int, _ right: Int) {
      for step in 0..<max(left - i, right - j) where rows.count < rowLimit {
        let (x, y) = (i + step, j + step)
        rows.append(
          CompareRow(
            label(x < left ? x : nil, y < right ? y : nil), x < left ? one[x] : "", y < right ? other[y] : ""))
      }
      (i, j) = (left, right)
    }
    func same(_ range: Range<Int>, _ shift: Int) {
      for place in range where rows.count < rowLimit {
        rows.append(CompareRow(label(place, place + shift), one[place], other[place + shift]))
      }
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
        if rows.count < rowLimit { rows.append(.note("⋯ \(Wording.count(count, "line")) the same")) }
        same((end - tail)..<end, shift)
      }
      (i, j) = (end, end + shift)
    }
    differ(to: one.count, other.count)
    if rows.count >= rowLimit {
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
