import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct EditedLinesTests {
  private static let long = (0..<20_000).map { "{\"id\": \($0), \"name\": \"花子\"}" }.joined(separator: "\n")

  @Test func aTextIsItsLinesAndBack() {
    let lines = EditedLines(Self.long)
    #expect(lines.count == 20_000)
    #expect(lines[19_999] == "{\"id\": 19999, \"name\": \"花子\"}")
    #expect(lines.text == Self.long)
    #expect(lines.textSize == Self.long.utf8.count)
    #expect(EditedLines(Self.long.replacing("\n", with: "\r\n")) == lines)
    for text in ["", "\n", "a\n", "\na", "\n\n"] { #expect(EditedLines(text).text == text) }
  }

  /// Against plain text.
  @Test func whatIsPutInIsWhereItWasPut() {
    var generator = SplitMix(seed: 3)
    var text = String(repeating: "0123456789 日本語\n", count: 50)
    var lines = EditedLines(text)
    let pieces = ["", "x", "two\nlines", String(repeating: "many\n", count: 30), "\n"]
    for _ in 0..<300 {
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
      #expect(lines.textSize == text.utf8.count)
      #expect(lines == EditedLines(text))
    }
  }

  @Test func textsOfOneLengthThatDifferAreNotTheSame() {
    let lines = EditedLines(Self.long)
    var other = lines
    func place(_ offset: Int) -> TextEditor.Place { .init(line: 10_000, offset: offset) }
    other.splice(place(2)..<place(3), with: EditedLines("X"))
    #expect(other != lines)
    #expect(other.textSize == lines.textSize)
    // What is written alike is not the same byte for byte.
    #expect(EditedLines("e\u{301}a") != EditedLines("\u{E9}ab"))
    #expect(EditedLines("\u{1112}\u{1161}\u{11AB}") != EditedLines("\u{D55C}"))
  }

  private static func expect(
    _ found: (index: Int, count: Int)?, is wanted: (Int, Int), at location: SourceLocation = #_sourceLocation
  ) {
    #expect(found?.index == wanted.0 && found?.count == wanted.1, sourceLocation: location)
  }

  @Test func aPlaceIsFoundFromTheCursorOn() {
    var editor = TextEditor(Self.long)
    Self.expect(editor.find("\"花子\""), is: (0, 20_000))
    Self.expect(editor.find("\"花子\""), is: (1, 20_000))
    editor.move(to: .init(line: 15_000, offset: 0))
    Self.expect(editor.find("花子"), is: (15_000, 20_000))
    #expect(editor.cursor.line == 15_000)
    editor.move(to: editor.end)
    Self.expect(editor.find("花"), is: (0, 20_000))
    #expect(editor.find("無い") == nil)
    #expect(editor.find("") == nil)
  }

  @Test func everyPlaceIsReplacedAndTheCursorStays() {
    var editor = TextEditor(Self.long)
    editor.move(to: .init(line: 3_000, offset: 5))
    #expect(editor.replaceAll("花子", with: "太郎さん") == 20_000)
    #expect(editor.cursor.line == 3_000)
    #expect(editor.text == Self.long.replacing("花子", with: "太郎さん"))
    editor.undo()
    #expect(editor.text == Self.long)
    #expect(editor.replaceAll("NAME", with: "") == 0)
  }

  @Test func aChangeBeyondTheLimitIsRefusedAndSaid() {
    var editor = TextEditor(String(repeating: "x", count: TextEditor.limit - 1))
    editor.insert("y")
    #expect(!editor.isFull)
    editor.insert("z")
    #expect(editor.isFull)
    #expect(editor.text.utf8.count == TextEditor.limit)
    #expect(editor.replaceAll("x", with: "xx") == 0)
    editor.deleteBackward()
    #expect(!editor.isFull)
    editor.undo()
    #expect(editor.text.hasPrefix("yx"))
  }
}
