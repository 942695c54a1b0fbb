/// Something that the terminal sent.
package enum InputEvent: Hashable, Sendable {
  case key(Key)
  case mouse(MouseEvent)
  /// Pasted text in one piece, line ends as LF; it is hostile until `SafeText` has seen it.
  case paste(String)
  /// The terminal's window got or lost the keyboard.
  case focus(Bool)
}

/// What the mouse did, and where.
package struct MouseEvent: Hashable, Sendable {
  package enum Button: Hashable, Sendable {
    case left, middle, right
    /// Back, forward and further ones, from 8 on as X11 counts.
    case other(Int)
  }

  package enum Kind: Hashable, Sendable {
    case press(Button)
    /// The button is nil where the terminal does not say which.
    case release(Button?)
    case drag(Button)
    case move
    case wheelUp, wheelDown, wheelLeft, wheelRight
  }

  package var kind: Kind
  /// The cell, from 0 at the top left.
  package var position: Point
  package var modifiers: KeyModifiers

  package init(_ kind: Kind, at position: Point, _ modifiers: KeyModifiers = []) {
    self.kind = kind
    self.position = position
    self.modifiers = modifiers
  }
}

/// The three encodings of the mouse.
enum MouseDecoder {
  /// `ESC [ < code ; column ; row M` (pressed) or `m` (released), counted from 1.
  static func sgr(_ sequence: ControlSequence) -> InputEvent? {
    guard let code = sequence.number(0), let column = sequence.number(1), let row = sequence.number(2) else {
      return nil
    }
    return event(code, column, row, isRelease: sequence.final == 0x6D)
  }

  /// `ESC [ code ; column ; row M`, the code moved by 32.
  static func urxvt(_ sequence: ControlSequence) -> InputEvent? {
    guard let code = sequence.number(0), code >= 32, let column = sequence.number(1), let row = sequence.number(2)
    else { return nil }
    return event(code - 32, column, row, isRelease: code & 3 == 3 && code & 64 == 0)
  }

  /// `ESC [ M` and three bytes, each moved by 32.
  static func x10(_ code: UInt8, _ column: UInt8, _ row: UInt8) -> InputEvent? {
    guard code >= 32, column > 32, row > 32 else { return nil }
    return event(Int(code) - 32, Int(column) - 32, Int(row) - 32, isRelease: code & 3 == 3 && code & 64 == 0)
  }

  private static func event(_ code: Int, _ column: Int, _ row: Int, isRelease: Bool) -> InputEvent? {
    guard column >= 1, row >= 1, column < 100_000, row < 100_000 else { return nil }
    var modifiers: KeyModifiers = []
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    guard let kind = kind(code, isRelease) else { return nil }
    return .mouse(MouseEvent(kind, at: Point(x: column - 1, y: row - 1), modifiers))
  }

  private static func kind(_ code: Int, _ isRelease: Bool) -> MouseEvent.Kind? {
    if code & 64 != 0 {
      if isRelease { return nil }
      return [.wheelUp, .wheelDown, .wheelLeft, .wheelRight][code & 3]
    }
    let button: MouseEvent.Button? =
      code & 128 != 0 ? .other(8 + (code & 3)) : [.left, .middle, .right, nil][code & 3]
    if code & 32 != 0 { return button.map { .drag($0) } ?? .move }
    if isRelease { return .release(button) }
    return button.map { .press($0) }
  }
}
