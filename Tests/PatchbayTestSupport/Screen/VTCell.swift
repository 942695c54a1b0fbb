import CLaunch

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

/// The columns that the system's C library gives a scalar: what most terminals go by.
public func systemWidth(of scalar: Unicode.Scalar) -> Int {
  Int(patchbay_scalar_width(scalar.value))
}
