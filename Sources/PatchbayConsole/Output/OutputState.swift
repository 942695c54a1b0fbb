/// What the command printed, bounded.
struct OutputState: Sendable {
  static let limit = 10_000

  private(set) var lines: [OutputLine] = []
  /// How many older lines were let go.
  private(set) var dropped = 0
  /// A sentence, when the command has ended.
  var ended: String?
  var follows = true
  /// The line at the foot of the screen's selection.
  var scroll = ListScroll()
  var search = ""

  /// - Parameter skipped: how many lines before them came too fast to be kept.
  mutating func add(_ more: [OutputLine], skipped: Int = 0) {
    if lines.last?.isOpen == true { lines.removeLast() }
    if skipped > 0 {
      dropped += lines.count + skipped
      lines = []
      scroll = ListScroll()
    }
    lines += more
    let excess = lines.count - OutputState.limit
    if excess > OutputState.limit / 10 || (excess > 0 && lines.count == excess) {
      lines.removeFirst(excess)
      dropped += excess
      scroll.selected = max(0, scroll.selected - excess)
      scroll.top = max(0, scroll.top - excess)
    }
    if follows { scroll.selected = lines.count - 1 }
  }

  /// The next line with the searched text, from a line on.
  func find(_ text: String, from line: Int, step: Int) -> Int? {
    guard !text.isEmpty, !lines.isEmpty else { return nil }
    let needle = TextNeedle(text)
    for offset in 1...lines.count {
      let place = ((line + step * offset) % lines.count + lines.count) % lines.count
      if !needle.ranges(in: ANSIText.plain(lines[place].text), parts: true).isEmpty { return place }
    }
    return nil
  }
}
