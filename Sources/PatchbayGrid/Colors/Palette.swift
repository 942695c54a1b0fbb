/// The xterm palette of 256 colours, as numbers.
enum Palette {
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
