/// Something that the terminal sent.
public enum InputEvent: Hashable, Sendable {
  case key(Key)
  case mouse(MouseEvent)
  /// Pasted text in one piece, line ends as LF; it is hostile until `SafeText` has seen it.
  case paste(String)
  /// The terminal's window got or lost the keyboard.
  case focus(Bool)
}
