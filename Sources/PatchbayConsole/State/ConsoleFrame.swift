import PatchbayGrid

/// What the terminal is to show: the cells (with the cursor) and the modes that belong to them.
package struct ConsoleFrame: Sendable {
  package var grid: Grid
  /// Whether the terminal reports the mouse; off leaves selecting text to the terminal.
  package var mouse: Bool
  /// The window's title.
  package var title: String

  package init(grid: Grid, mouse: Bool, title: String) {
    self.grid = grid
    self.mouse = mouse
    self.title = title
  }
}
