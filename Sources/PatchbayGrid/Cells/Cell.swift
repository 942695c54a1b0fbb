/// One cell of a grid, 16 bytes: a scalar, its width, its style, and where its combining marks are kept.
///
/// A wide scalar takes two cells: the second is a continuation (`width` 0).
public struct Cell: Sendable {
  /// Scalar (21 bits), width (2 bits), attributes (8 bits), index of the marks in the grid (32 bits, 0 for none).
  var text: UInt64
  /// Foreground and background, packed.
  var colors: UInt64

  init(text: UInt64, colors: UInt64) {
    self.text = text
    self.colors = colors
  }

  init(scalar: UInt32, width: Int, paint: Paint, marks: UInt32 = 0) {
    text = UInt64(scalar) | UInt64(width) << 21 | paint.attributes | UInt64(marks) << 32
    colors = paint.colors
  }

  static func blank(_ paint: Paint) -> Cell {
    Cell(scalar: 0x20, width: 1, paint: paint)
  }

  /// What the cell shows, without combining marks; a space in a continuation.
  public var scalar: Unicode.Scalar {
    isContinuation ? " " : Unicode.Scalar(scalarValue) ?? "\u{FFFD}"
  }

  /// Columns taken: 1, 2, or 0 for the second half of a wide scalar.
  public var width: Int { Int(text >> 21 & 3) }

  public var isContinuation: Bool { width == 0 }

  public var style: Style {
    Style(
      foreground: Color(packed: UInt32(truncatingIfNeeded: colors)), background: Color(packed: UInt32(colors >> 32)),
      attributes: TextAttributes(rawValue: UInt8(truncatingIfNeeded: text >> 23)))
  }

  var scalarValue: UInt32 { UInt32(text & 0x1F_FFFF) }
  var marksIndex: Int { Int(text >> 32) }
  var paint: Paint { Paint(attributes: text & Paint.attributeMask, colors: colors) }

  mutating func setPaint(_ paint: Paint) {
    text = text & ~Paint.attributeMask | paint.attributes
    colors = paint.colors
  }

  static func sameBits(_ left: Cell, _ right: Cell) -> Bool {
    left.text == right.text && left.colors == right.colors
  }
}

/// A style in the form in which cells keep it.
struct Paint: Equatable {
  static let attributeMask: UInt64 = 0xFF << 23

  let attributes: UInt64
  let colors: UInt64

  init(_ style: Style) {
    attributes = UInt64(style.attributes.rawValue) << 23
    colors = UInt64(style.foreground.packed) | UInt64(style.background.packed) << 32
  }

  init(attributes: UInt64, colors: UInt64) {
    self.attributes = attributes
    self.colors = colors
  }
}
