extension Color {
  /// The nearest colour that a terminal of this depth can show. The named fallback wins at 16 and 8 colours.
  public func reduced(to depth: ColorDepth) -> Color {
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
    switch kind {
    case .terminalDefault: return 7
    case .palette(let number) where number < 16: return number
    case .palette(let number):
      let color = Palette.rgb(number)
      return Palette.nearestANSI(red: color.red, green: color.green, blue: color.blue)
    case .rgb(let red, let green, let blue):
      return Palette.nearestANSI(red: Int(red), green: Int(green), blue: Int(blue))
    }
  }
}

extension Color {
  /// The colour as 24 bits, 0xRRGGBB; a palette's as xterm has it, 0 for the terminal's own.
  public var rgbValue: UInt32 {
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
