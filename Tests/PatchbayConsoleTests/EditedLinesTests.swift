import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct EditedLinesTests {
  /// About 60,000 lines, in many pieces.
  private static let long = (0..<60_000).map { "{\"id\": \($0), \"name\": \"花子\"}" }.joined(separator: "\n")

  @Test func longTextsAreCutAtTheirLines() {
    let lines = EditedLines(Self.long)
    #expect(lines.pieces.count > 30)
    #expect(lines.count == 60_000)
    #expect(lines[59_999] == "{\"id\": 59999, \"name\": \"花子\"}")
    #expect(lines.text == Self.long)
    #expect(lines.size == Self.long.utf8.count - 59_999)
    #expect(EditedLines(Self.long.replacing("\n", with: "\r\n")) == lines)
  }

  @Test func aVeryLongLineHasAPieceOfItsOwn() {
    let huge = String(repeating: "x", count: 300_000)
    for text in ["a\n\(huge)\nb", "\(huge)\n", "\n\(huge)", "a\nb\n\(huge)"] {
      let lines = EditedLines(text)
      #expect(lines.text == text)
      #expect(lines.pieces.contains { $0.text == huge && $0.count == 1 })
    }
  }

  /// Against plain text, at places in and between the pieces.
  @Test func whatIsPutInIsWhereItWasPut() {
    var generator = SplitMix(seed: 3)
    let line = "0123456789 日本語\n"
    var text = String(repeating: line, count: 20_000)
    var lines = EditedLines(text)
    let pieces = ["", "x", "two\nlines", String(repeating: "many\n", count: 30_000), "\n"]
    for _ in 0..<60 {
      func place() -> (TextEditor.Place, Int) {
        let number = Int(generator.next() % UInt64(lines.count))
        let offset = Int(generator.next() % UInt64(max(1, min(10, lines.size(of: number)))))
        let before = lines.part(.start..<TextEditor.Place(line: number, offset: 0)).text.utf8.count
        return (TextEditor.Place(line: number, offset: offset), before + offset)
      }
      let (one, other) = (place(), place())
      let (first, last) = one.0 < other.0 ? (one, other) : (other, one)
      // Most changes are small ones.
      let to = generator.next() % 4 == 0 ? last : first
      let new = pieces[Int(generator.next() % UInt64(pieces.count))]
      let from = text.utf8.index(text.startIndex, offsetBy: first.1)
      let stop = text.utf8.index(text.startIndex, offsetBy: to.1)
      #expect(lines.part(first.0..<to.0).text == String(text[from..<stop]))
      text.replaceSubrange(from..<stop, with: new)
      let end = lines.splice(first.0..<to.0, with: EditedLines(new))
      #expect(lines.part(first.0..<end).text == new)
      guard lines.text == text else { return #expect(Bool(false), "the texts differ") }
      #expect(lines.size == text.utf8.count - lines.count + 1)
      #expect(lines == EditedLines(text))
    }
  }

  @Test func textsOfOneLengthThatDifferAreNotTheSame() {
    let lines = EditedLines(Self.long)
    var other = lines
    func place(_ offset: Int) -> TextEditor.Place { .init(line: 40_000, offset: offset) }
    other.splice(place(2)..<place(3), with: EditedLines("X"))
    #expect(other != lines)
    #expect(other.size == lines.size)
    // What is written alike is not the same byte for byte.
    #expect(EditedLines("e\u{301}a") != EditedLines("\u{E9}ab"))
    #expect(EditedLines("\u{1112}\u{1161}\u{11AB}") != EditedLines("\u{D55C}"))
  }

  @Test func anOldTextIsPutBackAtTheCostOfAFewWords() {
    var editor = TextEditor(Self.long)
    let before = editor.lines
    editor.replaceAll(with: EditedLines("short"))
    editor.undo()
    #expect(editor.lines == before)
    let same = zip(editor.lines.pieces, before.pieces).filter { Self.address($0.0) == Self.address($0.1) }
    #expect(same.count == before.pieces.count)
  }

  private static func address(_ piece: TextPiece) -> UInt {
    piece.starts.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }

  private static func expect(
    _ found: (index: Int, count: Int)?, is wanted: (Int, Int), at location: SourceLocation = #_sourceLocation
  ) {
    #expect(found?.index == wanted.0 && found?.count == wanted.1, sourceLocation: location)
  }

  @Test func aPlaceIsFoundFromTheCursorOn() {
    var editor = TextEditor(Self.long)
    Self.expect(editor.find("\"花子\""), is: (0, 60_000))
    Self.expect(editor.find("\"花子\""), is: (1, 60_000))
    editor.move(to: .init(line: 50_000, offset: 0))
    Self.expect(editor.find("花子"), is: (50_000, 60_000))
    #expect(editor.cursor.line == 50_000)
    Self.expect(editor.find("花子", backward: true), is: (49_999, 60_000))
    editor.move(to: editor.end)
    Self.expect(editor.find("花"), is: (0, 60_000))
    Self.expect(editor.find("花", backward: true), is: (59_999, 60_000))
    #expect(editor.find("無い") == nil)
    #expect(editor.find("") == nil)
  }

  @Test func everyPlaceIsReplacedAndTheCursorStays() {
    var editor = TextEditor(Self.long)
    editor.move(to: .init(line: 30_000, offset: 5))
    #expect(editor.replaceAll("花子", with: "太郎さん") == 60_000)
    #expect(editor.cursor.line == 30_000)
    #expect(editor.text == Self.long.replacing("花子", with: "太郎さん"))
    editor.undo()
    #expect(editor.text == Self.long)
    #expect(editor.replaceAll("NAME", with: "") == 0)
  }
}

@Suite(.bounded) struct CharacterBorderTests {
  /// What is said to be sure is a border for the standard library, too.
  @Test func sureBordersAreBorders() {
    let scalars: [Unicode.Scalar] = [
      "a", "\u{301}", "é", "山", "か", "\u{3099}", "ｶ", "\u{FF9E}", "한", "\u{1112}", "\u{1161}", "👩", "\u{200D}", "👧",
      "🇩", "\u{FE0F}", "\u{AD}", "©", "ß", "Ж", "\u{483}", "。", "\u{302A}", "\t", "\u{600}", "\u{0E33}", "ก",
    ]
    for one in scalars {
      for other in scalars {
        let text = String(one) + String(other)
        let offset = String(one).utf8.count
        var copy = text
        let isSure = copy.withUTF8 { CharacterBorder.isSure($0, at: offset) }
        if isSure { #expect(text.isBorder(offset), "\(one) \(other)") }
      }
    }
    var japanese = "山田"
    #expect(japanese.withUTF8 { CharacterBorder.isSure($0, at: 3) })
  }
}
