import PatchbayGrid

/// What the mouse does on a tab.
enum Pointer: Sendable, Equatable {
  case press(Point, isDouble: Bool)
  case drag(Point)
  case release
  /// Rows, down or up, at what the pointer is over.
  case wheel(Int, at: Point)
}
