import CNcurses
import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayTerminal

/// What is decided about a terminal without one.
@Suite("Terminals by their names, and cells for ncurses", .bounded)
struct TerminalValueTests {
  @Test(
    "which types have no colour",
    arguments: [
      ("vt100", true), ("vt220", true), ("xterm-m", true), ("xterm-mono", true), ("linux", true),
      ("linux-16color", true),
      ("ansi", true), ("cons25", true), ("xterm", false), ("xterm-256color", false), ("tmux", false), ("screen", false),
      ("linuxish", false), ("ansi-m2", false), ("xvt", false), ("cons25w", false), ("mono", false), ("foot", false),
    ])
  func colourless(_ type: String, _ expected: Bool) {
    #expect(TerminalType.isColourless(type) == expected)
  }

  @Test("each cell has its scalar, up to four marks, and its attributes")
  func cells() {
    var grid = Grid(Size(width: 8, height: 1))
    let marks: [Unicode.Scalar] = ["\u{301}", "\u{302}", "\u{303}", "\u{304}", "\u{305}"]
    for count in 0...5 {
      var text = "e"
      text.unicodeScalars.append(contentsOf: marks.prefix(count))
      grid.put(text, at: Point(x: count, y: 0), style: count % 2 == 0 ? .plain : Style.plain.bold.underline)
    }
    grid.put("日", at: Point(x: 6, y: 0), style: Style(foreground: .ansi(3)).reverse)
    var pairs = ColorPairs(limit: .none)
    #expect(pairs.depth == .none && !pairs.hasOverflowed)
    var cells: [patchbay_cell] = []
    pairs.append(grid.runCells(GridDiff.Run(row: 0, columns: 0..<8), width: 8), to: &cells)
    let seen = cells.map { [$0.scalars.0, $0.scalars.1, $0.scalars.2, $0.scalars.3, $0.scalars.4, $0.attributes] }
    #expect(
      seen == [
        [0x65, 0, 0, 0, 0, 0], [0x65, 0x301, 0, 0, 0, 9], [0x65, 0x301, 0x302, 0, 0, 0],
        [0x65, 0x301, 0x302, 0x303, 0, 9], [0x65, 0x301, 0x302, 0x303, 0x304, 0],
        [0x65, 0x301, 0x302, 0x303, 0x304, 9], [0x65E5, 0, 0, 0, 0, 16],
      ])
    #expect(cells.allSatisfy { $0.pair == 0 })
  }
}
