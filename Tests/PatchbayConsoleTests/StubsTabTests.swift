import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What the Stubs tab remembers, and its bounds.
@Suite(.bounded) struct StubsTabTests {
  private func stub(_ name: String, _ then: Action = .hold(.request), path: String? = nil) -> Stub {
    Stub(name: name, when: RequestPattern(path: .glob(path ?? "/\(name)")), then: then)
  }

  private func driver(_ entries: [StubBoard.Entry], _ width: Int = 120, _ height: Int = 40) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height)
    driver.board = StubBoard(revision: 1, entries: entries)
    driver.send(.board(driver.board, by: nil))
    driver.press("2")
    return driver
  }

  private func driver(_ names: [String]) -> ConsoleDriver {
    driver(names.map { .init(stub: stub($0), origin: .console) })
  }

  private func names(_ driver: ConsoleDriver) -> [String] { driver.board.stubs.map(\.name) }

  // MARK: What is remembered

  @Test func theBoardsOfTheLastSixtyFourRevisionsAreKnown() {
    var driver = ConsoleDriver()
    for revision in UInt64(1)...70 {
      driver.send(.board(StubBoard(revision: revision), by: nil))
      // The same again is no other.
      driver.send(.board(StubBoard(revision: revision), by: nil))
    }
    let stubs = driver.state.context.stubs
    #expect(stubs.earlier.map(\.revision) == Array(6...69) && stubs.confirmed.revision == 70)
    #expect(stubs.board(revision: 70)?.revision == 70 && stubs.board(revision: 6)?.revision == 6)
    #expect(stubs.board(revision: 5) == nil && stubs.board(revision: 71) == nil)
  }

  @Test func theLastFourFaultsAreKnownTheLastFirst() {
    var driver = driver([])
    for (number, name) in ["timedOut", "offline", "http503", "timedOut", "http404", "http500"].enumerated() {
      guard let fault = FaultPreset[name] else { return #expect(Bool(false), "no \(name)") }
      driver.perform(.editStubs([.add(stub("\(number)", fault.action), at: 0)]))
    }
    driver.perform(.editStubs([.add(stub("no fault"), at: 0)]))
    #expect(driver.state.context.stubs.recentFaults == ["http500", "http404", "timedOut", "http503"])
  }

  @Test func whatIsMadeAnewHasNoHits() {
    var driver = driver(["a", "b"])
    let process = HarnessProcess(name: "p", pid: 1)
    driver.send(.progress(process, ["a", "b"].map { StubProgress(name: $0, hits: 3) }))
    driver.perform(.editStubs([.remove(name: "a"), .add(stub("a"), at: 0)]))
    #expect(driver.state.context.stubs.hits["a"] == nil && driver.state.context.stubs.hits["b"]?.hits == 3)
    driver.send(.board(StubBoard(revision: 9, entries: [.init(stub: stub("x"), origin: .console)]), by: nil))
    #expect(driver.state.context.stubs.hits["b"] == nil)
  }

  /// Each is put beside all before it, which takes its time.
  @Test(arguments: [(200, true), (201, false)])
  func twoHundredStubsAreLookedThroughForThoseThatNothingReaches(_ count: Int, _ isSaid: Bool) {
    let all = StubBoard.Entry(stub: Stub(name: "all", then: .pass(PassChanges())), origin: .console)
    let rest = (1..<count).map { StubBoard.Entry(stub: stub("s\($0)"), origin: .console) }
    let driver = driver([all] + rest)
    #expect(driver.shows("never reached: 1 answers first") == isSaid)
    #expect(
      driver.state.stubs.unreached == (isSaid ? Dictionary(uniqueKeysWithValues: (1..<count).map { ($0, 0) }) : [:]))
  }

  // MARK: The selection

  @Test func theSelectedStubStaysSelectedWhereverItGoes() {
    var driver = driver(["a", "b", "c", "d"])
    driver.press("j j")
    func selected() -> String? { driver.state.stubs.selected?.stub.name }
    #expect(selected() == "c" && driver.state.stubs.selectedPlace == 2)
    driver.send(.board(StubBoard(revision: 2, entries: driver.board.entries.reversed()), by: "x"))
    #expect(selected() == "c" && driver.state.stubs.selectedPlace == 1)
    driver.send(.board(StubBoard(revision: 3, entries: []), by: nil))
    #expect(selected() == nil && driver.state.stubs.selectedPlace == nil)
  }

  @Test func movesEndAtTheEnds() {
    var driver = driver(["a", "b", "c"])
    driver.press("K")
    #expect(
      names(driver) == ["a", "b", "c"] && !driver.effects.contains { if case .editStubs = $0 { true } else { false } })
    driver.press("J")
    #expect(names(driver) == ["b", "a", "c"])
    driver.press("J J J")
    #expect(names(driver) == ["b", "c", "a"] && driver.state.stubs.selected?.stub.name == "a")
    driver.press("u u")
    #expect(names(driver) == ["a", "b", "c"])
    driver.press("ctrl-r K")
    #expect(names(driver) == ["a", "b", "c"])
  }

  @Test func aCopyStandsBelowItsStub() {
    var driver = driver(["a", "b"])
    driver.press("c")
    #expect(names(driver) == ["a", "a 2", "b"] && driver.shows("Copied “a” into “a 2”, which is selected."))
    driver.press("u")
    #expect(names(driver) == ["a", "b"])
  }

  // MARK: Several

  @Test func ofTheMarkedThoseThatAreOffAreTurnedOnFirst() {
    var driver = driver(["a", "b", "c"])
    driver.press("j space k m m m space")
    #expect(driver.board.stubs.map(\.enabled) == [true, true, true] && driver.shows("3 stubs on."))
    #expect(driver.effects.contains(.editStubs([.setEnabled(name: "b", true)])))
    driver.press("u")
    #expect(driver.board.stubs.map(\.enabled) == [true, false, true])
    driver.press("ctrl-r space")
    #expect(driver.board.stubs.map(\.enabled) == [false, false, false] && driver.shows("3 stubs off."))
  }

  @Test func whatIsDeclaredInCodeIsNotDeleted() {
    let code = StubBoard.Entry(stub: stub("in code", .code), origin: .code("demo 7"))
    let other = StubBoard.Entry(stub: stub("here"), origin: .console)
    var driver = driver([code, other])
    driver.press("d")
    #expect(driver.shows("It is declared in the code of demo 7: switch it off instead.") && names(driver).count == 2)
    driver.press("m d")
    #expect(driver.shows("They are declared in code: switch them off instead.") && names(driver).count == 2)
    driver.press("m d")
    #expect(driver.shows("Deleted 1 stub. Those in code can only be switched off.") && names(driver) == ["in code"])
    driver.press("u")
    #expect(names(driver) == ["in code", "here"])
  }

  @Test func aMarkGoesWithItsStubAndByItsKey() {
    var driver = driver(["a", "b"])
    driver.press("m m")
    #expect(driver.state.stubs.marked == ["a", "b"])
    driver.press("m")
    #expect(driver.state.stubs.marked == ["a"])
    driver.send(.board(StubBoard(revision: 5, entries: [.init(stub: stub("b"), origin: .console)]), by: nil))
    #expect(driver.state.stubs.marked.isEmpty)
  }

  // MARK: Scenarios

  @Test(arguments: [9, 10]) func nineStatesHaveAKeyOfTheirOwn(_ count: Int) {
    let entries = (1..<count).map { number in
      var stub = stub("s\(number)")
      stub.scenario = Stub.Scenario("story", in: "state \(number)", to: nil)
      return StubBoard.Entry(stub: stub, origin: .console)
    }
    var driver = driver(entries)
    driver.press("s")
    guard let box = driver.state.boxes.last as? MenuBox else { return #expect(Bool(false), "no menu") }
    #expect(
      box.menu.items.map { $0.key.map(\.description) ?? "-" }
        == ["1", "2", "3", "4", "5", "6", "7", "8", "9", "-"].prefix(count).map(\.self))
    #expect(box.menu.items.map(\.detail) == ["the beginning"] + Array(repeating: "", count: count - 1))
    #expect(box.menu.items.map(\.isOn) == [true] + Array(repeating: false, count: count - 1))
    driver.press("3")
    #expect(driver.effects.last == .setScenario(ScenarioState(name: "story", state: "state 2")))
  }

  @Test func aScenarioIsInTheStatesThatTheProcessesSay() {
    var driver = driver([])
    func states() -> [String] { driver.state.stubs.states(ofScenario: "story") }
    func moved(_ pid: Int32, _ state: String) {
      driver.send(.scenarios(HarnessProcess(name: "p", pid: pid), [ScenarioState(name: "story", state: state)]))
    }
    #expect(states() == [Stub.Scenario.start])
    moved(2, "b")
    #expect(states() == ["b"])
    moved(1, "a")
    #expect(states() == ["a", "b"])
    moved(3, "a")
    #expect(states() == ["a", "b"])
    moved(2, Stub.Scenario.start)
    #expect(states() == ["a"])
    moved(1, Stub.Scenario.start)
    moved(3, Stub.Scenario.start)
    #expect(states() == [Stub.Scenario.start] && driver.state.context.stubs.scenarios.isEmpty)
  }

  // MARK: The mouse

  @Test func aClickOnTheSwitchTurnsItAndTwoElsewhereOpenTheForm() throws {
    var driver = driver(["a", "b", "c"])
    let row = try #require(driver.lines.firstIndex { $0.contains("/b") })
    func click(_ x: Int) {
      driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: x, y: row)))))
      driver.send(.input(.mouse(MouseEvent(.release(.left), at: Point(x: x, y: row)))))
    }
    let on = driver.state.stubs.table(width: 120).places[1].x
    click(on + 6)
    #expect(driver.state.stubs.selected?.stub.name == "b" && driver.board["b"]?.stub.enabled == true)
    driver.now.microseconds += 1_000_000
    click(on)
    #expect(driver.board["b"]?.stub.enabled == false && driver.state.boxes.isEmpty)
    driver.now.microseconds += 1_000_000
    click(on + 6)
    click(on + 6)
    #expect((driver.state.boxes.last as? StubForm)?.original.name == "b")
  }

  // MARK: What can be done

  @Test func commandsArePossibleWhereTheyMeanSomething() {
    func possible(_ driver: ConsoleDriver) -> Set<StubsTabCommand> {
      Set(StubsTabCommand.allCases.filter(driver.state.stubs.isPossible))
    }
    let always: Set<StubsTabCommand> = [.addStub, .bringBackStubs, .loadStubs, .setUnmatched]
    #expect(possible(driver([])) == always)
    var one = driver(["a"])
    let needless: Set<StubsTabCommand> = [.clearFilter, .writeStubs]
    #expect(possible(one) == Set(StubsTabCommand.allCases).subtracting(needless))
    one.press("m")
    #expect(possible(one).contains(.clearFilter))
    let file = StubBoard.Origin.file("/s.yaml")
    let edited = driver([.init(stub: stub("a"), origin: file, edited: true, baseline: stub("b"))])
    #expect(possible(edited).contains(.writeStubs) && !possible(edited).contains(.clearFilter))
  }
}
