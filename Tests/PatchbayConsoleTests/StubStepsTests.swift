import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What a stub's form does when another action or step comes in sight, and where stubs go that others took away.
@Suite(.bounded) struct StubStepsTests {
  private func driver(_ entries: [StubBoard.Entry]) -> ConsoleDriver {
    var driver = ConsoleDriver(width: 120, height: 40)
    driver.board = StubBoard(revision: 1, entries: entries)
    driver.send(.board(driver.board, by: nil))
    driver.press("2")
    return driver
  }

  private func driver(_ then: Action) -> ConsoleDriver {
    var driver = driver([
      .init(stub: Stub(name: "a", when: RequestPattern(path: .glob("/a")), then: then), origin: .console)
    ])
    driver.press("e")
    return driver
  }

  private func text(_ driver: ConsoleDriver, _ id: String) -> String? {
    (driver.state.boxes.last as? StubForm)?.form.text(id)
  }

  private func focus(_ driver: inout ConsoleDriver, _ id: String) {
    guard var form = driver.state.boxes.last as? StubForm else { return }
    form.form.focus(id)
    driver.replaceTop(with: form)
  }

  // MARK: The status

  /// The network's answer keeps its status unless one is typed; an answer of one's own has one.
  @Test func theStatusFollowsTheActionOnceAndThenThePerson() {
    var driver = driver(.respond(CannedResponse()))
    focus(&driver, "action")
    driver.press("right right")
    #expect(text(driver, "action") == "pass" && text(driver, "status") == "")
    focus(&driver, "status")
    driver.type("200")
    #expect(text(driver, "status") == "200", "it is what the person wants")
    focus(&driver, "action")
    driver.press("left")
    #expect(text(driver, "action") == "fail" && text(driver, "status") == "200")
    driver.press("right")
    #expect(text(driver, "status") == "")
    driver.press("left left")
    #expect(text(driver, "action") == "respond" && text(driver, "status") == "200")
    focus(&driver, "status")
    driver.press("ctrl-u")
    #expect(text(driver, "status") == "")
    driver.type("404")
    focus(&driver, "action")
    driver.press("right right")
    #expect(text(driver, "action") == "pass" && text(driver, "status") == "404")
  }

  // MARK: Steps

  private let steps: [Action] = [
    .respond(CannedResponse(status: 201, body: .text("one"))),
    .respond(CannedResponse(status: 202, body: .data(Data([0xFF, 0xFE])))), .pass(PassChanges()),
  ]

  @Test func whatIsSaidOfABodyIsOfTheStepInSight() {
    var driver = driver(.sequence(steps, afterwards: .pass))
    let note = "2 B that are not text"
    #expect(!driver.shows(note) && text(driver, "body") == "one" && text(driver, "step") == "1 of 3")
    focus(&driver, "step")
    driver.press("right")
    #expect(driver.shows(note) && text(driver, "status") == "202" && text(driver, "step") == "2 of 3")
    driver.press("right")
    #expect(!driver.shows(note) && text(driver, "status") == "" && text(driver, "stepAction") == "pass")
    focus(&driver, "status")
    driver.type("200")
    #expect(text(driver, "status") == "200")
    focus(&driver, "step")
    driver.press("right")
    #expect(text(driver, "step") == "1 of 3" && text(driver, "status") == "201" && text(driver, "body") == "one")
    driver.press("left")
    #expect(text(driver, "status") == "200")
    driver.press("ctrl-s")
    #expect(
      driver.board["a"]?.stub.then
        == .sequence([steps[0], steps[1], .pass(PassChanges(status: 200))], afterwards: .pass))
  }

  @Test func stepsAreAddedTakenOutAndMoved() {
    var driver = driver(.sequence(steps, afterwards: .pass))
    driver.press("ctrl-n")
    #expect(text(driver, "step") == "2 of 4" && text(driver, "status") == "200" && text(driver, "body") == "")
    driver.press("ctrl-t")
    #expect(text(driver, "step") == "1 of 4" && text(driver, "status") == "200")
    driver.press("ctrl-t")
    #expect(text(driver, "step") == "1 of 4")
    driver.press("ctrl-o")
    #expect(text(driver, "step") == "1 of 3" && text(driver, "status") == "201")
    focus(&driver, "step")
    driver.press("left ctrl-o")
    #expect(text(driver, "step") == "2 of 2" && text(driver, "status") == "202")
    driver.press("ctrl-o ctrl-o")
    #expect(text(driver, "step") == "1 of 1" && text(driver, "status") == "201", "the last one stays")
    driver.press("ctrl-s")
    #expect(driver.board["a"]?.stub.then == .sequence([steps[0]], afterwards: .pass))
  }

  @Test func anActionBecomesTheFirstStep() {
    var driver = driver(.fail(Fault(.named("timedOut"), delay: .fixed(.seconds(1)))))
    focus(&driver, "action")
    driver.press("left left")
    #expect(
      text(driver, "action") == "sequence" && text(driver, "step") == "1 of 1" && text(driver, "stepAction") == "fail")
    driver.press("ctrl-n ctrl-s")
    #expect(
      driver.board["a"]?.stub.then
        == .sequence(
          [.fail(Fault(.named("timedOut"), delay: .fixed(.seconds(1)))), .respond(CannedResponse())],
          afterwards: .repeat))
  }

  @Test func whatIsSentInsteadIsChangedAsTyped() {
    let before = RequestChanges(method: "POST")
    var form = StubForm(editing: Stub(name: "a", then: .pass(PassChanges(request: before))))
    for (text, method) in [(nil, "POST"), (#"{"method":"PUT"}"#, "PUT"), ("", nil)] as [(String?, String?)] {
      if let text { form.form.setText("rewrite", text) }
      var build = StubBuild(form)
      #expect(build.stub()?.then.changes?.request?.method == method && build.problems.isEmpty)
    }
  }

  /// The ids, then the query, then the body: the fewest that tell requests apart.
  @Test(arguments: [
    (["/v1/7|", "/v1/8|"], PatternChoices(ids: .exact)), (["/v1?a=1|", "/v1?a=2|"], PatternChoices(query: true)),
    (["/v1|[1]", "/v1|[2]"], PatternChoices(body: true)), (["/v1|[1]", "/v1|[1]"], PatternChoices()),
    (["/v1/7?a=1|[1]", "/v1/7?a=1|[2]", "/v1/8?a=1|[1]"], PatternChoices(ids: .exact, body: true)),
    (["/v1?a=1|[1]", "/v1?a=2|[1]", "/v1?a=2|[2]"], PatternChoices(query: true, body: true)),
    (["/v1/7|"], PatternChoices()),
  ])
  func requestsAreToldApartByAsLittleAsDoes(_ requests: [String], _ choices: PatternChoices) {
    let recorded = requests.map { text in
      let parts = text.split(separator: "|", omittingEmptySubsequences: false)
      return RecordedRequest(
        method: "POST", url: "https://a.example" + parts[0], body: parts[1].isEmpty ? nil : Data(parts[1].utf8))
    }
    #expect(PatternChoices.telling(apart: recorded) == choices)
  }

  // MARK: What is there no more

  private func entries() -> [StubBoard.Entry] {
    ["a", "b"].map {
      .init(stub: Stub(name: $0, when: RequestPattern(path: .glob("/\($0)")), then: .hold(.request)), origin: .console)
    }
  }

  /// Takes the stub away that the form is open for.
  private func taken(_ name: String) throws -> ConsoleDriver {
    var driver = driver(entries())
    driver.press(name == "a" ? "e" : "j e")
    focus(&driver, "times")
    driver.type("3")
    driver.board = try driver.board.apply(.remove(name: name))
    driver.send(.board(driver.board, by: "a script"))
    return driver
  }

  @Test func whatWasTakenAwayMeanwhileComesBackOnTop() throws {
    var driver = try taken("b")
    driver.press("ctrl-s")
    #expect(
      driver.board.stubs.map(\.name) == ["b", "a"] && driver.board["b"]?.stub.times == 3 && driver.state.boxes.isEmpty)
    #expect(driver.shows("“b” was removed meanwhile; what you edited is there again."))
    driver.press("u")
    #expect(driver.board.stubs.map(\.name) == ["a"])
    driver.press("ctrl-r")
    #expect(driver.board.stubs.map(\.name) == ["b", "a"])
  }

  @Test(arguments: [true, false]) func aNameThatIsTakenMeanwhileChangesNothing(_ isForm: Bool) {
    var driver = driver(entries())
    driver.press("e")
    func put(_ name: String, inPlaceOf base: String) {
      let (mine, before) = (Stub(name: name, then: .hold(.both)), Stub(name: base, then: .hold(.request)))
      driver.perform(.stubs(.put(mine, inPlaceOf: before, note: "", isForm: isForm)))
    }
    put("b", inPlaceOf: "gone")
    #expect(driver.shows("Another stub is called “b”, and “gone” is gone: nothing was changed."))
    put("b", inPlaceOf: "a")
    #expect(driver.shows("Another stub is called “b”: nothing was changed."))
    #expect(driver.board.entries.map(\.stub) == entries().map(\.stub) && driver.state.boxes.count == 1)
    put("new", inPlaceOf: "gone")
    #expect(driver.board.stubs.map(\.name) == ["new", "a", "b"] && driver.state.boxes.isEmpty == isForm)
  }

  /// From the editor there is no form to go back to.
  @Test func whatAnEditorLeftIsAskedAboutWhereBothChangedIt() throws {
    var driver = driver(entries())
    driver.press("E")
    guard case .openEditor(let job)? = driver.effects.last else { return #expect(Bool(false), "no editor") }
    var theirs = try #require(driver.board["a"]?.stub)
    theirs.times = 7
    driver.board = try driver.board.apply(.replace(name: "a", with: theirs))
    driver.send(.board(driver.board, by: "a script"))
    var mine = theirs
    mine.times = 9
    driver.send(.editorReturned(token: job.token, .stub(mine)))
    let menu = try #require(driver.state.boxes.last as? MenuBox).menu
    #expect(menu.items.map(\.label) == ["Save mine over it", "Keep it as it is now, discard mine"])
    #expect(driver.shows("both changed its times."))
    driver.press("esc")
    #expect(driver.state.boxes.count == 1, "what was written would be lost")
    driver.press("s")
    #expect(driver.board["a"]?.stub.times == 9 && driver.state.boxes.isEmpty)
  }

  @Test func whatIsHeldAsChosenIsHeldSoWhenItIsDoneAgain() {
    var driver = driver(entries())
    driver.add([.make(1)])
    driver.press("1 h b")
    let hold = Action.hold(.both)
    #expect(driver.board.entries.first?.stub.then == hold && driver.board.entries.count == 3)
    driver.press("esc u")
    #expect(driver.board.stubs.map(\.name) == ["a", "b"])
    driver.press("ctrl-r")
    #expect(driver.board.entries.first?.stub.then == hold && driver.board.entries.count == 3)
    driver.press("h")
    #expect(driver.board.stubs.map(\.name) == ["a", "b"])
    driver.press("u")
    #expect(driver.board.entries.first?.stub.then == hold)
  }

  // MARK: Layouts

  /// How the detail of a request stands is no matter of theirs.
  @Test(arguments: ["2", "3"]) func theDetailStandsAsItHasRoomWhateverTheListOfRequestsHas(_ tab: String) {
    var screens: [String] = []
    for isBeside in [nil, true, false] as [Bool?] {
      var view = ViewSettings()
      view.detailBeside = isBeside
      view.listShare = isBeside == nil ? 50 : 20
      var driver = ConsoleDriver(width: 140, height: 40, view: view)
      driver.board = Sample.board()
      driver.send(.board(driver.board, by: nil))
      driver.add(Sample.exchanges())
      driver.press(tab)
      screens.append(driver.lines.dropFirst().joined(separator: "\n"))
    }
    #expect(screens[0] == screens[1] && screens[0] == screens[2])
  }

  @Test func aStubThatNobodyMetIsNotAskedForAgain() {
    var driver = driver(entries())
    #expect(driver.state.stubs.nextTick(in: driver.state.context.body) == nil)
    driver.press("j")
    #expect(driver.state.stubs.nextTick(in: driver.state.context.body) == nil)
  }

  // MARK: Colours of themes

  @Test func ofASwatchAsMuchIsSeenAsHasRoom() {
    let whole = Theme.builtIn.swatch(room: 200).map(\.text)
    #expect(whole.joined() == " ✓ 200 ! 404 ✗ 503  chosen  ‖ held ◆ stub → 301 \"key\": \"文字\" 12 true dim ")
    let ends = [1, 7, 13, 19, 28, 35, 42, 48, 62, 65, 70, 74]
    for room in 0...80 {
      let width = textWidth(Theme.builtIn.swatch(room: room).map(\.text).joined())
      #expect(width == ends.last { $0 <= room } ?? 1, "\(room)")
    }
  }

  @Test func whatIsFoundInTheOutputIsMarkedPartsOfLettersToo() {
    var driver = ConsoleDriver(setup: ConsoleSetup(mode: .run(command: "app")))
    driver.press("5")
    driver.send(.output([OutputLine(at: driver.now, stream: .output, text: "a xe\u{301} y")]))
    driver.press("/")
    driver.type("xe")
    driver.press("enter")
    let grid = driver.state.draw().grid
    let row = driver.lines.firstIndex { $0.contains(" y") && $0.contains("a x") } ?? 0
    let marked = (0..<grid.width).filter { grid[Point(x: $0, y: row)]?.style == driver.state.context.theme[.match] }
    #expect(marked == [12])
  }
}
