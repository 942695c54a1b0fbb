/// What the mouse did, and where.
public struct MouseEvent: Hashable, Sendable {
  public enum Button: Hashable, Sendable {
    case left, middle, right
    /// Back, forward and further ones, from 8 on as X11 counts.
    case other(Int)
  }

  public enum Kind: Hashable, Sendable {
    case press(Button)
    /// The button is nil where the terminal does not say which.
    case release(Button?)
    case drag(Button)
    case move
    case wheelUp, wheelDown, wheelLeft, wheelRight
  }

  public var kind: Kind
  /// The cell, from 0 at the top left.
  public var position: Point
  public var modifiers: KeyModifiers

  public init(_ kind: Kind, at position: Point, _ modifiers: KeyModifiers = []) {
    self.kind = kind
    self.position = position
    self.modifiers = modifiers
  }
}
