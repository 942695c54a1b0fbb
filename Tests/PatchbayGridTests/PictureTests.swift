import Foundation
import PatchbayGrid
import PatchbayTestSupport
import Testing

@Suite("Pictures of a grid", .bounded)
struct PictureTests {
  @Test("each run is at its place, wide ones two cells a character, and hostile text is escaped")
  func svg() throws {
    var grid = Grid(width: 12, height: 2)
    grid.put("a<b&日本", at: Point(x: 1, y: 0), style: Style(foreground: .rgb(0x61afef)).bold)
    grid.put("x", at: Point(x: 0, y: 1), style: Style(background: .ansi(1)).reverse.underline)
    let svg = grid.svg()
    #expect(svg.contains("<text x=\"19\" y=\"25\" textLength=\"36\""))
    #expect(svg.contains(">a&lt;b&amp;</text>"))
    #expect(svg.contains("<text x=\"55\" y=\"25\" textLength=\"36\""))
    #expect(svg.contains("fill=\"#61afef\" font-weight=\"bold\">日本</text>"))
    #expect(svg.contains("text-decoration=\"underline\">x</text>"))
    #expect(svg.contains("<rect x=\"10\" y=\"30\" width=\"9\" height=\"20\" fill=\"#c8ccd4\""))
    #expect(svg.contains("width=\"128\" height=\"60\""))
    #expect(try XMLChecker.isWellFormed(svg))
  }

  @Test("each of the sixteen colours is the picture's own")
  func colours() {
    let colours = [
      "282c34", "e06c75", "98c379", "e5c07b", "61afef", "c678dd", "56b6c2", "abb2bf", "5c6370", "f0808a", "b1d196",
      "f0d399", "83c3f7", "d69be8", "7fcbd4", "ffffff",
    ]
    for (number, colour) in colours.enumerated() {
      var grid = Grid(width: 2, height: 1)
      grid.put("x", at: .zero, style: Style(foreground: .ansi(UInt8(number))))
      #expect(grid.svg().contains("fill=\"#\(colour)\">x</text>"), "\(number)")
    }
  }

  @Test("a line below nothing is drawn, nothing else of a blank is")
  func blanks() {
    var grid = Grid(width: 2, height: 1)
    #expect(!grid.svg().contains("<text"))
    grid.put(" ", at: .zero, style: Style.plain.underline)
    #expect(grid.svg().contains("text-decoration=\"underline\"> </text>"))
  }
}

/// Just enough of XML: tags are closed in order and nothing is left unescaped.
enum XMLChecker {
  static func isWellFormed(_ text: String) throws -> Bool {
    var open: [Substring] = []
    for part in text.split(separator: "<").dropFirst(text.hasPrefix("<") ? 0 : 1) {
      guard let end = part.firstIndex(of: ">") else { return false }
      let tag = part[..<end]
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else { return false }
      } else if !tag.hasSuffix("/") {
        open.append(tag.prefix { $0 != " " })
      }
    }
    return open.isEmpty
  }
}
