/// A colour of text or background: the terminal's own, one of its palette, or 24 bit.
///
/// A 24-bit colour may name the ANSI colour that stands for it on a terminal of 8 or 16 colours (`fallback`);
/// without one the nearest is computed.
package struct Color: Hashable, Sendable {
  /// Two bits of kind, five of fallback (0 for none, else the ANSI number plus one), 24 of value.
  let packed: UInt32

  package enum Kind: Hashable, Sendable {
    case terminalDefault
    /// 0…15 are the ANSI colours, 16…231 the 6×6×6 cube, 232…255 the grey ramp.
    case palette(UInt8)
    case rgb(red: UInt8, green: UInt8, blue: UInt8)
  }

  /// What the terminal uses when no colour is asked for.
  package static let `default` = Color(packed: 0)

  /// One of the 16 ANSI colours; the number is taken modulo 16.
  package static func ansi(_ number: UInt8) -> Color {
    palette(number & 15)
  }

  /// One of the 256 colours of the terminal's palette.
  package static func palette(_ number: UInt8) -> Color {
    Color(packed: 1 << 30 | UInt32(number))
  }

  package static func rgb(_ red: UInt8, _ green: UInt8, _ blue: UInt8, fallback: UInt8? = nil) -> Color {
    rgb(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue), fallback: fallback)
  }

  /// A 24-bit colour such as `.rgb(0x61afef)`.
  package static func rgb(_ hex: UInt32, fallback: UInt8? = nil) -> Color {
    let ansi = fallback.map { UInt32($0 & 15) + 1 } ?? 0
    return Color(packed: 2 << 30 | ansi << 24 | hex & 0xFF_FFFF)
  }

  package var kind: Kind {
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
  package var fallback: UInt8? {
    let value = packed >> 24 & 0x1F
    return value == 0 ? nil : UInt8(value - 1)
  }

  init(packed: UInt32) {
    self.packed = packed
  }
}

/// How many colours a terminal has.
package enum ColorDepth: Int, Comparable, Sendable, CaseIterable {
  case none = 0
  case ansi8 = 8
  case ansi16 = 16
  case palette256 = 256
  case trueColor = 0x100_0000

  package static func < (left: ColorDepth, right: ColorDepth) -> Bool { left.rawValue < right.rawValue }
}

extension Color {
  /// The nearest colour that a terminal of this depth can show. The named fallback wins at 16 and 8 colours.
  package func reduced(to depth: ColorDepth) -> Color {
    switch (depth, kind) {
    case (.none, _): .default
    case (_, .terminalDefault), (.trueColor, _), (.palette256, .palette): self
    case (.palette256, .rgb(let red, let green, let blue)):
      .palette(Palette.nearest(red: Int(red), green: Int(green), blue: Int(blue)))
    case (.ansi16, _): .ansi(nearestANSI)
    case (.ansi8, _): .ansi(nearestANSI & 7)
    }
  }

  private var nearestANSI: UInt8 {
    if let fallback { return fallback }
    if case .palette(let number) = kind, number < 16 { return number }
    let value = Int(rgbValue)
    return Palette.nearestANSI(red: value >> 16, green: value >> 8 & 255, blue: value & 255)
  }
}

extension Color {
  /// The colour as 24 bits, 0xRRGGBB; a palette's as xterm has it, 0 for the terminal's own.
  package var rgbValue: UInt32 {
    switch kind {
    case .terminalDefault: 0
    case .rgb: packed & 0xFF_FFFF
    case .palette(let number):
      {
        let color = Palette.rgb(number)
        return UInt32(color.red << 16 | color.green << 8 | color.blue)
      }()
    }
  }
}

/// The xterm palette of 256 colours, as numbers.
private enum Palette {
  typealias RGB = (red: Int, green: Int, blue: Int)

  private static let levels = [0, 95, 135, 175, 215, 255]
  private static let ansi: [UInt32] = [
    0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
  ]

  static func rgb(_ number: UInt8) -> RGB {
    let index = Int(number)
    switch index {
    case 0..<16:
      let hex = Int(ansi[index])
      return (hex >> 16, hex >> 8 & 255, hex & 255)
    case 16..<232:
      let cube = index - 16
      return (levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6])
    default:
      let grey = 8 + (index - 232) * 10
      return (grey, grey, grey)
    }
  }

  /// The nearest of the 6×6×6 cube and the grey ramp (never one of the first 16, which the user may have changed).
  static func nearest(red: Int, green: Int, blue: Int) -> UInt8 {
    let steps = [red, green, blue].map(cubeStep)
    let cube = (levels[steps[0]], levels[steps[1]], levels[steps[2]])
    let greyStep = min(23, max(0, ((red + green + blue) / 3 - 3) / 10))
    let grey = 8 + greyStep * 10
    let cubeDistance = distance(cube, (red, green, blue))
    let greyDistance = distance((grey, grey, grey), (red, green, blue))
    return greyDistance < cubeDistance
      ? UInt8(232 + greyStep) : UInt8(16 + steps[0] * 36 + steps[1] * 6 + steps[2])
  }

  /// The ANSI colour of the same hue; a grey where there is next to none. Distance alone would call many blues green.
  static func nearestANSI(red: Int, green: Int, blue: Int) -> UInt8 {
    let high = max(red, green, blue)
    let low = min(red, green, blue)
    if high - low < 40 {
      switch (high + low) / 2 {
      case ..<64: return 0
      case ..<150: return 8
      case ..<235: return 7
      default: return 15
      }
    }
    let middle = (high + low) / 2
    let hue = (red > middle ? 1 : 0) | (green > middle ? 2 : 0) | (blue > middle ? 4 : 0)
    return UInt8(high >= 230 ? hue + 8 : hue)
  }

  private static func cubeStep(_ value: Int) -> Int {
    value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40
  }

  private static func distance(_ left: RGB, _ right: RGB) -> Int {
    let red = left.red - right.red
    let green = left.green - right.green
    let blue = left.blue - right.blue
    return red * red + green * green + blue * blue
  }
}
