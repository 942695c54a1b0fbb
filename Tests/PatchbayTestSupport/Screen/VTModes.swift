/// Switches that a program turned on in the emulated terminal.
public struct VTModes: Hashable, Sendable {
  public var alternateScreen = false
  public var cursorVisible = true
  public var bracketedPaste = false
  public var focusReports = false
  public var applicationCursor = false
  public var applicationKeypad = false
  public var insert = false
  public var autoWrap = true
  public var origin = false
  /// The private modes of the mouse that are on: 1000 (buttons), 1002 (drags), 1003 (all motion), 1006 (SGR), …
  public var mouse: Set<Int> = []

  public init() {}
}
