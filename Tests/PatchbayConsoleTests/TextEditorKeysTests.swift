import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// The keys of a text field, beside a plainly right one.
@Suite(.bounded) struct TextEditorKeysTests {
  private static let letters = ["a", "B", "7", "_", "-", " ", "{", "[", "日", "👨‍👩‍👧", "é"]
  private static let moves = [
    "left", "right", "up", "down", "home", "end", "pgup", "pgdn", "ctrl-left", "ctrl-right", "alt-left", "alt-right",
    "alt-b", "alt-f", "ctrl-e", "ctrl-home", "ctrl-end",
  ]
  private static let selecting = [
    "shift-left", "shift-right", "shift-up", "shift-down", "shift-home", "shift-end", "shift-pgup", "shift-pgdn",
    "ctrl-shift-left", "ctrl-shift-right", "ctrl-a",
  ]
  private static let changes = [
    "backspace", "del", "ctrl-w", "alt-backspace", "ctrl-backspace", "ctrl-u", "ctrl-k", "ctrl-x", "ctrl-c", "ctrl-v",
    "ctrl-z", "ctrl-y", "ctrl-z", "ctrl-y", "enter",
  ]
  private static let others = ["f2", "esc", "tab", "ctrl-q", "alt-x", "ins", "super-a"]

  private static let texts = [
    "", "one", "  two words_7\n\n{\n    日本 x\n  [",
    "a\nbb\nccc\ndddd\neeeee\nffffff\ng\n\nlonger than the others, by far",
  ]

  /// The cursor as the number of characters before it.
  private func place(_ place: TextEditor.Place, in editor: TextEditor) -> Int {
    editor.text(in: .start..<place).count
  }

  @Test(arguments: [false, true], [1, 2, 3, 4, 5, 6, 7, 8])
  func everyKeyDoesAsInAPlainField(isSingleLine: Bool, seed: UInt64) throws {
    var generator = SplitMix(seed: seed)
    for text in Self.texts where !isSingleLine || !text.contains("\n") {
      var editor = TextEditor(text, singleLine: isSingleLine)
      var plain = PlainEditor(text, isSingleLine: isSingleLine, page: 3)
      var keys: [String] = []
      for _ in 0..<500 {
        let kind = generator.next() % 20
        let from =
          kind < 8
          ? Self.letters : kind < 12 ? Self.moves : kind < 15 ? Self.selecting : kind < 19 ? Self.changes : Self.others
        let key = try #require(from.randomElement(using: &generator))
        keys.append(key)
        let pressed = key.count == 1 ? Key(Character(key)) : try #require(Key(parsing: key))
        let isTaken = editor.handle(pressed, pageHeight: 3)
        let isMeant = plain.press(key)
        let last = "\(keys.suffix(12)), \(text.debugDescription)"
        try #require(editor.text == plain.text, "\(last)")
        try #require(isTaken == isMeant, "\(last)")
        try #require(place(editor.cursor, in: editor) == plain.now.cursor, "\(last)")
        try #require(editor.selectedText == plain.selectedText, "\(last)")
        try #require(editor.clipboard == plain.clipboard, "\(last)")
        try #require(editor.column == plain.column, "\(last)")
        try #require(editor.canUndo == plain.canUndo && editor.isTouched == plain.isTouched, "\(last)")
      }
    }
  }

  @Test func keysMoveATextsPageByTenLinesUnlessMoreIsSaid() {
    var editor = TextEditor((0..<30).map(String.init).joined(separator: "\n"))
    _ = editor.handle(Key(.pageDown))
    #expect(editor.cursor == .init(line: 10, offset: 0))
  }

  // MARK: Undo

  @Test func ofAThousandStepsTheOldestGo() {
    for (steps, kept) in [(1_999, 1_999), (2_000, 2_000), (2_001, 1_501), (2_002, 1_502)] {
      var editor = TextEditor("")
      for _ in 0..<steps { editor.insert("ab") }
      var count = 0
      while editor.canUndo {
        editor.undo()
        count += 1
      }
      #expect(count == kept && editor.text == String(repeating: "ab", count: steps - kept))
    }
  }

  /// Each of these keeps two megabytes, and 64 MB are kept.
  @Test func ofLargeStepsAsManyAreKeptAsHaveRoom() {
    let text = EditedLines(String(repeating: "x", count: TextEditor.limit))
    for (steps, kept) in [(31, 31), (32, 32), (33, 32), (40, 32)] {
      var editor = TextEditor(text.text)
      for _ in 0..<steps { editor.replaceAll(with: text) }
      var count = 0
      while editor.canUndo {
        editor.undo()
        count += 1
      }
      #expect(count == kept, "of \(steps)")
    }
  }

  @Test func ofStepsOfHalfThatSizeTwiceAsManyAreKept() {
    let text = EditedLines(String(repeating: "x", count: TextEditor.limit / 2))
    var editor = TextEditor(text.text)
    for _ in 0..<65 { editor.replaceAll(with: text) }
    var count = 0
    while editor.canUndo {
      editor.undo()
      count += 1
    }
    #expect(count == 64)
  }

  @Test func aTextThatIsTooLargeChangesButDoesNotGrow() {
    var editor = TextEditor(String(repeating: "x", count: TextEditor.limit + 9))
    editor.select(TextEditor.Place.start..<TextEditor.Place(line: 0, offset: 2))
    editor.insert("yz")
    #expect(!editor.isFull && editor.text.hasPrefix("yzx"))
    editor.deleteBackward()
    #expect(!editor.isFull && editor.lines.textSize == TextEditor.limit + 8)
    editor.insert("a")
    #expect(editor.isFull && editor.lines.textSize == TextEditor.limit + 8)
  }

  /// One that is larger is checked a moment after the last key.
  @Test(arguments: [(262_143, true), (262_144, true), (262_145, false)])
  func aTextOfAQuarterOfAMegabyteIsReadAtEachKey(_ count: Int, _ isQuick: Bool) {
    #expect(TextEditor(String(repeating: "x", count: count)).isQuick == isQuick)
  }

  @Test func whatIsPastedOrBrokenIsAStepOfItsOwn() {
    var editor = TextEditor("")
    for text in ["a", "b", "long", "c", "\n", "d", "e"] { editor.insert(text) }
    var texts: [String] = []
    while editor.canUndo {
      editor.undo()
      texts.append(editor.text)
    }
    #expect(texts == ["ablongc\n", "ablongc", "ablong", "ab", ""])
  }

  @Test func afterAnUndoNothingIsFull() {
    var editor = TextEditor(String(repeating: "x", count: TextEditor.limit - 1))
    editor.insert("y")
    for act in [{ $0.undo() }, { $0.redo() }, { $0.move(.left) }] as [(inout TextEditor) -> Void] {
      var full = editor
      full.insert("zz")
      #expect(full.isFull)
      act(&full)
      #expect(!full.isFull)
    }
  }

  // MARK: Places

  @Test func aPlaceBeyondTheTextIsTheNearest() {
    var editor = TextEditor("one\n日本\nlast")
    for (asked, found) in [
      ((-1, 2), (0, 2)), ((3, 2), (2, 2)), ((1, 7), (1, 6)), ((1, 4), (1, 3)), ((1, -1), (1, 0)), ((9, 9), (2, 4)),
    ] {
      editor.move(to: .init(line: asked.0, offset: asked.1))
      #expect(editor.cursor == .init(line: found.0, offset: found.1), "\(asked)")
    }
    for (asked, offset) in [((0, 0), 0), ((0, 9), 3), ((1, 1), 0), ((1, 2), 3), ((1, 3), 3), ((1, 4), 6), ((-3, 1), 1)]
    {
      #expect(editor.place(line: asked.0, column: asked.1).offset == offset, "\(asked)")
    }
    #expect(editor.place(line: 7, column: 1) == .init(line: 2, offset: 1))
  }

  /// Columns are bytes there, for counting cells takes longer than a key may.
  @Test func behindSixteenThousandBytesOfALineUpAndDownCountBytes() {
    let long = String(repeating: "日", count: 6_000)
    var editor = TextEditor(long + "\n" + long)
    editor.move(to: .init(line: 0, offset: 16_383))
    editor.move(.down)
    #expect(editor.cursor == .init(line: 1, offset: 16_383))
    editor.move(to: .init(line: 0, offset: 16_386))
    editor.move(.down)
    #expect(editor.cursor == .init(line: 1, offset: 16_386))
    #expect(editor.place(line: 0, column: TextEditor.longLine).offset == 18_000)
    #expect(editor.place(line: 0, column: TextEditor.longLine + 1).offset == 16_386)
  }

  @Test(arguments: [
    ("one two_3, 日本", 0, "one"), ("one two_3, 日本", 2, "one"), ("one two_3, 日本", 3, "one"),
    ("one two_3, 日本", 4, "two_3"), ("one two_3, 日本", 9, "two_3"), ("one two_3, 日本", 10, nil),
    ("one two_3, 日本", 14, "日本"), ("one two_3, 日本", 17, "日本"), ("", 0, nil), ("--", 1, nil),
  ])
  func theWordUnderTheCursorIsSelected(_ text: String, _ offset: Int, _ word: String?) {
    var editor = TextEditor("first\n" + text + "\nlast")
    editor.move(to: .init(line: 1, offset: offset))
    editor.selectWord()
    #expect(editor.selectedText == word)
    #expect(word == nil || editor.selection?.upperBound == editor.cursor)
  }

  @Test func offsetsThatAreSelectedInEachLine() {
    var editor = TextEditor("one\ntwo\n\nfour")
    #expect((0..<4).map { editor.selectedOffsets(in: $0) } == [nil, nil, nil, nil])
    editor.select(TextEditor.Place(line: 0, offset: 1)..<TextEditor.Place(line: 3, offset: 2))
    #expect((0..<4).map { editor.selectedOffsets(in: $0) } == [1..<3, 0..<3, 0..<0, 0..<2])
    editor.select(TextEditor.Place(line: 1, offset: 1)..<TextEditor.Place(line: 1, offset: 2))
    #expect((0..<4).map { editor.selectedOffsets(in: $0) } == [nil, 1..<2, nil, nil])
  }
}
