import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What forms make of texts, at the edges of what they take.
@Suite(.bounded) struct FormValuesTests {
  // MARK: Fields

  @Test func theFirstLetterIsTheUppermost() {
    var form = Form(
      "", [.text("many", "Many", " \n\t[\n}"), .text("blank", "Blank", " \n "), .line("line", "Line", "x")])
    #expect(form.firstLetter(of: "many") == "[")
    #expect(form.firstLetter(of: "blank") == nil && form.firstLetter(of: "line") == nil)
    form.set("many") { $0.kind = .large("\n ]x", isTouched: false) }
    #expect(form.firstLetter(of: "many") == "]")
  }

  @Test func whatIsRareStaysInSightAsLongAsItIsSetOrWrong() {
    var form = Form("", [.text("rare", "Rare", "").inGroup(.then, rare: true), .fold(.then, "more")])
    func isFolded(_ change: (inout Form.Field) -> Void) -> Bool? {
      var changed = form
      changed.set("rare", change)
      changed.foldFields()
      return changed["rare"]?.isFolded
    }
    form.foldFields()
    #expect(isFolded { _ in } == true)
    #expect(isFolded { $0.kind = .large("x", isTouched: true) } == false)
    #expect(isFolded { $0.problem = "wrong" } == false)
  }

  @Test func whereNothingIsLeftToFoldTheFieldAboveGetsTheKeys() throws {
    var form = Form(
      "",
      [
        .line("name", "name", ""), .line("rare", "rare", "").inGroup(.when, rare: true), .fold(.when, "more"),
        .line("last", "last", ""),
      ])
    let space = try #require(Key(parsing: "space"))
    form.foldFields()
    form.focus("fold When")
    var isTaken = form.handle(space, pageHeight: 2)
    #expect(isTaken && form.focused?.id == "rare")
    form.setText("rare", "x")
    form.foldFields()
    form.focus("fold When")
    isTaken = form.handle(space, pageHeight: 2)
    #expect(isTaken && form.focused?.id == "rare" && form["fold When"]?.isHidden == true)
  }

  /// A text that was not touched is not read: it may be large.
  @Test(arguments: [("ab", false, true), ("x", false, true), ("ab", true, true), ("x", true, false)])
  func aLargeTextIsTheSameUntilItIsAnother(_ text: String, _ isTouched: Bool, _ isSame: Bool) {
    var initial = Form("", [.text("t", "T", "")])
    initial.set("t") { $0.kind = .large("ab", isTouched: false) }
    var form = initial
    form.set("t") { $0.kind = .large(text, isTouched: isTouched) }
    #expect(form.hasSameText("t", as: initial) == isSame && form.hasSameText(as: initial) == isSame)
    #expect(!form.hasSameText("other", as: initial))
  }

  @Test func aFieldOfOneLineHasOneLine() {
    var form = Form("", [.line("line", "Line", "a\nb")])
    #expect(form.text("line") == "a b")
    form.setText("line", "c\r\nd")
    #expect(form.text("line") == "c d")
    // What the field cannot show is kept all the same.
    let stub = Stub(name: "a\nb", when: RequestPattern(path: .glob("c\nd")), then: .hold(.both))
    var build = StubBuild(StubForm(editing: stub))
    #expect(build.stub() == stub, "\(build.problems)")
  }

  // MARK: Texts

  @Test func blanksAndSemicolonsAroundConditionsAreNothing() throws {
    #expect(try PatternText.conditions(";a=1", sign: "=") == [.init("a", .glob("1"))])
    #expect(try BodyAsks.pattern("json: 7; ") == BodyPattern(json: 7))
    #expect(try BodyAsks.pattern(#"json: ""; equals: "x""#) == BodyPattern(equals: "x", json: ""))
  }

  @Test(arguments: ["!", "!!", "! !", "!a:b"]) func aFieldToTakeAwayHasAName(_ text: String) {
    var form = StubForm(editing: Stub(name: "a", then: .pass(PassChanges())))
    form.form.setText("headers", text)
    form.check()
    #expect(form.form["headers"]?.problem == "write Name: value, or !Name to take one away")
  }

  /// Above 512 KiB a body is not read as JSON, nor is it text that is filled in.
  @Test(arguments: [(0, true), (1, false)]) func aLargeBodyBecomesBytes(_ more: Int, _ isText: Bool) {
    let text = String(repeating: "x", count: 512 * 1_024 + more)
    var form = StubForm(editing: Stub(name: "a", then: .respond(CannedResponse())))
    form.form.setText("body", text)
    var build = StubBuild(form)
    let body = build.stub()?.then.response?.body
    #expect((body == .text(text)) == isText)
    #expect((body == .data(Data(text.utf8))) == !isText)
  }

  // MARK: Templates

  @Test(arguments: [(0, true), (1, false)])
  func templatesAreLookedForInTextsUpTo128KiB(_ more: Int, _ isFound: Bool) {
    let text = "{{nope}}" + String(repeating: "x", count: 128 * 1_024 - 8 + more)
    #expect((TemplateCheck.headers(text) != nil) == isFound)
  }

  /// In JSON a line end is written with two letters.
  @Test func aMistakeBehindEmptyLinesOfATextInJSONHasItsPlace() {
    let mistake = TemplateCheck.body(#"{"a":"x\n\n {{nope}}"}"#)
    #expect(mistake?.position == SourcePosition(line: 1, column: 13))
  }

  // MARK: Exchanges

  /// Of a body that was cut the end may be missing of a letter, which has four bytes at most.
  @Test(
    arguments: [
      ([0x61], false, "a"), ([0x61, 0xFF], false, nil), ([0x61, 0xFF], true, "a"),
      ([0x61, 0xFF, 0xFF, 0xFF], true, "a"), ([0x61, 0xFF, 0xFF, 0xFF, 0xFF], true, nil),
    ] as [([UInt8], Bool, String?)])
  func bytesAreTextUpToTheLetterThatWasCut(_ bytes: [UInt8], _ isTruncated: Bool, _ text: String?) {
    #expect(ExchangeForm.text(of: Data(bytes), isTruncated: isTruncated) == text)
  }

  @Test func ofABodyOfWhichNothingWasRecordedItIsSaid() {
    var exchange = Exchange.make(7, "PUT")
    exchange.request.body = nil
    exchange.request.truncated = true
    let note = ExchangeForm(replaying: exchange).bodyNote
    #expect(note == "Only 0 B of the body were recorded; give it another one.")
  }

  @Test(arguments: [(0, true), (1, false)])
  func anAnswerOfOnesOwnBeginsWithOneThatCanBeEditedHere(_ more: Int, _ isTaken: Bool) {
    let answer = Exchange.make(1, headers: [], body: String(repeating: "x", count: TextEditor.limit + more))
    let form = ExchangeForm(answering: .make(2, phase: .heldRequest), as: answer)
    #expect(form.form.title.hasSuffix(", from the answer of 1") == isTaken)
    #expect(form.form.text("body").utf8.count == (isTaken ? TextEditor.limit : 2))
  }

  @Test func aLargeBodyIsReadAMomentAfterTheLastKeyAndWhenItIsSent() {
    let text = #"{"a": ""# + String(repeating: "x", count: TextEditor.quickSize) + #""}"#
    #expect(ExchangeForm(editing: .make(1195, body: text + "}", phase: .heldResponse)).bodyProblem != nil)
    var context = Sample.driver(120, 36).state.context
    var out = Outcomes()
    var form = ExchangeForm(editing: .make(1195, body: text, phase: .heldResponse))
    form.form.focus("body")
    form.form.editor?.move(.textEnd)
    #expect(form.bodyProblem == nil && form.nextTick == nil)
    form.update(.input(.key(Key("}"))), context, &out)
    #expect(form.bodyProblem == nil && form.nextTick == context.now.microseconds + 400_000)
    context.now.microseconds += 400_000
    form.update(.tick, context, &out)
    #expect(form.bodyProblem != nil && form.nextTick == nil)
    form.update(.input(.key(.backspace)), context, &out)
    #expect(form.bodyProblem != nil)
    form.save(context, &out)
    #expect(form.bodyProblem == nil)
  }

  // MARK: Proposals

  @Test func aValueInAQueryGoesOnBehindItsFirstSign() {
    let fields = PatternChoices.query(of: "http://a.example/?a=1=2&=v&c&d=")
    #expect(fields.map { "\($0.name)|\($0.value)" } == ["a|1=2", "|v", "c|", "d|"])
  }

  @Test(arguments: [(39, false), (40, true)])
  func ofALongPathTheEndIsInTheNameOfASequence(_ letters: Int, _ isCut: Bool) {
    let path = "/" + String(repeating: "z", count: letters)
    let exchanges = [Int64(1), 2].map { Exchange.make($0, "GET", "https://a.example" + path) }
    let short = isCut ? "…" + String(path.suffix(39)) : path
    #expect(StubProposal.sequence(of: exchanges)?.name == "GET \(short), 2 in turn")
  }
}
