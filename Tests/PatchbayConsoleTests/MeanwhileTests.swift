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

  @Test func whatIsThereNowMayStay() throws {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    fill(&driver, "status", "404")
    try edit(&driver, "orders down") { $0.then = .fail(Fault(.named("timedOut"))) }
    driver.press("ctrl-s t")
    #expect(driver.board["orders down"]?.stub.then == .fail(Fault(.named("timedOut"))))
    #expect(driver.state.boxes.isEmpty && driver.shows("“orders down” stays as it is now."))
  }

  /// The question is about what was there; what became of that until it is answered counts.
  @Test(arguments: [true, false]) func oneThatIsRemovedUnderTheQuestion(_ keepsMine: Bool) throws {
    var driver = Sample.driver(120, 36)
    let count = driver.board.entries.count
    driver.press("2 e")
    fill(&driver, "status", "404")
    try edit(&driver, "orders down") { $0.then = .fail(Fault(.named("timedOut"))) }
    driver.press("ctrl-s")
    driver.board = try driver.board.apply(.remove(name: "orders down"))
    driver.send(.board(driver.board, by: "a script"))
    driver.press(keepsMine ? "s" : "t")
    #expect(driver.state.boxes.isEmpty)
    guard keepsMine else {
      return #expect(driver.board.entries.count == count - 1 && driver.shows("“orders down” stays as it is now."))
    }
    #expect(driver.board["orders down"]?.stub.then.response?.status == 404)
    #expect(
      driver.board.entries.count == count && driver.shows("was removed meanwhile; what you edited is there again."))
    driver.press("u")
    #expect(driver.board["orders down"] == nil)
  }

  @Test func aNameThatIsTakenChangesNothing() throws {
    for isRemoved in [false, true] {
      var driver = Sample.driver(120, 36)
      driver.press("2 e")
      fill(&driver, "name", "time out")
      if isRemoved {
        driver.board = try driver.board.apply(.remove(name: "orders down"))
        driver.send(.board(driver.board, by: "a script"))
      }
      let before = driver.board
      driver.press("ctrl-s")
      #expect(driver.board == before)
      #expect(!driver.state.boxes.isEmpty, "the form stays, to be given another name")
    }
  }

  /// Of each property: what one of both changed is there, and what both did is asked unless they made it the same.
  @Test func eachPropertyIsTheirsOrMineOrAsked() {
    let base = Stub(name: "a", then: .hold(.request))
    typealias Change = (inout Stub, Int) -> Void
    let changes: [(name: String, make: Change)] = [
      ("name", { $0.name = "n\($1)" }), ("switch", { $0.enabled = $1 == 0 }),
      ("pattern", { $0.when.methods = ["M\($1)"] }), ("action", { $0.then = .respond(CannedResponse(status: $1)) }),
      ("skip", { $0.skip = $1 }), ("chance", { $0.chance = Double($1) / 8 }), ("seed", { $0.seed = UInt64($1) }),
      ("times", { $0.times = $1 }), ("scenario", { $0.scenario = .init("s\($1)", in: "one") }),
    ]
    for (name, make) in changes {
      var (one, two) = (base, base)
      make(&one, 1)
      make(&two, 2)
      #expect(StubMerge(base: base, mine: one, theirs: base).merged == one, "\(name)")
      #expect(StubMerge(base: base, mine: base, theirs: one).merged == one, "\(name)")
      let same = StubMerge(base: base, mine: one, theirs: one)
      #expect(same.merged == one && same.conflicts.isEmpty, "\(name)")
      guard one != two else { continue }
      let both = StubMerge(base: base, mine: one, theirs: two)
      #expect(both.merged == one && both.conflicts == [name])
      for (other, change) in changes where other != name {
        var (three, expected) = (base, one)
        change(&three, 1)
        change(&expected, 1)
        let merge = StubMerge(base: base, mine: one, theirs: three)
        #expect(merge.merged == expected && merge.conflicts.isEmpty, "\(name), \(other)")
      }
    }
  }

  @Test func whatOthersChangedIsSaidInAFewWords() throws {
    func stub(_ name: String, _ enabled: Bool = true) -> Stub {
      Stub(name: name, enabled: enabled, then: .hold(.request))
    }
    func board(_ stubs: [Stub], paused: Bool = false, sets: Set<StubBoard.Origin> = []) -> StubBoard {
      var board = StubBoard(revision: 1, entries: stubs.map { .init(stub: $0, origin: .console) })
      board.isPaused = paused
      board.pausedSets = sets
      return board
    }
    var changed = stub("a")
    changed.times = 2
    var both = changed
    both.enabled = false
    let plain = board([stub("a"), stub("b")])
    let rows: [(StubBoard, StubBoard, String)] = [
      (plain, plain, ""),
      (plain, board([stub("b"), stub("a")]), ""),
      (plain, board([stub("a"), stub("b")], paused: true), "all are off"),
      (board([stub("a"), stub("b")], paused: true), plain, "they are on again"),
      (plain, board([stub("a"), stub("b")], sets: [.console]), "those of this console are off"),
      (board([stub("a"), stub("b")], sets: [.console]), plain, "those of this console are on again"),
      (plain, board([stub("a", false), stub("b")]), "“a” is off"),
      (board([stub("a", false), stub("b")]), plain, "“a” is on"),
      (plain, board([changed, stub("b")]), "“a” is changed"),
      (plain, board([both, stub("b")]), "“a” is changed"),
      (plain, board([stub("a"), stub("b"), stub("c")]), "“c” is new"),
      (plain, board([stub("b")]), "“a” is gone"),
      (plain, board([stub("b", false)]), "“b” is off, “a” is gone"),
      (plain, board([]), "“a” is gone, “b” is gone"),
      (plain, board([stub("c")]), "“c” is new, “a” is gone and 1 more"),
      (plain, board([stub("c"), stub("d")], paused: true), "all are off, “c” is new and 3 more"),
    ]
    for (old, new, text) in rows { #expect(BoardDifference.text(from: old, to: new) == text) }
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
