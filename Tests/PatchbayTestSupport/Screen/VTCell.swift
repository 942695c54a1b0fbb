/// A cell of the emulated terminal. A wide character is followed by a cell with no text.
public struct VTCell: Hashable, Sendable {
  /// The character with its combining marks; empty in the second half of a wide one.
  public var text = " "
  public var style = VTStyle()

  public init() {}

  init(text: String = " ", style: VTStyle) {
    self.text = text
    self.style = style
  }
}
