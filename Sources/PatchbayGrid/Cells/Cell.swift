/// One cell of a grid, 16 bytes: a scalar, its width, its style, and where its combining marks are kept.
///
/// A wide scalar takes two cells: the second is a continuation (`width` 0).
package struct Cell: Sendable {
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
  package var scalar: Unicode.Scalar {
    isContinuation ? " " : Unicode.Scalar(scalarValue) ?? "\u{FFFD}"
  }

  /// Columns taken: 1, 2, or 0 for the second half of a wide scalar.
  package var width: Int { Int(text >> 21 & 3) }

  package var isContinuation: Bool { width == 0 }

  /// Whether a space stands in it, without marks.
  var isBlank: Bool { width == 1 && scalarValue == 0x20 && marksIndex == 0 }

  package var style: Style {
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

/// Colours and attributes of a cell.
package struct Style: Hashable, Sendable {
  package var foreground: Color
  package var background: Color
  package var attributes: TextAttributes

  /// The terminal's own colours, no attributes.
  package static let plain = Style()

  package init(
    foreground: Color = .default, background: Color = .default, attributes: TextAttributes = []
  ) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  package var bold: Style { adding(.bold) }
  package var dim: Style { adding(.dim) }
  package var italic: Style { adding(.italic) }
  package var underline: Style { adding(.underline) }
  package var reverse: Style { adding(.reverse) }

  package func foreground(_ color: Color) -> Style {
    Style(foreground: color, background: background, attributes: attributes)
  }

  package func background(_ color: Color) -> Style {
    Style(foreground: foreground, background: color, attributes: attributes)
  }

  package func adding(_ more: TextAttributes) -> Style {
    Style(foreground: foreground, background: background, attributes: attributes.union(more))
  }

  /// The style with its colours reduced to what a terminal of this depth can show. Two that become the same are told
  /// apart, so that nothing disappears: bright black is black where there are eight.
  package func reduced(to depth: ColorDepth) -> Style {
    let front = foreground.reduced(to: depth)
    let back = background.reduced(to: depth)
    let vanishes = front == back && front != .default && foreground != background
    return Style(
      foreground: vanishes ? .ansi(back == .ansi(7) ? 0 : 7) : front, background: back, attributes: attributes)
  }
}

/// How text is set, beside its colours.
package struct TextAttributes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let bold = TextAttributes(rawValue: 1)
  package static let dim = TextAttributes(rawValue: 2)
  package static let italic = TextAttributes(rawValue: 4)
  package static let underline = TextAttributes(rawValue: 8)
  package static let reverse = TextAttributes(rawValue: 16)
}

/// A piece of text with its style.
package struct Span: Hashable, Sendable {
  package var text: String
  package var style: Style

  package init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}
