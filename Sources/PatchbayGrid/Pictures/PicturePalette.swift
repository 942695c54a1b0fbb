/// The colours that a picture of a grid gives to what the terminal would decide. Numbers are 0xRRGGBB.
public struct PicturePalette: Hashable, Sendable {
  public var foreground: UInt32
  public var background: UInt32
  /// The 16 ANSI colours; missing ones are xterm's.
  public var ansi: [UInt32]

  public init(foreground: UInt32, background: UInt32, ansi: [UInt32] = []) {
    self.foreground = foreground
    self.background = background
    self.ansi = ansi
  }

  public static let dark = PicturePalette(
    foreground: 0xc8ccd4, background: 0x16181d,
    ansi: [
      0x282c34, 0xe06c75, 0x98c379, 0xe5c07b, 0x61afef, 0xc678dd, 0x56b6c2, 0xabb2bf,
      0x5c6370, 0xf0808a, 0xb1d196, 0xf0d399, 0x83c3f7, 0xd69be8, 0x7fcbd4, 0xffffff,
    ])
  public static let light = PicturePalette(
    foreground: 0x24292f, background: 0xffffff,
    ansi: [
      0x24292f, 0xcf222e, 0x116329, 0x4d2d00, 0x0969da, 0x8250df, 0x1b7c83, 0x6e7781,
      0x57606a, 0xa40e26, 0x1a7f37, 0x633c01, 0x218bff, 0xa475f9, 0x3192aa, 0x8c959f,
    ])

  func value(_ color: Color, default own: UInt32) -> UInt32 {
    switch color.kind {
    case .terminalDefault: own
    case .palette(let number) where Int(number) < min(16, ansi.count): ansi[Int(number)]
    default: color.rgbValue
    }
  }

  /// Text and background of a style, after `reverse` and `dim`.
  func colors(of style: Style) -> (text: UInt32, background: UInt32) {
    var text = value(style.foreground, default: foreground)
    var ground = value(style.background, default: background)
    if style.attributes.contains(.reverse) { swap(&text, &ground) }
    if style.attributes.contains(.dim) { text = PicturePalette.mixed(text, ground) }
    return (text, ground)
  }

  private static func mixed(_ text: UInt32, _ ground: UInt32) -> UInt32 {
    [16, 8, 0].reduce(0) { result, shift in
      let mix = ((text >> shift & 255) * 3 + (ground >> shift & 255) * 2) / 5
      return result | mix << shift
    }
  }

  static func hex(_ value: UInt32) -> String {
    let digits = String(value & 0xFF_FFFF, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
