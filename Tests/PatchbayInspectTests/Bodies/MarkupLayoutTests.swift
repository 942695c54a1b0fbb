import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

/// XML and HTML in lines: where they end, and what belongs together.
@Suite(.bounded) struct MarkupLayoutTests {
  private static func laidOut(_ text: String) -> MarkupLayout {
    var layout = MarkupLayout(Data(text.utf8))
    layout.layOutAll()
    return layout
  }

  private static func all(_ text: String) -> [BodyLine] {
    let layout = laidOut(text)
    return layout.lines(0..<layout.lineCount)
  }

  private static func lines(_ text: String) -> [String] {
    all(text).map { String(repeating: "  ", count: $0.indent) + $0.text }
  }

  @Test(arguments: [(399, 1), (400, 1), (401, 3)]) func aShortTextStaysBetweenItsTags(_ length: Int, _ count: Int) {
    #expect(Self.laidOut("<a>" + String(repeating: "x", count: length) + "</a>").lineCount == count)
  }

  /// One line where the end is of that name, in whatever case, and the text has no line end within.
  @Test(arguments: [
    ("<a>t</a>", 1), ("<A>t</a>", 1), ("<Z>t</z>", 1), ("<b>t</B>", 1), ("<a>\n t \n</a>", 1), ("<a></a>", 1),
    ("<a>t</ab>", 3), ("<ab>t</a>", 3), ("<a>t</b>", 3), ("<a@>t</a`>", 3), ("<a[>t</a{>", 3), ("<a>t\nu</a>", 4),
  ])
  func tagsOfOneNameBelongTogether(_ text: String, _ count: Int) {
    #expect(Self.laidOut(text).lineCount == count)
  }

  /// 2,000 bytes stand on a line, and what fills one goes on in no other.
  @Test(arguments: [
    (1_999, [1_999]), (2_000, [2_000]), (2_001, [2_000, 1]), (4_000, [2_000, 2_000]), (4_001, [2_000, 2_000, 1]),
  ])
  func longTextsAreCut(_ length: Int, _ pieces: [Int]) {
    let text = String(repeating: "x", count: length)
    for document in [
      text, "<a>\(text)<b/></a>", "<a>\(text)\n<b/></a>", "<script>\(text)</script>", "<script>\n\(text)\n</script>",
      "<style>\(text)</style>", "<style>\n\(text)\ny\n</style>",
    ] {
      let lines = Self.all(document)
      let (cut, others) = (lines.filter { $0.text.contains("x") }, lines.filter { !$0.text.contains("x") })
      #expect(cut.map(\.text.utf8.count) == pieces, "\(document.prefix(9))")
      #expect(cut.map(\.continues) == pieces.indices.map { $0 > 0 }, "\(document.prefix(9))")
      #expect(others.allSatisfy { !$0.continues && !$0.text.isEmpty }, "\(document.prefix(9))")
    }
  }

  /// The sign that ends one begins at most where its line is full.
  @Test(arguments: [(2_002, [2_002]), (2_003, [2_000, 3]), (2_004, [2_000, 4]), (4_003, [2_000, 2_000, 3])])
  func longCommentsAreCut(_ length: Int, _ pieces: [Int]) {
    for (open, close) in [("<!--", "-->"), ("<![CDATA[", "]]>")] {
      let inner = String(repeating: "x", count: length - open.utf8.count - close.utf8.count)
      let lines = Self.all("<a>\(open)\(inner)\(close)</a>").dropFirst().dropLast()
      #expect(lines.map(\.text.utf8.count) == pieces && lines.map(\.continues) == pieces.indices.map { $0 > 0 })
      let full = open + String(repeating: "x", count: 2_000 - open.utf8.count)
      let two = Self.all("<a>\(full)\n \(close)</a>").dropFirst().dropLast()
      #expect(two.map(\.text) == [full, close] && two.allSatisfy { !$0.continues })
    }
  }

  @Test(arguments: [
    (2_000, [2_000]), (2_001, [2_000, 1]), (2_002, [2_000, 2]), (4_000, [2_000, 2_000]), (4_001, [2_000, 2_000, 1]),
  ])
  func longTagsAreCut(_ length: Int, _ pieces: [Int]) {
    let lines = Self.all("<a b='\(String(repeating: "x", count: length - 8))'>t<c/></a>")
    #expect(lines.map(\.text.utf8.count) == pieces + [1, 4, 4])
    #expect(lines.map(\.continues) == pieces.indices.map { $0 > 0 } + [false, false, false])
    #expect(lines[0].opens && lines[pieces.count].indent == 1)
    var kinds: [BodyLine.Kind] = pieces.last == 1 ? [.tag] : [.attribute, .tag]
    if pieces.count == 1 { kinds.insert(.tag, at: 0) }
    #expect(lines[pieces.count - 1].runs.map(\.kind) == kinds)
  }

  @Test func anyWhiteSpacePartsIt() {
    #expect(Self.lines("\t<a>\r\n\t<b/>\u{0B}\u{0C}\r\n</a>\r\n") == ["<a>", "  <b/>", "</a>"])
  }

  @Test(arguments: [
    ("<a\tb='1'\tc='2'/>", "<a b='1' c='2'/>"), ("<a\rb='1'\rc='2'/>", "<a b='1' c='2'/>"),
    ("<a\n  b='1'\r\n  c='2'/>", "<a b='1' c='2'/>"), ("<a b='1'  c='2'/>", "<a b='1'  c='2'/>"),
  ])
  func attributesStandOnOneLine(_ text: String, _ line: String) {
    #expect(Self.lines(text) == [line])
  }

  @Test func aCutAttributeGoesOnWithoutABlank() {
    let lines = Self.lines("<a b='\(String(repeating: "x", count: 3_000))'\n  c='2'/>")
    let (first, second) = (String(repeating: "x", count: 1_994), String(repeating: "x", count: 1_006))
    #expect(lines == ["<a b='\(first)", "\(second)' c='2'/>"])
  }

  @Test func scriptsAndStylesAreToldInAnyCase() {
    #expect(
      Self.lines("<SCRIPT>if (\"<b>\") {}</SCRIPT><Style>a<b>{}</sTYLE>") == [
        "<SCRIPT>", "  if (\"<b>\") {}", "</SCRIPT>", "<Style>", "  a<b>{}", "</sTYLE>",
      ])
  }

  /// A `>` in quotes ends no tag, unless the quotes are never closed.
  @Test(arguments: ["<a b=\"x>text</a>", "<a b='>' c=\"'>\">t</a>", "<a b='\">'>t</a>"])
  func quotesAreMindedWhereTheyClose(_ text: String) {
    #expect(Self.lines(text) == [text])
  }

  /// Every 64th line is noted with what it stands in.
  @Test func linesInTheMidstOfAnythingAreFoundByThemselves() {
    let many = (0..<150).map { "line \($0) <b>" }.joined(separator: "\n")
    let long = String(repeating: "x", count: 300_000)
    for document in [
      "<script>\(many)</script>", "<style>\(many)</style>", "<!--\(many)-->", "<![CDATA[\(many)]]>", "<p>\(long)</p>",
      "<p a='\(long)'/>", "<!--\(long)-->", "<script>\(long)</script>",
    ] {
      let layout = Self.laidOut(document)
      let all = layout.lines(0..<layout.lineCount)
      #expect(all.count >= 150, "\(document.prefix(9))")
      for start in [64, 65, 130] {
        #expect(layout.lines(start..<start + 3) == Array(all[start..<start + 3]), "\(document.prefix(9)) from \(start)")
      }
    }
  }
}
