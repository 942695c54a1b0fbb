import PatchbayGrid

/// What the terminal is to show: the cells (with the cursor) and the modes that belong to them.
public struct ConsoleFrame: Sendable {
  public var grid: Grid
  /// Whether the terminal reports the mouse; off leaves selecting text to the terminal.
  public var mouse: Bool
  /// The window's title.
  public var title: String

  public init(grid: Grid, mouse: Bool, title: String) {
    self.grid = grid
    self.mouse = mouse
    self.title = title
  }
}
