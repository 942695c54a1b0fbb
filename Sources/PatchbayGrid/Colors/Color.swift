/// A colour of text or background: the terminal's own, one of its palette, or 24 bit.
///
/// A 24-bit colour may name the ANSI colour that stands for it on a terminal of 8 or 16 colours (`fallback`);
/// without one the nearest is computed.
public struct Color: Hashable, Sendable {
  /// Two bits of kind, five of fallback (0 for none, else the ANSI number plus one), 24 of value.
  let packed: UInt32

  public enum Kind: Hashable, Sendable {
    case terminalDefault
    /// 0…15 are the ANSI colours, 16…231 the 6×6×6 cube, 232…255 the grey ramp.
    case palette(UInt8)
    case rgb(red: UInt8, green: UInt8, blue: UInt8)
  }

  /// What the terminal uses when no colour is asked for.
  public static let `default` = Color(packed: 0)

  /// One of the 16 ANSI colours; the number is taken modulo 16.
  public static func ansi(_ number: UInt8) -> Color {
    palette(number & 15)
  }

  /// One of the 256 colours of the terminal's palette.
  public static func palette(_ number: UInt8) -> Color {
    Color(packed: 1 << 30 | UInt32(number))
  }

  public static func rgb(_ red: UInt8, _ green: UInt8, _ blue: UInt8, fallback: UInt8? = nil) -> Color {
    rgb(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue), fallback: fallback)
  }

  /// A 24-bit colour such as `.rgb(0x61afef)`.
  public static func rgb(_ hex: UInt32, fallback: UInt8? = nil) -> Color {
    let ansi = fallback.map { UInt32($0 & 15) + 1 } ?? 0
    return Color(packed: 2 << 30 | ansi << 24 | hex & 0xFF_FFFF)
  }

  public var kind: Kind {
    switch packed >> 30 {
    case 1: .palette(UInt8(truncatingIfNeeded: packed))
    case 2:
      .rgb(
        red: UInt8(truncatingIfNeeded: packed >> 16), green: UInt8(truncatingIfNeeded: packed >> 8),
        blue: UInt8(truncatingIfNeeded: packed))
    default: .terminalDefault
    }
  }

  /// The ANSI colour (0…15) named for terminals of few colours.
  public var fallback: UInt8? {
    let value = packed >> 24 & 0x1F
    return value == 0 ? nil : UInt8(value - 1)
  }

  init(packed: UInt32) {
    self.packed = packed
  }
}
