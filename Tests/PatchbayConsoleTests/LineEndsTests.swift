import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct LineEndsTests {
  /// Text as it was, what the lines are made to be, and what goes out.
  @Test(arguments: [
    ("a\r\nb\r\nc", ["a", "b", "c"], "a\r\nb\r\nc"),
    ("a\r\nb\r\nc", ["a", "x", "c"], "a\r\nx\r\nc"),
    ("a\r\nb\nc", ["a", "new", "b", "c"], "a\r\nnew\r\nb\nc"),
    ("a\r\nb\nc\r\n", ["a", "c", ""], "a\r\nc\r\n"),
    ("a\r\nb\nc\r\n", ["c", ""], "c\r\n"),
    ("a\rb", ["a", "b", "c"], "a\rb\rc"),
    ("a\nb", ["a", "c"], "a\nc"),
    ("a\r\n", ["a"], "a"),
    ("\r\n\r\n", ["", "é", ""], "\r\né\r\n"),
    ("plain", ["a", "b"], "a\nb"),
    ("a\r\nb\nc", ["a", "x", "c"], "a\r\nx\nc"),
    ("a\nb\r\nc\rd", ["a", "x", "y", "z", "d"], "a\nx\r\ny\rz\rd"),
    ("a\rb\nc", ["new", "a", "b", "c"], "new\ra\rb\nc"),
    // Of lines that are alike the first ones stay.
    ("x\nx\r\nx\ny", ["x", "x", "y"], "x\nx\r\ny"),
  ])
  func whatWasNotTouchedGoesOutByteForByte(_ text: String, _ lines: [String], _ expected: String) {
    #expect(Array(LineEnds(text).text(EditedLines(lines.joined(separator: "\n"))).utf8) == Array(expected.utf8))
  }

  @Test func theEditorsLinesGiveTheTextBack() {
    for text in ["a\r\n\r\nb\n\rc\r", "\r\r\n", "日本\r\n語", "\r\ne\u{301}\r\n"] {
      #expect(Array(LineEnds(text).text(TextEditor.split(text, singleLine: false)).utf8) == Array(text.utf8))
    }
  }
}
