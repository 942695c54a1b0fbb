import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What a stub's form says when it is saved, what it reads on the way, and what its fields hold when another action or
/// step comes in sight.
@Suite(.bounded) struct FormSavingTests {
  private struct Desk {
    var form: StubForm
    var context = Sample.driver(120, 40).state.context
    var out = Outcomes()

    init(_ form: StubForm, focus: String = "name") {
      self.form = form
      self.form.form.focus(focus)
    }

    /// What came of it, in words.
    mutating func told() -> [String] {
      out.drain().compactMap { outcome -> String? in
        switch outcome {
        case .say(let notice, _, _): return "\(notice.kind): \(notice.text)"
        case .stubs(.put(let stub, inPlaceOf: _, note: let note, isForm: _)): return "put \(stub.name)\(note)"
        case .requests(.list(_, title: let title, note: let note)): return "\(title) (\(note))"
        case .editStubs(let edits):
          guard case .add(let stub, at: let place)? = edits.first else { return "other edits" }
          return "add \(stub.name) at \(place ?? -1)"
        case .close: return "close"
        default: return nil
        }
      }
    }

    mutating func save() -> [String] { run(.save) }

    mutating func run(_ command: FormCommand) -> [String] {
      form.run(command, context, &out)
      return told()
    }

    mutating func send(_ event: ConsoleEvent) { form.update(event, context, &out) }

    mutating func opened() { form.opened(context, &out) }

    mutating func answered(_ purpose: Prompt.Purpose, _ text: String) { form.answered(purpose, text, context, &out) }

    /// Opens the person's own editor, which leaves a text.
    mutating func leaves(_ text: String) {
      form.run(.editExternally, context, &out)
      for case .effect(.openEditor(let job)) in out.drain() { send(.editorReturned(token: job.token, .text(text))) }
    }

    /// The runtime's answer to the question that is open.
    ///
    /// - Returns: the token of what is fetched for the templates then.
    mutating func answer(_ result: PreviewResult) -> Int? {
      for case .effect(.preview(let token, _)) in out.drain() { send(.preview(token: token, result)) }
      for case .effect(.fetch(_, .sample(let token))) in out.drain() { return token }
      return nil
    }
  }

  private func stub(_ body: CannedResponse.Body) -> Stub {
    Stub(name: "a", when: RequestPattern(path: .glob("/a")), then: .respond(CannedResponse(body: body)))
  }

  private func sequence(_ steps: Action...) -> StubForm {
    StubForm(editing: Stub(name: "a", then: .sequence(steps, afterwards: .pass)))
  }

  /// As if it were chosen with the keys.
  private func choose(_ id: String, _ choice: String, _ form: inout StubForm) {
    form.form.set(id) { field in
      guard case .choice(let choices, _) = field.kind else { return }
      field.kind = .choice(choices, choices.firstIndex(of: choice) ?? 0)
    }
    form.changed()
  }

  private let warning = "warning: Not saved yet: it matches every request. Save again if that is meant."

  // MARK: Saving

  @Test func aNewStubThatTakesEveryRequestIsSavedTheSecondTime() {
    var desk = Desk(StubForm(adding: "new"))
    #expect(desk.save() == [warning])
    #expect(desk.save() == ["close", "add new at 0", "good: “new” is in force."])
  }

  /// One that is off takes nothing, and one that took everything before is known to.
  @Test(arguments: [("/a", true, true), ("/a", false, false), ("", true, false)])
  func aStubIsAskedAboutOnceItTakesEveryRequest(_ path: String, _ isOn: Bool, _ isAsked: Bool) {
    let when = path.isEmpty ? RequestPattern() : RequestPattern(path: .glob(path))
    var desk = Desk(StubForm(editing: Stub(name: "a", enabled: isOn, when: when, then: .hold(.both))))
    desk.form.form.setText("path", "")
    if isAsked { #expect(desk.save() == [warning]) }
    #expect(desk.save() == ["put a"])
  }

  @Test func aNewStubWhoseNameIsTakenMeanwhileIsRefusedAndMarked() {
    var desk = Desk(StubForm(adding: "time out", pattern: RequestPattern(path: .glob("/x"))))
    #expect(desk.save() == ["error: Not saved: another stub is called “time out”."])
    #expect(desk.form.form["name"]?.problem == "another stub has that name")
    desk.form.form.setText("name", "free")
    #expect(desk.save() == ["close", "add free at 0", "good: “free” is in force."])
    #expect(desk.form.form["name"]?.problem == nil)
  }

  @Test func aLargeBodyIsReadWhenItsFormOpensAndWhenItIsSaved() {
    let text = #"{"a": ""# + String(repeating: "x", count: TextEditor.quickSize) + #""}"#
    #expect(StubForm(editing: stub(.text(text + "}"))).bodyProblem != nil)
    var desk = Desk(StubForm(editing: stub(.text(text))))
    #expect(desk.form.bodyProblem == nil)
    desk.form.form.setText("body", text + "}")
    #expect(desk.save() == ["put a Its body is not JSON and is sent as text."])
    #expect(desk.form.bodyProblem != nil)
  }

  /// Nothing is lost with a step whose text only looks like JSON.
  @Test func aSequenceThatNobodyTouchedIsNotChanged() {
    let form = sequence(.respond(CannedResponse(body: .text("{not json"))), .respond(CannedResponse(status: 201)))
    #expect(!form.isChanged)
    var typed = form
    typed.form.setText("body", "{not jso")
    typed.changed()
    #expect(typed.isChanged)
  }

  /// They are not read at each key.
  @Test func whereEventsAreWrongIsSaidWhenTheyAreSaved() throws {
    let events = try Stub(
      json: JSONValue(parsing: #"{"name":"a","when":{"path":"/a"},"then":{"respond":{"events":[{"data":"x"}]}}}"#))
    var desk = Desk(StubForm(editing: events))
    desk.form.form.setText("body", "[{\"data\": 1")
    desk.form.changed()
    #expect(desk.form.problems == [])
    let told = desk.save()
    #expect(told.count == 1 && told[0].hasPrefix("error: Not saved: body: "), "\(told)")
    #expect(desk.form.form.focused?.id == "body")
  }

  @Test func eventsAreChangedInTheBody() throws {
    func stub(_ data: String) throws -> Stub {
      try Stub(
        json: JSONValue(parsing: #"{"name":"a","then":{"respond":{"events":[{"data":""# + data + #""}]}}}"#))
    }
    let before = try stub("one")
    let after = try stub("two")
    var form = StubForm(editing: before)
    form.form.setText("body", #"[{"data":"two"}]"#)
    var build = StubBuild(form: form.form, original: before)
    #expect(build.stub() == after, "\(build.problems)")
  }

  // MARK: What is checked

  @Test func whatWasWrongIsForgottenOnceItIsRight() {
    var pass = StubForm(editing: Stub(name: "a", then: .pass(PassChanges())))
    pass.form.setText("patch", "{")
    pass.check()
    #expect(pass.form.otherMistakes["patch"] != nil && pass.problems.count == 1)
    pass.form.setText("patch", "{}")
    pass.check()
    #expect(pass.form.otherMistakes.isEmpty && pass.problems.isEmpty)
    var answer = StubForm(editing: stub(.text("x")))
    answer.form.setText("headers", "A: {{nope}}")
    answer.check()
    #expect(answer.form.otherMistakes["headers"] != nil && answer.templateProblem != nil)
    answer.form.setText("headers", "A: {{count}}")
    answer.check()
    #expect(answer.form.otherMistakes.isEmpty && answer.templateProblem == nil)
  }

  @Test(arguments: [
    (false, "", "plain", false), (false, "", " [1", true), (false, "", "{", true), (false, "", "", false),
    (false, "", "\n {\n \"a\": 1\n!", true), (true, "", "plain", true), (true, "", " ", false),
    (false, "content-type: text/JSON", "plain", true), (true, "Content-Type: text/plain", "{", false),
    (false, "Accept: application/json", "plain", false),
  ])
  func aBodyIsToBeJSONByItsTypeOrAsItWasOrLooks(_ was: Bool, _ headers: String, _ body: String, _ isJSON: Bool) {
    var form = StubForm(editing: stub(was ? .json(["a": 1]) : .text("x")))
    form.form.setText("headers", headers)
    form.form.setText("body", body)
    #expect(form.isJSONBody == isJSON)
  }

  @Test func whatIsReplacedCutOrLeftByAnEditorIsCheckedAndKept() {
    var desk = Desk(StubForm(editing: stub(.json(["a": 1]))), focus: "body")
    desk.answered(.replaceFind, "1")
    #expect(desk.form.nextTick == nil, "a question changes nothing")
    desk.answered(.replaceWith(find: "1"), "x")
    #expect(desk.form.bodyProblem != nil && desk.form.nextTick != nil)

    desk = Desk(StubForm(editing: stub(.text("{"))), focus: "body")
    #expect(desk.form.bodyProblem != nil && desk.form.nextTick == nil)
    _ = desk.run(.editorCut)
    #expect(desk.form.bodyProblem == nil && desk.form.nextTick != nil)

    desk = Desk(StubForm(editing: stub(.text("{}"))), focus: "body")
    desk.leaves("{x")
    #expect(desk.form.form.text("body") == "{x" && desk.form.bodyProblem != nil)
  }

  @Test(arguments: [(36, 28), (10, 2), (9, 1), (8, 1), (1, 1)])
  func aPageOfATextIsWhatTheScreenLeavesToIt(_ height: Int, _ lines: Int) {
    let body = Array(repeating: "x", count: 100).joined(separator: "\n")
    var desk = Desk(StubForm(editing: stub(.text(body))), focus: "body")
    desk.context.size.height = height
    desk.send(.input(.key(Key(.pageDown))))
    #expect(desk.form.form.editor?.cursor.line == lines)
    desk.send(.input(.key(Key(.pageUp))))
    #expect(desk.form.form.editor?.cursor.line == 0)
  }

  // MARK: What the pattern fits

  @Test(arguments: [(2, "Fits 2 of 9 (esc goes back)"), (3, "Fits 3 of 9 (the newest 2; esc goes back)")])
  func theListOfWhatFitsSaysWhereItIsNotAll(_ matching: Int, _ said: String) {
    var desk = Desk(StubForm(adding: "new"))
    desk.opened()
    _ = desk.answer(PreviewResult(matching: matching, of: 9, newest: [7, 6]))
    #expect(desk.run(.showMatches) == [said])
  }

  @Test func theNewestThatFitsIsFetchedOnlyOnce() throws {
    var desk = Desk(StubForm(adding: "new"), focus: "path")
    let result = PreviewResult(matching: 2, of: 9, newest: [7, 6])
    desk.opened()
    let answered = desk.answer(result)
    let token = try #require(answered)
    desk.send(.fetched([Exchange.make(7)], for: .sample(token: token)))
    desk.send(.input(.key(Key("/"))))
    #expect(desk.answer(result) == nil && desk.form.preview.sample != nil)
  }

  // MARK: Steps

  @Test func aPassThatBecomesASequenceKeepsTheNetworksStatus() {
    var form = StubForm(editing: Stub(name: "a", then: .pass(PassChanges())))
    choose("action", "sequence", &form)
    #expect(form.form.text("step") == "1 of 1" && form.form.text("stepAction") == "pass")
    #expect(form.form.text("status") == "")
  }

  /// A step is never a program's code.
  @Test func codeThatBecomesASequenceBeginsWithAnAnswer() {
    var form = StubForm(editing: Stub(name: "a", then: .code))
    choose("action", "sequence", &form)
    #expect(form.form.text("stepAction") == "respond")
    #expect(SequenceSteps.fields(of: .code)["stepAction"] == .choice(SequenceSteps.actions, 0))
  }

  @Test func whenAStepIsTakenOutTheNextOneIsInSightAsItWas() {
    var form = sequence(.respond(CannedResponse()), .pass(PassChanges(status: 200)), .hold(.both))
    form.runStep(.removeStep)
    #expect(form.form.text("step") == "1 of 2" && form.form.text("stepAction") == "pass")
    #expect(form.form.text("status") == "200", "it was typed")
    form = sequence(
      .respond(CannedResponse(status: 201)), .respond(CannedResponse(status: 202)),
      .respond(CannedResponse(status: 203)))
    choose("step", "2 of 3", &form)
    #expect(form.form.text("status") == "202")
    form.runStep(.removeStep)
    #expect(form.form.text("step") == "2 of 2" && form.form.text("status") == "203")
  }

  @Test func whatIsSaidOfBytesIsOfTheStepThatAnAddedOneHides() {
    var form = sequence(.respond(CannedResponse(body: .data(Data([0xFF, 0xFE])))))
    #expect(form.bodyNote != nil)
    form.runStep(.addStep)
    #expect(form.bodyNote == nil)
    form.runStep(.removeStep)
    #expect(form.bodyNote != nil)
  }

  @Test func whereTheFieldWithTheKeysGoesTheNextOneInSightGetsThem() {
    var form = sequence(.fail(Fault(.named("timedOut"))))
    form.form.focus("error")
    form.runStep(.addStep)
    #expect(form.form["error"]?.isHidden == true && form.form.focused?.id == "delay")
  }
}
