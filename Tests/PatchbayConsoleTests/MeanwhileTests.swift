import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What others do to a stub while a person edits it.
@Suite(.bounded) struct MeanwhileTests {
  private func edit(_ driver: inout ConsoleDriver, _ name: String, _ change: (inout Stub) -> Void) throws {
    var stub = try #require(driver.board[name]?.stub)
    change(&stub)
    driver.board = try driver.board.apply(.replace(name: name, with: stub))
    driver.send(.board(driver.board, by: "a script"))
  }

  private func fill(_ driver: inout ConsoleDriver, _ field: String, _ text: String) {
    guard var form = driver.state.boxes.last as? StubForm else { return }
    form.form.focus(field)
    driver.replaceTop(with: form)
    driver.press("ctrl-a ctrl-u ctrl-k")
    driver.send(.input(.paste(text)))
  }

  @Test func aSwitchThatAScriptTurnedMeanwhileStays() throws {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "status", "404")
    try edit(&driver, "orders down") { $0.enabled = false }
    driver.press("ctrl-s")
    #expect(driver.board["orders down"]?.stub.enabled == false)
    #expect(driver.board["orders down"]?.stub.then.response?.status == 404)
    #expect(driver.shows("What was changed meanwhile is kept."))
    driver.press("u")
    #expect(driver.board["orders down"]?.stub.enabled == false)
    #expect(driver.board["orders down"]?.stub.then.response?.status == 503)
  }

  /// Whatever a stub has: a property that is new and not merged would be lost when a stub is edited.
  @Test func everyPropertyIsMerged() {
    let base = Stub(name: "a", then: .hold(.request))
    let mine = Stub(
      name: "b", enabled: false, when: RequestPattern(methods: ["GET"]), then: .hold(.both), skip: 1, chance: 0.5,
      seed: 2, times: 3, scenario: .init("s", in: "one"))
    for (before, after) in zip(Mirror(reflecting: base).children, Mirror(reflecting: mine).children) {
      #expect("\(before.value)" != "\(after.value)", "\(before.label ?? "") is to differ, too")
    }
    let merge = StubMerge(base: base, mine: mine, theirs: base)
    #expect(merge.merged == mine && merge.conflicts.isEmpty)
  }

  @Test func whatBothChangedIsAsked() throws {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "status", "404")
    try edit(&driver, "orders down") { $0.then = .fail(Fault(.named("timedOut"))) }
    driver.press("ctrl-s")
    #expect(driver.shows("both changed its action"))
    #expect(driver.board["orders down"]?.stub.then.fault != nil)
    driver.press("esc")
    #expect(driver.shows("404"))
    driver.press("ctrl-s s")
    #expect(driver.board["orders down"]?.stub.then.response?.status == 404)
    #expect(driver.state.boxes.isEmpty)
  }

  @Test func oneThatWasRemovedIsThereAgain() throws {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "status", "404")
    driver.board = try driver.board.apply(.remove(name: "orders down"))
    driver.send(.board(driver.board, by: "a script"))
    driver.press("ctrl-s")
    #expect(driver.board["orders down"]?.stub.then.response?.status == 404)
    #expect(driver.shows("was removed meanwhile"))
  }

  @Test func theEditorsTextIsMergedToo() throws {
    var driver = Sample.driver(120, 36)
    driver.press("2 E")
    guard case .openEditor(let job)? = driver.effects.last, case .stub(var stub) = job.content else {
      return #expect(Bool(false), "no editor")
    }
    try edit(&driver, "orders down") { $0.enabled = false }
    stub.times = 3
    driver.send(.editorReturned(token: job.token, .stub(stub)))
    #expect(driver.board["orders down"]?.stub.times == 3)
    #expect(driver.board["orders down"]?.stub.enabled == false)
  }

  @Test func mistakesInTheEditorLoseNothing() throws {
    var driver = Sample.driver(120, 36)
    driver.press("2 E")
    guard case .openEditor(let job)? = driver.effects.last else { return #expect(Bool(false), "no editor") }
    driver.send(.editorReturned(token: job.token, .broken("line 3, column 5: no such key.", text: "stubs: oops")))
    #expect(driver.shows("line 3, column 5: no such key."))
    driver.press("esc")
    #expect(driver.shows("line 3, column 5"), "esc must not throw it away")
    driver.press("e")
    guard case .openEditor(let again)? = driver.effects.last else { return #expect(Bool(false), "no editor again") }
    #expect(again.draft == "stubs: oops")
    #expect(again.token != job.token)
    driver.send(.editorReturned(token: again.token, .broken("line 3", text: "stubs: oops 2")))
    driver.press("d")
    #expect(driver.state.boxes.isEmpty)
  }

  @Test func aMenuStaysAboutItsRequestThoughTheListFollows() throws {
    var driver = Sample.driver(120, 36)
    driver.press("1 G")
    let last = try #require(driver.exchanges.last)
    let before = driver.state.requests.list.selectedID
    driver.press("x")
    var newer = Sample.exchanges()[0]
    newer.id = last.id + 100
    newer.request.url = "https://elsewhere.example.com/other"
    driver.add([newer])
    #expect(driver.state.requests.list.selectedID == before)
    driver.press("o f f l enter")
    let host = StubProposal.endpoint(last.request).host
    #expect(driver.board.entries.first?.stub.when.host == .glob(host))
    driver.press("x enter")
    #expect(driver.board.entries.map(\.stub) == Sample.board().stubs)
    // The list follows on.
    newer.id += 1
    driver.add([newer])
    #expect(driver.state.requests.list.selectedID == newer.id)
  }
}
