import PatchbayGrid
import PatchbayWire

/// What the mouse does on a tab.
enum Pointer: Sendable, Equatable {
  case press(Point, isDouble: Bool)
  case drag(Point)
  case release
  /// Rows, down or up, at what the pointer is over.
  case wheel(Int, at: Point)
}

/// Makes of the mouse's events what they mean: two clicks at one place within 0.4 s are a double click.
struct MouseClicks: Sendable, Equatable {
  private var last: Press?

  private struct Press: Sendable, Equatable {
    var at: Point
    var when: Timestamp
  }

  /// - Returns: nil for buttons and movements that mean nothing.
  mutating func pointer(for event: MouseEvent, at now: Timestamp) -> Pointer? {
    let point = event.position
    switch event.kind {
    case .press(.left):
      let isDouble = last.map { $0.at == point && now.microseconds - $0.when.microseconds < 400_000 } ?? false
      last = isDouble ? nil : Press(at: point, when: now)
      return .press(point, isDouble: isDouble)
    case .drag(.left): return .drag(point)
    case .release: return .release
    case .wheelDown: return .wheel(3, at: point)
    case .wheelUp: return .wheel(-3, at: point)
    default: return nil
    }
  }
}
