import Foundation
import PatchbayManual
import PatchbayTestSupport
import Testing

/// A page in which about everything stands that the manual uses of Markdown, and what becomes of it. With
/// `PATCHBAY_WRITE_SCREENS` set that is written anew; read the difference before it is committed.
@Suite(.bounded) struct WholePageTests {
  private func page() throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return try String(contentsOf: folder.appendingPathComponent("Whole/page.md"), encoding: .utf8)
  }

  @Test(arguments: [20, 40, 72]) func inLinesOfAWidth(_ width: Int) throws {
    let lines = ManualText(width: width, isStyled: true).lines(try page())
    let seen = lines.map { "|" + $0.replacing("\u{1B}[", with: "‹").replacing(/‹([0-9;]*)m/) { "‹\($0.1)›" } }
    try expectRecorded(seen.joined(separator: "\n") + "\n", "Whole/page.\(width)")
  }

  @Test func aPageIsNeverNarrowerThanTwentyColumns() throws {
    let page = try page()
    for width in [19, 1, 0, -5] {
      #expect(ManualText(width: width, isStyled: false).width == 20)
      #expect(
        ManualText(width: width, isStyled: false).lines(page) == ManualText(width: 20, isStyled: false).lines(page))
    }
    #expect(ManualText(width: 21, isStyled: false).width == 21)
  }

  @Test func inItsParts() throws {
    let seen = MarkdownBlock.blocks(of: try page()).map { block in
      switch block {
      case .heading(let level, let text): "heading \(level) ‹\(text)›"
      case .paragraph(let text): "paragraph ‹\(text)›"
      case .item(let mark, let depth, let text): "item ‹\(mark)› \(depth) ‹\(text)›"
      case .code(let language, let lines): "code ‹\(language)› \(lines)"
      case .table(let head, let rows): "table \(head) \(rows)"
      }
    }
    try expectRecorded(seen.joined(separator: "\n") + "\n", "Whole/page.blocks")
  }

  @Test(
    arguments: [
      ("", []), ("\n\n", []), ("a", [.paragraph("a")]), ("a\n", [.paragraph("a")]),
      ("a\n\nb", [.paragraph("a"), .paragraph("b")]),
      ("  a  \n   b ", [.paragraph("a b")]), ("# a", [.heading(level: 1, "a")]), ("#", [.heading(level: 1, "")]),
      ("a\n# b", [.paragraph("a"), .heading(level: 1, "b")]), ("# b\na", [.heading(level: 1, "b"), .paragraph("a")]),
      ("- a", [.item(mark: "-", depth: 0, "a")]), ("   - a", [.item(mark: "-", depth: 1, "a")]),
      ("12. a\nb", [.item(mark: "12.", depth: 0, "a b")]),
      ("a\n- b", [.paragraph("a"), .item(mark: "-", depth: 0, "b")]),
      ("١. a", [.paragraph("١. a")]), ("```\na", []), ("```\n```", [.code(language: "", [])]),
      ("a\n``` x y \nb\n\n```js\nc", [.paragraph("a"), .code(language: "x y", ["b", ""]), .paragraph("c")]),
      ("<!-- a -->\nb", [.paragraph("b")]), ("<!-- a\n# b\n-->\nc", [.paragraph("c")]), ("<!-- a", []),
      ("a\n<!-- x -->\nb", [.paragraph("a b")]), ("a\n![x](y)\nb", [.paragraph("a"), .paragraph("b")]),
      ("|a|b|\n|-|-|\n|c|d|", [.table(head: ["a", "b"], rows: [["c", "d"]])]),
      ("x\n| a |\n|-|\ny", [.paragraph("x"), .table(head: ["a"], rows: []), .paragraph("y")]),
      ("|a\\|b|\n|-|\n|c\\\\|d|", [.table(head: ["a|b"], rows: [["c\\|d"]])]), ("|a|", [.table(head: ["a"], rows: [])]),
    ] as [(String, [MarkdownBlock])])
  func small(_ page: String, _ blocks: [MarkdownBlock]) {
    #expect(MarkdownBlock.blocks(of: page) == blocks)
  }
}
