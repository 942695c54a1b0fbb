import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// Searching in texts: where it is found, and which one is next.
@Suite(.bounded) struct TextNeedleTests {
  @Test(
    "places in UTF-8",
    arguments: [
      ("a", "abcabA", [0..<1, 3..<4, 5..<6]), ("A", "abcabA", [5..<6]), ("ab", "ABab", [0..<2, 2..<4]),
      ("aa", "aaaaa", [0..<2, 2..<4]), ("", "abc", []), ("abc", "ab", []), ("abc", "abc", [0..<3]),
      ("bc", "abc", [1..<3]), ("x", "abc", []), ("é", "aéÉ", [1..<3]), ("É", "aéÉ", [3..<5]),
      ("日", "a日本日", [1..<4, 7..<10]), ("本", "日本", [3..<6]), ("[", "{[", [1..<2]), ("@", "`@", [1..<2]),
      ("{", "[{", [1..<2]), ("z", "Zz", [0..<1, 1..<2]),
      ("ba", "BAba", [0..<2, 2..<4]), ("az", "AZaz", [0..<2, 2..<4]), ("1", "１1", [3..<4]),
      // Not a part of what is one character.
      ("e", "e\u{301}e", [3..<4]), ("\n", "\r\n\n", [2..<3]), ("👩", "👩‍👧👩", [11..<15]),
    ] as [(String, String, [Range<Int>])])
  func places(_ wanted: String, _ text: String, _ expected: [Range<Int>]) {
    #expect(TextNeedle(wanted).ranges(in: text) == expected)
    #expect(TextNeedle(wanted).isEmpty == wanted.isEmpty)
  }

  @Test("of parts of a character, where they are wanted")
  func parts() {
    #expect(TextNeedle("e").ranges(in: "e\u{301}e", parts: true) == [0..<1, 3..<4])
  }

  /// What is selected after each search, and which of how many it is.
  private func found(_ editor: inout TextEditor, _ text: String) -> String {
    guard let hit = editor.find(text) else { return "none" }
    return "\(hit.index) of \(hit.count) at \(editor.cursor.line):\(editor.cursor.offset) \(editor.selectedText ?? "-")"
  }

  @Test("the next one is behind the cursor, then the one after it, and from the top again at the end")
  func next() {
    var editor = TextEditor("日本 x\nx 日本\n日本日本")
    editor.move(to: .init(line: 0, offset: 0))
    #expect(
      (0..<5).map { _ in found(&editor, "日本") } == [
        "0 of 4 at 0:6 日本", "1 of 4 at 1:8 日本", "2 of 4 at 2:6 日本", "3 of 4 at 2:12 日本", "0 of 4 at 0:6 日本",
      ])
    #expect(found(&editor, "none") == "none")
    #expect(editor.selectedText == "日本", "what is not found changes nothing")
    for (line, offset, expected) in [(0, 0, 0), (0, 3, 1), (1, 2, 1), (1, 5, 2), (2, 0, 2), (2, 6, 3), (2, 9, 0)] {
      editor.move(to: .init(line: line, offset: offset))
      #expect(editor.find("日本")?.index == expected, "from \(line):\(offset)")
    }
    // What is selected by hand and begins there is not found again.
    editor.selectAll()
    #expect(editor.find("日本")?.index == 1)
  }

  @Test("all of them are replaced as one change, with the cursor in its line")
  func replacing() {
    var editor = TextEditor("one two\nTwo\ntwo two")
    editor.move(to: .init(line: 2, offset: 3))
    #expect(editor.replaceAll("two", with: "二") == 4)
    #expect(editor.text == "one 二\n二\n二 二" && editor.cursor == .init(line: 2, offset: 0))
    #expect(editor.replaceAll("Two", with: "x") == 0)
    editor.undo()
    #expect(editor.text == "one two\nTwo\ntwo two")
    #expect(editor.replaceAll("Two", with: "") == 1)
    #expect(editor.text == "one two\n\ntwo two")
    // Where lines go, the cursor is in the last that there is.
    editor.move(to: .init(line: 2, offset: 3))
    var shorter = editor
    let isDone = shorter.replaceAll(with: TextEditor.split("one\ntwo", singleLine: false))
    #expect(isDone && shorter.cursor == .init(line: 1, offset: 0))
  }
}
