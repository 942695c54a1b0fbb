import PatchbayGrid
import PatchbayTestSupport
import Testing

@Suite("Colours", .bounded)
struct ColorTests {
  @Test(
    "24 bits become the nearest of cube and ramp",
    arguments: [
      (0x000000, 16), (0xFFFFFF, 231), (0xFF0000, 196), (0x61AFEF, 75), (0x808080, 244), (0x121212, 233),
      (0x5F87AF, 67), (0x303030, 236), (0x0D0D0D, 233), (0x040404, 16),
    ] as [(UInt32, UInt8)])
  func palette(rgb: UInt32, number: UInt8) {
    #expect(Color.rgb(rgb).reduced(to: .palette256) == .palette(number))
  }

  @Test("the nearest in the palette is the nearest by distance, for every colour of a raster")
  func nearest() {
    let candidates = (16...255).map { Color.palette(UInt8($0)) }
    for step in stride(from: UInt32(0), through: 0xFFFFFF, by: 0x01_3577) {
      let found = Color.rgb(step).reduced(to: .palette256)
      let best = candidates.map { distance($0.rgbValue, step) }.min() ?? 0
      #expect(distance(found.rgbValue, step) <= best + 200)
    }
  }

  @Test("the theme's fallback wins at 16 and 8 colours, and only there")
  func fallback() {
    let color = Color.rgb(0x61afef, fallback: 12)
    #expect(color.reduced(to: .trueColor) == color)
    #expect(color.reduced(to: .palette256) == .palette(75))
    #expect(color.reduced(to: .ansi16) == .ansi(12))
    #expect(color.reduced(to: .ansi8) == .ansi(4))
    #expect(color.reduced(to: .none) == .default)
  }

  @Test(
    "without a fallback the hue decides",
    arguments: [
      (0x61AFEF, 14), (0xE06C75, 1), (0x98C379, 2), (0xFFFF00, 11), (0x101010, 0), (0xFFFFFF, 15), (0x0000AA, 4),
      (0xE60000, 9), (0xE50000, 1),
    ] as [(UInt32, UInt8)])
  func hue(rgb: UInt32, number: UInt8) {
    #expect(Color.rgb(rgb).reduced(to: .ansi16) == .ansi(number))
    #expect(Color.rgb(rgb).reduced(to: .ansi8) == .ansi(number & 7))
  }

  @Test("the terminal's own colour and its palette stay what they are")
  func others() {
    for depth in ColorDepth.allCases { #expect(Color.default.reduced(to: depth) == .default) }
    #expect(Color.palette(200).reduced(to: .palette256) == .palette(200))
    #expect(Color.palette(196).reduced(to: .ansi16) == .ansi(9))
    #expect(Color.ansi(11).reduced(to: .ansi8) == .ansi(3))
    #expect(Color.rgb(1, 2, 3).kind == .rgb(red: 1, green: 2, blue: 3))
  }

  private func distance(_ left: UInt32, _ right: UInt32) -> Int {
    [16, 8, 0].map { shift in
      let difference = Int(left >> shift & 255) - Int(right >> shift & 255)
      return difference * difference
    }.reduce(0, +)
  }
}
