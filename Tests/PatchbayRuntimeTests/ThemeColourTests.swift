import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayRuntime

@Suite("The themes that come along", .bounded) struct ThemeColourTests {
  private static let coloured = ["colour-blind", "dark", "hanabi", "high-contrast", "light"]

  private func theme(_ name: String) throws -> Theme {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Themes")
    let path = folder.appendingPathComponent("\(name).yaml").standardizedFileURL.path
    return Theme(try ThemeFile.read(path, roles: ThemeRole.allCases.map(\.name)))
  }

  @Test("each is read at 24 bits and at 256 colours", arguments: coloured, [ColorDepth.trueColor, .palette256])
  func contrast(name: String, depth: ColorDepth) throws {
    let weak = try theme(name).reduced(to: depth).weakContrasts
    #expect(weak.map(\.description) == [])
  }

  /// What fills the screen, and what is seen at a glance.
  private func seen(_ theme: Theme) -> [Color] {
    [
      theme[.text].background, theme[.header].background, theme[.selection].background, theme[.brand].foreground,
      theme[.success].foreground, theme[.failure].foreground,
    ]
  }

  @Test("any two look different at 256 colours: the background, or most of what stands out") func apart() throws {
    let themes = try Self.coloured.map { ($0, try theme($0).reduced(to: .palette256)) }
    for (place, one) in themes.enumerated() {
      for other in themes[(place + 1)...] {
        let distances = zip(seen(one.1), seen(other.1)).map(Lab.distance)
        // 2 is what an eye can just tell side by side; 20 is another colour.
        #expect(
          distances[0] > 40 || distances.filter { $0 > 20 }.count >= 3, "\(one.0) and \(other.0): \(distances)")
      }
    }
  }

  @Test("a colour of the 256 that a theme names stands for its own there, and nowhere else") func named() throws {
    let text =
      "name: x\ncolors:\n  back: { rgb: \"#17132b\", palette: 17, ansi: 4 }\nroles:\n  text: { fg: white, bg: back }\n"
    let theme = Theme(try ThemeFile.parse(text, path: "x.yaml", roles: ThemeRole.allCases.map(\.name)))
    #expect(theme[.dim].background.rgbValue == 0x17132B)
    #expect(theme.reduced(to: .palette256)[.dim].background == .palette(17))
    #expect(theme.reduced(to: .ansi16)[.dim].background == .ansi(4))
    #expect(throws: FilesError.self) {
      try ThemeFile.parse(text.replacing("palette: 17", with: "palette: 3"), path: "x.yaml", roles: ["text"])
    }
  }

  @Test("the built-in one is the file of its name") func builtIn() throws {
    let file = try theme("dark")
    for depth in [ColorDepth.trueColor, .palette256, .ansi16] {
      for role in ThemeRole.allCases {
        #expect(file.reduced(to: depth)[role] == Theme.builtIn.reduced(to: depth)[role], "\(role) at \(depth)")
      }
    }
  }
}

/// CIE 1976 L*a*b* (D65), where a distance is about what an eye sees.
private enum Lab {
  static func distance(_ one: Color, _ other: Color) -> Double {
    zip(values(one), values(other)).map { pow($0 - $1, 2) }.reduce(0, +).squareRoot()
  }

  private static func values(_ color: Color) -> [Double] {
    let rgb = [16, 8, 0].map { (shift: UInt32) -> Double in
      let value = Double(color.rgbValue >> shift & 255) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    func f(_ weights: [Double]) -> Double {
      let sum = zip(weights, rgb).map(*).reduce(0, +)
      return sum > 0.008856 ? cbrt(sum) : 7.787 * sum + 16 / 116
    }
    let x = f([0.43391, 0.37622, 0.18991])
    let y = f([0.2126, 0.7152, 0.0722])
    let z = f([0.01773, 0.10947, 0.87300])
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
  }
}
