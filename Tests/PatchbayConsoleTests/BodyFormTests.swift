import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What the keys of a form do to its texts, and what an editor of one's own gives back.
@Suite(.bounded) struct BodyFormTests {
  private struct Desk {
    var form: StubForm
    var context = Sample.driver(120, 40).state.context
    var out = Outcomes()

    init(_ body: String, focus: String = "body") {
      form = StubForm(editing: Stub(name: "a", then: .respond(CannedResponse(body: .text(body)))))
      form.form.focus(focus)
    }

    var body: String { form.form.text("body") }

    /// What came of it, in words.
    mutating func told() -> [String] {
      out.drain().map { outcome in
        switch outcome {
        case .say(let notice, _, _): "\(notice.kind): \(notice.text)"
        case .effect(.copy(let text, let label)): "copy \(label): \(text)"
        case .effect(.openEditor(let job)): "editor \(job.content)"
        case .effect(.preview): "preview"
        case .open(let box as Prompt): "ask \(box.purpose) “\(box.editor.text)”"
        case .open(let box): "open \(type(of: box))"
        case .close: "close"
        default: "other"
        }
      }.filter { $0 != "preview" }
    }

    mutating func run(_ command: FormCommand) -> [String] {
      form.run(command, context, &out)
      return told()
    }

    mutating func send(_ event: ConsoleEvent) -> [String] {
      form.update(event, context, &out)
      return told()
    }

    mutating func press(_ key: Key) -> [String] { send(.input(.key(key))) }

    mutating func answer(_ purpose: Prompt.Purpose, _ text: String) -> [String] {
      form.answered(purpose, text, context, &out)
      return told()
    }
  }

  // MARK: Search and replace

  @Test func whatIsSearchedIsSelectedCountedAndProposedAgain() {
    var desk = Desk("one two one")
    #expect(desk.run(.searchText) == ["ask searchEditor “”"])
    #expect(desk.answer(.searchEditor, "one") == ["info: 1 of 2"])
    #expect(desk.form.form.editor?.selectedText == "one" && desk.form.form.editor?.cursor.offset == 3)
    #expect(desk.answer(.searchEditor, "one") == ["info: 2 of 2"])
    #expect(desk.answer(.searchEditor, "three") == ["info: “three” is not in the text."])
    #expect(
      desk.run(.searchText) == ["ask searchEditor “three”"] && desk.run(.replaceText) == ["ask replaceFind “three”"])
    #expect(desk.body == "one two one" && !desk.form.isChanged)
  }

  @Test func replacingAsksForBothAndSaysHowMany() {
    var desk = Desk("one two one")
    #expect(
      desk.answer(.replaceFind, "") == [] && desk.answer(.replaceFind, "one") == ["ask replaceWith(find: \"one\") “”"])
    #expect(desk.answer(.replaceWith(find: "one"), "1") == ["info: 2 places replaced."])
    #expect(desk.body == "1 two 1" && desk.form.isChanged && desk.form.nextTick != nil)
    #expect(desk.run(.searchText) == ["ask searchEditor “one”"])
    #expect(desk.answer(.replaceWith(find: "two"), "") == ["info: 1 place replaced."])
    #expect(desk.answer(.replaceWith(find: "nothing"), "x") == ["info: 0 places replaced."])
    #expect(desk.run(.editorUndo) == [] && desk.body == "1 two 1")
  }

  @Test func otherAnswersAndFieldsWithoutATextChangeNothing() {
    var desk = Desk("one")
    for purpose in [Prompt.Purpose.search, .goToLine, .filterStubs, .tags([1]), .searchOutput, .commandInput] {
      #expect(desk.answer(purpose, "one") == [] && desk.form.nextTick == nil, "\(purpose)")
    }
    var toggle = Desk("one", focus: "enabled")
    #expect(toggle.answer(.searchEditor, "one") == [] && toggle.answer(.replaceWith(find: "one"), "x") == [])
    #expect(toggle.run(.searchText) == ["ask searchEditor “”"] && toggle.body == "one")
  }

  // MARK: Keys

  @Test func whatIsCutOrCopiedIsInTheClipboardToo() {
    var desk = Desk("one\ntwo")
    #expect(desk.run(.editorCopy) == ["copy the text: one\n"] && desk.body == "one\ntwo")
    #expect(desk.run(.editorCut) == ["copy what was cut: one\n"] && desk.body == "two")
    #expect(desk.run(.editorPaste) == [] && desk.body == "one\ntwo")
    #expect(desk.run(.editorUndo) == [] && desk.body == "two")
    #expect(desk.run(.editorUndo) == [] && desk.body == "one\ntwo")
    #expect(desk.run(.editorRedo) == [] && desk.body == "two")
    #expect(desk.run(.selectAll) == [] && desk.form.form.editor?.selectedText == "two")
    var toggle = Desk("one", focus: "enabled")
    #expect(toggle.run(.editorCut) == [] && toggle.run(.editorCopy) == [] && toggle.body == "one")
  }

  /// Keys of the editor mean nothing in a field without text, others mean the same everywhere.
  @Test func commandsOfTheEditorAreKeysOnlyWhereTextIs() {
    var toggle = Desk("one", focus: "enabled")
    for key in ["z", "y", "x", "c", "v", "a", "g", "r"] {
      #expect(toggle.press(.control(Character(key))) == [] && toggle.form.nextTick == nil, "\(key)")
    }
    #expect(toggle.press(.control("n")) == ["info: Only a sequence has steps: choose it at “then”."])
    #expect(toggle.press(.control("p")) == ["info: No recorded request fits the pattern."])
    #expect(toggle.press(.escape) == ["close"])
    var line = Desk("one", focus: "times")
    #expect(line.press(.control("g")) == ["ask searchEditor “”"])
  }

  @Test func aPasteAndTheMouseChangeOnlyWhatTheyMeet() {
    var toggle = Desk("one", focus: "enabled")
    #expect(toggle.send(.input(.paste("x"))) == [] && toggle.form.nextTick == nil)
    #expect(toggle.send(.input(.focus(true))) == [] && toggle.form.nextTick == nil)
    #expect(toggle.send(.input(.mouse(MouseEvent(.wheelDown, at: Point(x: 60, y: 9))))) == [])
    #expect(toggle.send(.input(.mouse(MouseEvent(.press(.right), at: Point(x: 60, y: 9))))) == [])
    #expect(toggle.form.nextTick == nil)
    #expect(toggle.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: 60, y: 12))))) == [])
    #expect(toggle.form.form.focused?.id == "body")
    #expect(toggle.send(.input(.paste("x\ny"))) == [] && toggle.body == "onex\ny" && toggle.form.nextTick != nil)
  }

  @Test func toTheBodyAndBack() {
    var desk = Desk("one", focus: "status")
    #expect(desk.press(.control("b")) == [] && desk.form.form.focused?.id == "body")
    #expect(desk.press(.control("b")) == [] && desk.form.form.focused?.id == "status")
    #expect(desk.form.form.editor?.selectedText == "200", "what stands there is selected")
    #expect(desk.press(.tab) == [] && desk.form.form.focused?.id == "delay")
    #expect(desk.press(Key(.tab, .shift)) == [] && desk.form.form.editor?.selectedText == "200")
  }

  @Test func pagesGoFromGroupToGroupAndSelectWhatStandsThere() {
    var desk = Desk("one", focus: "name")
    desk.form.form.setText("method", "GET")
    desk.form.form.setText("times", "3")
    #expect(desk.press(Key(.pageDown)) == [] && desk.form.form.focused?.id == "method")
    #expect(desk.form.form.editor?.selectedText == "GET")
    #expect(desk.press(Key(.pageDown)) == [] && desk.form.form.focused?.id == "action")
    #expect(desk.press(Key(.pageDown)) == [] && desk.form.form.editor?.selectedText == "3")
    #expect(desk.press(Key(.pageDown)) == [] && desk.form.form.focused?.id == "times")
    #expect(desk.press(Key(.pageUp)) == [] && desk.form.form.focused?.id == "action")
  }

  @Test func aStepThatIsAddedIsKeptAsWhatIsTyped() {
    var desk = Desk("one", focus: "action")
    desk.form = StubForm(editing: Stub(name: "a", then: .sequence([.hold(.both)], afterwards: .pass)))
    #expect(desk.form.nextTick == nil)
    #expect(desk.press(.control("n")) == [] && desk.form.nextTick == desk.context.now.microseconds + 700_000)
    #expect(desk.form.isChanged)
  }

  @Test func aMistypedErrorIsGuessedByItsFirstWord() {
    for (text, problem) in [
      ("timedOot now", "no such error; did you mean timedOut?"), ("now timedOot", "no such error"),
      ("timedOot", "no such error; did you mean timedOut?"), ("", "no such error"),
    ] {
      var form = StubForm(editing: Stub(name: "a", then: .fail(Fault(.named("offline")))))
      form.form.setText("error", text)
      form.check()
      #expect(form.form["error"]?.problem == problem, "\(text)")
    }
  }

  // MARK: JSON

  @Test func theBodyIsMadeReadableOrSaidWhyNot() {
    var desk = Desk(#"{"a":[1,{"b":"日"}]}"#)
    #expect(desk.run(.format) == [] && desk.body == "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"日\"\n    }\n  ]\n}")
    let readable = desk.body
    #expect(desk.run(.format) == [] && desk.body == readable && desk.run(.editorUndo) == [])
    #expect(desk.body == #"{"a":[1,{"b":"日"}]}"#, "what is readable already is no step")
    var wrong = Desk("{\n  \"a\": x\n}", focus: "status")
    let said = wrong.run(.format)
    #expect(said.count == 1 && said[0].hasPrefix("error: The body cannot be made readable: it is not JSON ("))
    #expect(wrong.form.form.focused?.id == "body" && wrong.form.form.editor?.cursor == .init(line: 1, offset: 7))
  }

  // MARK: An editor of one's own

  @Test func anEditorOfOnesOwnAnswersOnce() throws {
    var desk = Desk("one")
    #expect(desk.run(.editExternally) == [#"editor text("one", fileExtension: "txt")"#])
    var json = Desk("{}")
    #expect(json.run(.editExternally) == [#"editor text("{}", fileExtension: "json")"#])
    // The token is the first that was asked for.
    #expect(desk.send(.editorReturned(token: 99, .text("other"))) == [] && desk.body == "one")
    let token = try #require(
      (1...5).first { number in
        var other = desk
        _ = other.send(.editorReturned(token: number, .text("two")))
        return other.body == "two"
      })
    for (result, said) in [
      (EditorResult.unchanged, ["info: Nothing was changed."]),
      (.broken("It is broken.", text: "x"), ["error: It is broken."]), (.stub(Stub(name: "x", then: .hold(.both))), []),
    ] {
      var other = desk
      #expect(other.send(.editorReturned(token: token, result)) == said && other.body == "one")
      #expect(other.form.nextTick == nil)
    }
    #expect(
      desk.send(.editorReturned(token: token, .text("two\n"))) == ["good: The body is as the editor left it."]
        && desk.body == "two")
    #expect(desk.form.nextTick != nil)
    #expect(desk.send(.editorReturned(token: token, .text("three"))) == [] && desk.body == "two", "it has answered")
  }

  // MARK: The foot

  @Test func theFootHasTheFormsKeysInTheirOrder() {
    let desk = Desk("one")
    let hints = desk.form.hints(desk.context)
    #expect(
      hints.map(\.text) == [
        "save", "leave", "next field", "body", "format", "matches", "undo", "$EDITOR", "search", "replace",
      ])
    let request = ExchangeForm(replaying: Exchange.make(1))
    let others = request.hints(desk.context)
    #expect(others.first?.text == "send" && !others.contains { $0.text == "matches" })
  }
}
