import PatchbayGrid

extension ConsoleState {
  /// At the right edge, where there is more than fits: which part of it is seen.
  ///
  /// - Parameters:
  ///   - top: the first line that is seen.
  ///   - base: whose background it stands on.
  func drawScrollbar(_ grid: inout Grid, top: Int, count: Int, on base: ThemeRole = .text) {
    let height = grid.height
    guard count > height, height > 2 else { return }
    let size = max(1, height * height / count)
    let start = min(height - size, (height - size) * top / max(1, count - height))
    for row in start..<(start + size) {
      grid.put("┃", at: Point(x: grid.width - 1, y: row), style: theme[.scrollbar, on: base])
    }
  }
}
