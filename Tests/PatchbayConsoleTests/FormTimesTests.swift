import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What a stub's form asks and keeps, and when: its draft, how many requests the pattern fits, and a body that takes
/// long to read.
@Suite(.bounded) struct FormTimesTests {
  /// A form alone, with the runtime's answers in the test's hands.
  private struct Desk {
    var form: StubForm
    var context = Sample.driver(120, 40).state.context
    var out = Outcomes()
    private let start: Int64

    init(_ form: StubForm, focus: String = "name") {
      self.form = form
      self.form.form.focus(focus)
      start = context.now.microseconds
    }

    /// Microseconds since the form was opened.
    var now: Int64 {
      get { context.now.microseconds - start }
      set { context.now.microseconds = start + newValue }
    }
    var nextTick: Int64? { form.nextTick.map { $0 - start } }

    mutating func opened() -> [ConsoleEffect] {
      form.opened(context, &out)
      return effects()
    }

    mutating func send(_ event: ConsoleEvent, at moment: Int64? = nil) -> [ConsoleEffect] {
      if let moment { now = moment }
      form.update(event, context, &out)
      return effects()
    }

    @discardableResult
    mutating func type(_ text: String, at moment: Int64? = nil) -> [ConsoleEffect] {
      text.flatMap { send(.input(.key(Key($0))), at: moment) }
    }

    mutating func effects() -> [ConsoleEffect] {
      out.drain().compactMap { if case .effect(let effect) = $0 { effect } else { nil } }
    }
  }

  private func stub(_ name: String = "a", status: Int = 404) -> Stub {
    Stub(name: name, when: RequestPattern(path: .glob("/a")), then: .respond(CannedResponse(status: status)))
  }

  private let second: Int64 = 1_000_000

  // MARK: The draft

  @Test func whatIsTypedIsKeptSevenTenthsOfASecondLater() {
    var desk = Desk(StubForm(editing: stub()), focus: "times")
    #expect(desk.nextTick == nil)
    desk.type("1", at: 0)
    #expect(desk.nextTick == 700_000)
    #expect(desk.send(.tick, at: 300_000).isEmpty)
    desk.type("2")
    #expect(desk.nextTick == 700_000, "from the first key on")
    #expect(desk.send(.tick, at: 699_999).isEmpty)
    var changed = stub()
    changed.times = 12
    #expect(desk.send(.tick, at: 700_000) == [.keepDraft(KeptDraft(base: "a", stub: changed))])
    #expect(desk.nextTick == nil && desk.send(.tick, at: 2 * second).isEmpty)
    // Another key is kept again; what cannot be made a stub of is not.
    desk.type("x", at: 2 * second)
    #expect(desk.nextTick == 2 * second + 700_000 && desk.send(.tick, at: 3 * second).isEmpty)
    // Nothing would be lost any more: the draft goes, once.
    _ = desk.send(.input(.key(.control("u"))), at: 4 * second)
    #expect(desk.send(.tick, at: 5 * second) == [.keepDraft(nil)])
    _ = desk.send(.input(.key(Key(.end))), at: 6 * second)
    #expect(desk.send(.tick, at: 7 * second).isEmpty)
  }

  @Test func whatWasKeptGoesWithTheForm() {
    var desk = Desk(StubForm(adding: "new"), focus: "times")
    desk.form.closed(&desk.out)
    #expect(desk.effects().isEmpty)
    desk.type("1", at: 0)
    guard case .keepDraft(let draft?)? = desk.send(.tick, at: second).first else {
      return #expect(Bool(false), "not kept")
    }
    #expect(draft.base == nil && draft.stub.name == "new" && draft.stub.times == 1)
    desk.form.closed(&desk.out)
    #expect(desk.effects() == [.keepDraft(nil)])
  }

  // MARK: The preview

  private func question(_ effects: [ConsoleEffect]) -> (token: Int, pattern: RequestPattern)? {
    for case .preview(let token, let pattern) in effects { return (token, pattern) }
    return nil
  }

  @Test func itIsAskedWhenThePatternIsAnother() throws {
    var desk = Desk(StubForm(editing: stub()), focus: "path")
    let first = try #require(question(desk.opened()))
    #expect(first.pattern == RequestPattern(path: .glob("/a")))
    #expect(desk.opened().isEmpty, "it is asked already")
    let more = try #require(question(desk.type("b", at: 0)))
    #expect(more.token != first.token && more.pattern.path == .glob("/ab"))
    #expect(question(desk.send(.input(.key(.left)))) == nil)
    desk.form.form.focus("host")
    #expect(question(desk.type("h"))?.pattern.host == .glob("h"))
    desk.form.form.focus("port")
    #expect(question(desk.type("x")) == nil, "no pattern")
    desk.form.form.focus("name")
    #expect(question(desk.type("n")) == nil)
    // What comes late is not taken for the answer.
    #expect(desk.send(.preview(token: first.token, PreviewResult(matching: 1, of: 2))).isEmpty)
    #expect(desk.form.preview.result == nil)
  }

  @Test func itIsAskedAgainASecondAfterSomethingWasRecorded() throws {
    var desk = Desk(StubForm(editing: stub()))
    let news = ConsoleEvent.exchanges([], query: 0)
    let first = try #require(question(desk.opened()))
    #expect(desk.send(news, at: 0).isEmpty && desk.nextTick == second)
    _ = desk.send(news, at: 500_000)
    #expect(desk.nextTick == second && desk.send(.tick, at: second - 1).isEmpty)
    // The question before is still open.
    #expect(desk.send(.tick, at: second).isEmpty && desk.nextTick == 2 * second)
    let result = PreviewResult(matching: 3, of: 9)
    #expect(desk.send(.preview(token: first.token, result)).isEmpty && desk.form.preview.result == result)
    let again = try #require(question(desk.send(.tick, at: 2 * second)))
    #expect(again.token != first.token && again.pattern == first.pattern && desk.nextTick == nil)
    #expect(desk.send(.tick, at: 3 * second).isEmpty)
    // An answer is taken once.
    _ = desk.send(.preview(token: first.token, PreviewResult(matching: 0, of: 0)))
    #expect(desk.form.preview.result == result)
  }

  @Test func theNewestThatFitsIsFetchedForTheTemplates() throws {
    var desk = Desk(StubForm(editing: stub()))
    var token = try #require(question(desk.opened())).token
    func answer(_ newest: [Int64]) -> [ConsoleEffect] {
      let effects = desk.send(.preview(token: token, PreviewResult(matching: newest.count, of: 9, newest: newest)))
      _ = desk.send(.exchanges([], query: 0))
      if let asked = question(desk.send(.tick, at: desk.now + second)) { token = asked.token }
      return effects
    }
    func sample(_ effects: [ConsoleEffect]) -> (ids: [Int64], token: Int)? {
      guard effects.count == 1, case .fetch(let ids, .sample(let token))? = effects.first else { return nil }
      return (ids, token)
    }
    #expect(answer([]).isEmpty && desk.form.preview.sample == nil)
    let one = try #require(sample(answer([7, 6])))
    #expect(one.ids == [7])
    let again = try #require(sample(answer([7])))
    #expect(again.ids == [7], "it was not answered yet")
    let seven = Exchange.make(7, "PUT", "http://h/seven")
    _ = desk.send(.fetched([Exchange.make(6)], for: .sample(token: one.token)))
    #expect(desk.form.preview.sample == nil, "an answer to an earlier question")
    _ = desk.send(.fetched([seven, .make(6)], for: .sample(token: again.token)))
    #expect(desk.form.preview.sample == RequestFacts(of: seven))
    #expect(answer([7, 5]).isEmpty, "it is there")
    let eight = try #require(sample(answer([8, 7])))
    #expect(eight.ids == [8])
    _ = desk.send(.fetched([], for: .sample(token: eight.token)))
    #expect(desk.form.preview.sample == nil)
    _ = desk.send(.fetched([seven], for: .sample(token: eight.token)))
    #expect(desk.form.preview.sample != nil && answer([]).isEmpty && desk.form.preview.sample == nil)
  }

  // MARK: A large body

  /// It is checked four tenths of a second after the last key, and kept later than others.
  @Test func aBodyThatTakesLongToReadIsCheckedAMomentLater() {
    let large = "{\"a\": \"" + String(repeating: "x", count: TextEditor.quickSize) + "\"}"
    var desk = Desk(
      StubForm(editing: Stub(name: "a", then: .respond(CannedResponse(body: .text(large))))), focus: "body")
    _ = desk.opened()
    desk.form.form.editor?.move(.textEnd)
    #expect(desk.form.form.checking("body") == .afterPause && desk.form.bodyProblem == nil && desk.nextTick == nil)
    desk.type("}", at: 0)
    #expect(desk.form.bodyProblem == nil && desk.nextTick == 400_000)
    desk.type("}", at: 300_000)
    #expect(desk.nextTick == 700_000, "from the last key on")
    #expect(desk.send(.tick, at: 699_999).isEmpty && desk.form.bodyProblem == nil)
    #expect(desk.send(.tick, at: 700_000).isEmpty && desk.form.bodyProblem?.contains("not JSON") == true)
    #expect(desk.nextTick == 3 * second)
    _ = desk.send(.input(.key(.backspace)), at: second)
    _ = desk.send(.input(.key(.backspace)), at: second)
    #expect(desk.form.bodyProblem != nil)
    _ = desk.send(.tick, at: second + 400_000)
    #expect(desk.form.bodyProblem == nil)
    // What stands there is what was there: nothing is to be kept.
    #expect(desk.send(.tick, at: 3 * second).isEmpty)
    #expect(desk.form.form.isTouched("body") && !desk.form.isChanged)
  }
}
