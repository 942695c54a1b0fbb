import PatchbayStubs

/// Which lines are hidden by folds, and what that makes of the places of lines.
struct FoldMap: Sendable, Equatable {
  private struct Hidden: Equatable {
    var opener: Int
    var lines: Range<Int>
    /// How many lines are hidden before it.
    var before: Int
  }

  /// Ranges that do not overlap, rising; folds inside of others come back with them.
  private var ranges: [Hidden] = []
  private var folded: [Int: Range<Int>] = [:]
  private(set) var hidden = 0

  init() {}

  func isFolded(_ line: Int) -> Bool { folded[line] != nil }

  /// How many lines a fold hides; nil where the line has none.
  func hiddenLines(by line: Int) -> Int? { folded[line]?.count }

  mutating func fold(_ opener: Int, hiding lines: Range<Int>) {
    folded[opener] = lines
    rebuild()
  }

  /// A fold behind all that there are.
  mutating func append(_ opener: Int, hiding lines: Range<Int>) {
    folded[opener] = lines
    guard opener >= ranges.last?.lines.upperBound ?? 0 else { return rebuild() }
    ranges.append(Hidden(opener: opener, lines: lines, before: hidden))
    hidden += lines.count
  }

  mutating func unfold(_ opener: Int) {
    folded[opener] = nil
    rebuild()
  }

  /// Opens every fold that hides a line.
  mutating func reveal(_ line: Int) {
    guard folded.contains(where: { $0.value.contains(line) }) else { return }
    folded = folded.filter { !$0.value.contains(line) }
    rebuild()
  }

  /// The line that is shown at a place.
  func line(shownAt place: Int) -> Int {
    let index = ranges.partitioningIndex { $0.lines.lowerBound - $0.before > place }
    guard index > 0 else { return place }
    return place + ranges[index - 1].before + ranges[index - 1].lines.count
  }

  /// Where a line is shown; of a hidden one, where the line is that hides it.
  func shownIndex(of line: Int) -> Int {
    let index = ranges.partitioningIndex { $0.lines.lowerBound > line }
    guard index > 0 else { return line }
    let range = ranges[index - 1]
    return range.lines.contains(line) ? range.opener - range.before : line - range.before - range.lines.count
  }

  private mutating func rebuild() {
    ranges = []
    hidden = 0
    for (opener, lines) in folded.sorted(by: { $0.key < $1.key }) {
      if let last = ranges.last, last.lines.contains(opener) { continue }
      ranges.append(Hidden(opener: opener, lines: lines, before: hidden))
      hidden += lines.count
    }
  }
}
