import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct TextEditorTests {
  @Test func aFamilyIsOneStep() {
    var editor = TextEditor("a👨‍👩‍👧e\u{301}山", singleLine: true)
    editor.move(.left)
    editor.deleteBackward()
    #expect(editor.text == "a👨‍👩‍👧山")
    editor.deleteBackward()
    #expect(editor.text == "a山")
  }

  @Test func columnsCountWideCharactersTwice() {
    var editor = TextEditor("日本x", singleLine: true)
    #expect(editor.column == 5)
    editor.move(.left)
    #expect(editor.column == 4)
    #expect(editor.place(line: 0, column: 3).offset == 3)
  }

  @Test func homeIsTheFirstLetterAndThenTheVeryStart() {
    var editor = TextEditor("  two\nnone")
    editor.move(to: .init(line: 0, offset: 4))
    for offset in [2, 0, 2] {
      editor.move(.lineStart)
      #expect(editor.cursor == .init(line: 0, offset: offset))
    }
    editor.move(to: .init(line: 1, offset: 3))
    editor.move(.lineStart)
    #expect(editor.cursor == .init(line: 1, offset: 0))
    editor.move(.lineStart)
    #expect(editor.cursor == .init(line: 1, offset: 0))
  }

  @Test func upAndDownKeepTheColumn() {
    var editor = TextEditor("long line here\nab\nlong line again")
    editor.move(to: .init(line: 0, offset: 9))
    editor.move(.down)
    #expect(editor.cursor == .init(line: 1, offset: 2))
    editor.move(.down)
    #expect(editor.cursor == .init(line: 2, offset: 9))
  }

  @Test func selectionIsReplacedCutAndPasted() {
    var editor = TextEditor("one two\nthree")
    editor.move(to: .init(line: 0, offset: 4))
    editor.move(.lineEnd, selecting: true)
    editor.move(.down, selecting: true)
    #expect(editor.selectedText == "two\nthree")
    editor.cut()
    #expect(editor.text == "one ")
    editor.paste()
    #expect(editor.text == "one two\nthree")
    editor.selectAll()
    editor.insert("x")
    #expect(editor.text == "x")
    editor.undo()
    #expect(editor.text == "one two\nthree")
  }

  @Test func typingIsUndoneByRuns() {
    var editor = TextEditor("")
    for letter in "hello" { editor.insert(String(letter)) }
    editor.move(.left)
    editor.insert("X")
    editor.undo()
    #expect(editor.text == "hello")
    editor.undo()
    #expect(editor.text.isEmpty)
    editor.redo()
    editor.redo()
    #expect(editor.text == "hellXo")
  }

  @Test func everyEditCanBeUndoneAndDoneAgain() {
    var generator = SplitMix(seed: 7)
    for _ in 0..<40 {
      var editor = TextEditor("{\n  \"a\": \"山田 太郎\"\n}\n")
      var texts = [editor.text]
      for _ in 0..<60 {
        switch generator.next() % 13 {
        case 0: editor.insert("é")
        case 1: editor.insert("two\nlines")
        case 9: editor.insert("\u{301}")
        case 10: editor.insert("👩\u{200D}")
        case 11: editor.insert("🇩")
        case 12: editor.paste()
        case 2: editor.deleteBackward()
        case 3: editor.deleteForward()
        case 4: editor.move(.left, selecting: generator.next() % 2 == 0)
        case 5: editor.move(.down, selecting: generator.next() % 2 == 0)
        case 6: editor.insertLine()
        case 7: editor.deleteWordBackward()
        default: editor.move(.wordRight)
        }
        editor.sealUndo()
        #expect(editor.lines[editor.cursor.line].isBorder(editor.cursor.offset))
        #expect(editor.lines.size == editor.lines.reduce(0) { $0 + $1.utf8.count })
        if Array(editor.text.utf8) != texts.last.map({ Array($0.utf8) }) { texts.append(editor.text) }
      }
      var undone = [editor.text]
      while editor.canUndo {
        editor.undo()
        if Array(editor.text.utf8) != undone.last.map({ Array($0.utf8) }) { undone.append(editor.text) }
      }
      #expect(undone == texts.reversed())
      for _ in 0..<200 { editor.redo() }
      #expect(editor.text == texts.last)
    }
  }

  @Test func lineEndsOfEveryKindAreOne() {
    #expect(Array(TextEditor("a\r\nb\rc\nd").lines) == ["a", "b", "c", "d"])
    #expect(TextEditor("a\nb", singleLine: true).text == "a b")
  }

  @Test func aMarkThatStoodBehindJoinsWhatIsTyped() {
    var editor = TextEditor("\u{301}x")
    editor.insert("e")
    #expect(editor.cursor.offset == 3)
    editor.insert("f")
    #expect(editor.text == "e\u{301}fx")
    editor.undo()
    editor.undo()
    #expect(editor.text == "\u{301}x")
  }

  @Test func theLetterUnderAMarkIsNoPlace() {
    var editor = TextEditor("e\u{301} e 👩\u{200D}👧 👧")
    #expect(editor.replaceAll("e", with: "o") == 1)
    #expect(editor.replaceAll("👧", with: "x") == 1)
    #expect(editor.text == "e\u{301} o 👩\u{200D}👧 x")
  }

  @Test(.alone) func aLineOfAMegabyteIsChangedWithoutBeingRead() {
    let long = String(repeating: "{\"name\":\"花子\"},", count: 58_000)
    var editor = TextEditor(long)
    editor.move(to: .init(line: 0, offset: 600_000))
    let place = editor.cursor
    editor.insert("x")
    let clock = ContinuousClock()
    let spent = clock.measure { for _ in 0..<200 { editor.insert("y") } }
    #expect(spent < .seconds(2))
    #expect(editor.text(in: place..<editor.cursor) == "x" + String(repeating: "y", count: 200))
    editor.undo()
    #expect(editor.text == long)
    #expect(clock.measure { for _ in 0..<200 { editor.move(.down) } } < .seconds(1))
    #expect(editor.cursor == editor.end)
    editor.move(to: .init(line: 0, offset: 600_000))
    editor.insert("\n")
    editor.move(.up)
    #expect(editor.cursor == .start)
    editor.undo()
    #expect(editor.text == long)
    #expect(editor.replaceAll("花子", with: "Z") == 58_000)
    #expect(editor.text.utf8.count == long.utf8.count - 5 * 58_000)
    editor.undo()
    #expect(editor.text == long)
  }

  @Test func replacingAllIsOneStep() {
    var editor = TextEditor("aXa\nXX")
    #expect(editor.replaceAll("X", with: "山") == 3)
    #expect(editor.text == "a山a\n山山")
    editor.undo()
    #expect(editor.text == "aXa\nXX")
  }

  @Test func findGoesRound() {
    var editor = TextEditor("foo Foo\nfoo")
    #expect(editor.find("foo")?.index == 0)
    #expect(editor.find("foo")?.index == 1)
    #expect(editor.find("foo")?.index == 2)
    #expect(editor.find("foo")?.index == 0)
    #expect(editor.find("Foo")?.count == 1)
    #expect(editor.find("nothing") == nil)
  }
}

/// Random numbers that are the same in each run.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
