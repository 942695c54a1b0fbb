import PatchbayGrid

extension ConsoleState {
  /// At the right edge, where there is more than fits: which part of it is seen.
  ///
  /// - Parameters:
  ///   - top: the first line that is seen.
  ///   - seen: how many lines are; as many as there are rows if not given.
  ///   - base: whose background it stands on.
  func drawScrollbar(_ grid: inout Grid, top: Int, count: Int, seen: Int? = nil, on base: ThemeRole = .text) {
    let height = grid.height
    let seen = seen ?? height
    guard count > seen, height > 2 else { return }
    let size = max(1, height * seen / count)
    let start = min(height - size, (height - size) * top / max(1, count - seen))
    for row in start..<(start + size) {
      grid.put("┃", at: Point(x: grid.width - 1, y: row), style: theme[.scrollbar, on: base])
    }
  }
}
