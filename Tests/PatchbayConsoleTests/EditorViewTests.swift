import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// What of a text is seen, where, and in which colours.
@Suite(.bounded) struct EditorViewTests {
  private let theme = Theme.builtIn

  private func drawn(_ view: EditorView, _ width: Int, _ height: Int) -> Grid {
    var grid = Grid(Size(width: width, height: height))
    grid.fill(style: theme[.text])
    view.draw(on: &grid)
    return grid
  }

  private func editor(_ text: String, _ line: Int, _ offset: Int) -> TextEditor {
    var editor = TextEditor(text)
    editor.move(to: .init(line: line, offset: offset))
    return editor
  }

  private static let twenty = (0..<20).map { "line \($0)" }.joined(separator: "\n")

  @Test(arguments: [
    (5, 0, 0), (5, 2, 0), (5, 3, 1), (5, 10, 8), (5, 16, 14), (5, 17, 15), (5, 19, 15), (4, 1, 0), (4, 3, 1),
    (4, 19, 16),
    (1, 7, 7), (30, 19, 0),
  ])
  func theCursorsLineStandsInTheMiddle(_ height: Int, _ line: Int, _ top: Int) {
    let editor = editor(Self.twenty, line, 3)
    let grid = drawn(EditorView(editor: editor, theme: theme), 12, height)
    let seen = (0..<height).map { String(grid.lines[$0].dropFirst().prefix(7)) }
    for (row, text) in seen.enumerated() {
      #expect(text.split(separator: " ").joined(separator: " ") == (top + row < 20 ? "line \(top + row)" : ""))
    }
    #expect(grid.cursor == Point(x: 4, y: line - top))
    // Without the keys it is seen from the top, and has no cursor.
    let idle = drawn(EditorView(editor: editor, theme: theme, hasKeys: false), 12, height)
    #expect(idle.cursor == nil && idle.lines[0].hasPrefix(" line 0"))
    // A click meets what is seen.
    for y in -1..<height {
      let there = EditorView.place(at: Point(x: 3, y: y), in: editor, height: height, width: 12, hadKeys: true)
      #expect(there == .init(line: min(19, top + max(0, y)), offset: 2))
      let first = EditorView.place(at: Point(x: 1, y: y), in: editor, height: height, width: 12, hadKeys: false)
      #expect(first == .init(line: min(19, max(0, y)), offset: 0))
    }
  }

  @Test(
    arguments: [(20, 0, [0]), (20, 10, [2]), (20, 19, [4]), (6, 0, [0, 1, 2, 3]), (5, 4, [])] as [(Int, Int, [Int])])
  func whichPartOfTheTextIsSeenStandsAtTheRight(_ count: Int, _ line: Int, _ rows: [Int]) {
    let text = (0..<count).map { "line \($0)" }.joined(separator: "\n")
    let grid = drawn(EditorView(editor: editor(text, line, 0), theme: theme), 12, 5)
    #expect((0..<5).filter { grid[Point(x: 11, y: $0)]?.scalar == "┃" } == rows)
  }

  @Test func aLongLineIsShiftedUntilTheCursorIsSeen() {
    let text = "0123456789abcdefghij"
    for offset in 0...20 {
      let shift = max(0, offset - 8)
      let editor = editor(text + "\nABCDEFGHIJKLMN", 0, offset)
      let grid = drawn(EditorView(editor: editor, theme: theme), 12, 2)
      #expect(grid.lines[0] == " " + text.dropFirst(shift).prefix(10))
      #expect(grid.lines[1].drop { $0 == " " } == "ABCDEFGHIJKLMN".dropFirst(shift).prefix(10))
      #expect(grid.cursor == Point(x: 1 + offset - shift, y: 0))
      for x in 0..<12 {
        let place = EditorView.place(at: Point(x: x, y: 0), in: editor, height: 2, width: 12, hadKeys: true)
        #expect(place == .init(line: 0, offset: min(20, max(0, x - 1 + shift))))
        let idle = EditorView.place(at: Point(x: x, y: 0), in: editor, height: 2, width: 12, hadKeys: false)
        #expect(idle == .init(line: 0, offset: max(0, x - 1)))
      }
    }
    let idle = drawn(EditorView(editor: editor(text, 0, 20), theme: theme, hasKeys: false), 12, 1)
    #expect(idle.lines == [" 0123456789"] && idle.cursor == nil)
  }

  @Test func farFromItsBeginningALineIsSeenAsAnyOther() {
    let text = String((0..<300).map { Character("\($0 % 10)") })
    let grid = drawn(EditorView(editor: editor(text, 0, 300), theme: theme), 12, 1)
    #expect(grid.lines[0] == " " + text.suffix(8))
    #expect(grid.cursor == Point(x: 9, y: 0))
  }

  @Test func wideLettersThatAreCutAtTheEdgeLeaveABlank() {
    // Shifted by three cells: the second letter has lost its left half.
    let grid = drawn(EditorView(editor: editor("日本語文字x", 0, 15), theme: theme), 11, 1)
    #expect(grid.cursor == Point(x: 1 + 10 - 3, y: 0))
    #expect(grid.lines[0].hasSuffix("語文字x") && !grid.lines[0].contains("本"), "\(grid.lines)")
  }

  // MARK: Very long lines

  /// What is seen of it lies around the cursor: two thirds of the room before it.
  @Test func ofAVeryLongLineAPartAroundTheCursorIsSeen() throws {
    let long = String((0..<20_000).map { Character(UnicodeScalar(UInt8(0x61 + $0 % 26))) })
    func letters(_ range: Range<Int>) -> String { String(long.dropFirst(range.lowerBound).prefix(range.count)) }
    for (offset, from) in [(0, 0), (10, 0), (20, 0), (21, 1), (9_000, 8_980), (20_000, 19_980)] {
      let editor = editor("short\n" + long, 1, offset)
      let grid = drawn(EditorView(editor: editor, theme: theme), 32, 3)
      #expect(grid.lines[1] == " " + letters(from..<min(20_000, from + 30)), "\(offset)")
      #expect(grid.cursor == Point(x: 1 + offset - from, y: 1))
      let clicked = EditorView.place(at: Point(x: 9, y: 1), in: editor, height: 3, width: 32, hadKeys: true)
      #expect(clicked.line == 1 && clicked.offset == from + 8, "a click is where it is seen")
    }
    // What is selected of it is seen.
    var selecting = editor("短い\n" + String(repeating: "文字", count: 9_000), 1, 9_000)
    selecting.move(.left, selecting: true)
    let marked = drawn(EditorView(editor: selecting, theme: theme), 32, 2)
    let cursor = try #require(marked.cursor)
    #expect(marked[cursor]?.style == theme[.selectedText] && marked[cursor.moved(x: -1)]?.style != theme[.selectedText])
    // Beside a line that is scrolled it is scrolled, too.
    let beside = editor(String(repeating: "s", count: 100) + "\n" + long, 0, 100)
    let grid = drawn(EditorView(editor: beside, theme: theme), 32, 2)
    let shift = 100 - 30 + 2
    #expect(grid.lines[1] == " " + letters(shift - 20..<shift + 10))
    let idle = drawn(EditorView(editor: beside, theme: theme, hasKeys: false), 32, 2)
    #expect(idle.lines[1] == " " + letters(0..<30))
    // The longest that is drawn as any other.
    let longest = String(long.prefix(TextEditor.longLine))
    let usual = drawn(EditorView(editor: editor(longest, 0, TextEditor.longLine), theme: theme), 32, 1)
    #expect(usual.cursor == Point(x: 29, y: 0))
    let place = EditorView.place(
      at: Point(x: 29, y: 0), in: editor(longest, 0, TextEditor.longLine), height: 1, width: 32, hadKeys: true)
    #expect(place.offset == TextEditor.longLine)
  }

  @Test(arguments: [(16_384, 5), (16_385, 5)])
  func aClickMeetsALetterHoweverLongTheLineIs(_ count: Int, _ offset: Int) {
    let editor = editor(String(repeating: "x", count: count), 0, 0)
    let place = EditorView.place(at: Point(x: 6, y: 0), in: editor, height: 1, width: 30, hadKeys: true)
    #expect(place == .init(line: 0, offset: offset))
  }

  // MARK: Colours

  /// For each cell of the row a letter for its style.
  private func looks(_ grid: Grid, _ row: Int = 0) -> String {
    let styles: [(String, Style)] = [
      (".", theme[.text]), ("s", theme[.selectedText]), ("M", theme[.error, on: .text].reverse),
      ("k", theme[.key, on: .text]), ("t", theme[.string, on: .text]), ("n", theme[.number, on: .text]),
      ("l", theme[.literal, on: .text]), ("p", theme[.punctuation, on: .text]),
    ]
    return (0..<grid.width).map { x in
      styles.first { $0.1 == grid[Point(x: x, y: row)]?.style }?.0 ?? "?"
    }.joined()
  }

  @Test func whatIsSelectedAndWhatIsWrongStandsOut() {
    var editor = editor("{\"a\": [1, true]}\n\tb", 0, 0)
    let json = EditorView(editor: editor, theme: theme, isJSON: true)
    #expect(looks(drawn(json, 20, 2)) == ".pkkkp.pnp.llllpp...")
    #expect(looks(drawn(EditorView(editor: editor, theme: theme), 20, 2)) == "....................")
    var wrong = json
    wrong.mistake = SourcePosition(line: 1, column: 8)
    #expect(looks(drawn(wrong, 20, 2)) == ".pkkkp.pMp.llllpp...")
    wrong.mistake = SourcePosition(line: 1, column: 17)
    #expect(looks(drawn(wrong, 20, 2)) == ".pkkkp.pnp.llllppM..")
    wrong.mistake = SourcePosition(line: 2, column: 1)
    #expect(looks(drawn(wrong, 20, 2), 0) == ".pkkkp.pnp.llllpp...")
    #expect(looks(drawn(wrong, 20, 2), 1).hasPrefix(".M"))
    editor.select(TextEditor.Place(line: 0, offset: 2)..<TextEditor.Place(line: 1, offset: 1))
    let selected = EditorView(editor: editor, theme: theme, isJSON: true)
    #expect(looks(drawn(selected, 20, 2), 0) == ".pkssssssssssssss...")
    #expect(looks(drawn(selected, 20, 2), 1).hasPrefix(".sl."))
    #expect(drawn(selected, 20, 2).lines[1] == " →b")
    let idle = EditorView(editor: editor, theme: theme, isJSON: true, hasKeys: false)
    #expect(looks(drawn(idle, 20, 2)) == ".pkkkp.pnp.llllpp...")
  }

  @Test func whatIsWrongInAnEmptyLineStandsOut() {
    var view = EditorView(editor: editor("{\n\n", 0, 0), theme: theme, isJSON: true)
    view.mistake = SourcePosition(line: 2, column: 1)
    #expect((0..<3).map { looks(drawn(view, 6, 3), $0) } == [".p....", ".M....", "......"])
  }

  @Test(arguments: [
    (#"{"a": "b\"c", "n" : -1.5e+3}"#, "pkkk" + "p.ssssssp.kkk.p.nnnnnnnp"), (#""abc"#, "ssss"), (#""a\"#, "sss"),
    (#""a\""#, "ssss"), (#""a\\":1"#, "kkkkkpn"), (#""a""#, "sss"), (#""a"  "#, "sss.."), (#""a" x:"#, "sss.lp"),
    ("[true,null ,x]", "pllllpllll.plp"), ("日1", "...n"), ("1E9,2-+.", "nnnpnnnn"), ("A_z{", "..lp"), ("", ""),
    ("\t[\u{7F}]", ".p.p"), ("false", "lllll"), ("abz", "lll"), ("0.5,10", "nnnpnn"), ("9:0", "npn"),
  ])
  func coloursOfALineOfJSON(_ line: String, _ expected: String) {
    #expect(letters(of: line) == expected)
  }

  private func letters(of line: String) -> String {
    var letters = [Character](repeating: ".", count: line.utf8.count)
    let names: [ThemeRole: Character] = [.key: "k", .string: "s", .number: "n", .literal: "l", .punctuation: "p"]
    for (range, role) in JSONColors.roles(of: line) { for place in range { letters[place] = names[role] ?? "?" } }
    return String(letters)
  }

  @Test func onlyTheFirstFourThousandBytesAreColoured() {
    let roles = JSONColors.roles(of: String(repeating: "1", count: 5_000))
    #expect(roles.map(\.0) == [0..<4_096])
  }

  @Test(arguments: [
    ("abc", 1, 0..<1), ("abc", 3, 2..<3), ("abc", 4, 3..<3), ("abc", 9, 3..<3), ("abc", 0, 0..<1), ("日本", 2, 3..<6),
    ("e\u{301}x", 1, 0..<3), ("e\u{301}x", 2, 0..<3), ("e\u{301}x", 3, 3..<4), ("", 1, 0..<0), ("👩‍👧b", 2, 0..<11),
  ])
  func theLetterAtAPositionOfScalars(_ line: String, _ column: Int, _ expected: Range<Int>) {
    #expect(EditorView.offsets(of: SourcePosition(line: 1, column: column), in: line) == expected)
  }
}
