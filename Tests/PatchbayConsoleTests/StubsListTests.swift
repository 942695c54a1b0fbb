import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The list of stubs and its detail: before the runtime has answered, and where there is little room.
@Suite(.bounded) struct StubsListTests {
  private let now = Timestamp(microseconds: 1_700_000_000_000_000)

  private func stub(_ name: String, _ then: Action = .hold(.request), enabled: Bool = true) -> Stub {
    Stub(name: name, enabled: enabled, when: RequestPattern(path: .glob("/\(name)")), then: then)
  }

  private func driver(_ stubs: [Stub], _ width: Int = 120, _ height: Int = 40) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height)
    driver.board = StubBoard(revision: 1, entries: stubs.map { .init(stub: $0, origin: .console) })
    driver.send(.board(driver.board, by: nil))
    driver.press("2")
    return driver
  }

  private func layout(_ driver: ConsoleDriver) -> Layout {
    driver.state.stubs.layout(in: driver.state.context.body, driver.state.context)
  }

  // MARK: Before the runtime has answered

  /// A console on the Stubs tab whose runtime answers nothing.
  private func unanswered() -> ConsoleState {
    var state = ConsoleState(size: Size(width: 120, height: 36), now: now)
    _ = state.start()
    let entries = ["a", "b"].map { StubBoard.Entry(stub: stub($0), origin: .console) }
    _ = state.update(.board(StubBoard(revision: 7, entries: entries), by: nil), at: now)
    _ = press("2", &state)
    return state
  }

  private func press(_ keys: String, _ state: inout ConsoleState) -> [ConsoleEffect] {
    var effects: [ConsoleEffect] = []
    for name in keys.split(separator: " ") {
      effects += state.update(.input(.key(Key(parsing: name) ?? .escape)), at: now)
    }
    return effects
  }

  @Test func aChangeIsInForceHereBeforeItHasARevision() {
    var state = unanswered()
    let effects = press("space", &state)
    #expect(effects.contains(.editStubs([.setEnabled(name: "a", false)])))
    #expect(state.stubs.board["a"]?.stub.enabled == false && state.stubs.board.revision == 7)
    #expect(state.draw().grid.text.contains("1 of 2 on · revision 7"))
  }

  @Test func whatNoStubTakesIsDecidedAtOnce() {
    var state = unanswered()
    var effects = press("n f", &state)
    #expect(effects.contains(.setUnmatched(.fail)))
    #expect(state.context.stubs.unmatched == .fail && state.draw().grid.lines[0].contains("unmatched: fail"))
    effects = press("n f", &state)
    #expect(!effects.contains(.setUnmatched(.fail)), "it is so already")
    var offline = unanswered()
    let loaded = ConsoleEvent.stubFileLoaded(path: "/x.yaml", count: 2, isNew: true, isOffline: true)
    effects = offline.update(loaded, at: now)
    #expect(effects.contains(.setUnmatched(.fail)) && offline.context.stubs.unmatched == .fail)
  }

  /// What was said of a stub stays while it is asked for anew; of another one it goes.
  @Test func theDetailIsOfTheSelectedStub() {
    var state = unanswered()
    func shows(_ text: String) -> Bool { state.draw().grid.text.contains(text) }
    func detail(_ name: String, _ text: String, enabled: Bool = true) -> ConsoleEvent {
      .stubDetail(StubDetail(stub: stub(name, enabled: enabled), yaml: "- note: \(text)\n", last: []))
    }
    #expect(shows("Reading…"))
    _ = state.update(detail("a", "first"), at: now)
    #expect(shows("note: first") && !shows("Reading…"))
    _ = press("space", &state)
    #expect(shows("note: first") && shows("Off: space turns it on.") && !shows("Reading…"))
    _ = state.update(detail("a", "late"), at: now)
    #expect(!shows("note: late"), "it is another by now")
    _ = press("j", &state)
    #expect(shows("Reading…") && !shows("note: first"))
    _ = state.update(detail("a", "late", enabled: false), at: now)
    #expect(shows("Reading…") && !shows("note: late"))
    _ = state.update(detail("b", "second"), at: now)
    #expect(shows("note: second") && !shows("Reading…"))
  }

  // MARK: The selection

  @Test func theSelectedStubIsInSight() {
    var driver = driver((0..<40).map { stub("s\($0)") }, 80, 24)
    driver.press("G")
    #expect(driver.state.stubs.scroll == ListScroll(selected: 39, top: 40 - layout(driver).rows.height))
    driver.press("d")
    #expect(driver.state.stubs.selected?.stub.name == "s38")
    #expect(driver.state.stubs.scroll == ListScroll(selected: 38, top: 39 - layout(driver).rows.height))
  }

  @Test func ofSeveralThatAreMadeTheLastIsSelected() {
    var driver = driver(["a", "b"].map { stub($0) })
    driver.perform(.editStubs([.add(stub("x"), at: 0), .add(stub("y"), at: 0)]))
    #expect(driver.board.stubs.map(\.name) == ["y", "x", "a", "b"])
    #expect(driver.state.stubs.selected?.stub.name == "y")
  }

  @Test func aFilterStaysWhereWhatIsMadeFitsIt() {
    var driver = driver(["a", "b"].map { stub($0) })
    driver.press("/")
    driver.type("new")
    driver.press("enter")
    driver.perform(.editStubs([.add(stub("new one"), at: nil)]))
    #expect(driver.state.stubs.filter == "new" && driver.state.stubs.selected?.stub.name == "new one")
    driver.perform(.editStubs([.add(stub("another"), at: nil)]))
    #expect(driver.state.stubs.filter.isEmpty && driver.state.stubs.selected?.stub.name == "another")
  }

  @Test func aFaultThatIsHadAgainIsKnownOnce() {
    var driver = driver([])
    for (number, name) in ["timedOut", "offline", "timedOut"].enumerated() {
      guard let fault = FaultPreset[name] else { return #expect(Bool(false), "no \(name)") }
      driver.perform(.editStubs([.add(stub("\(number)", fault.action), at: 0)]))
    }
    #expect(driver.state.context.stubs.recentFaults == ["timedOut", "offline"])
  }

  // MARK: Words

  @Test(arguments: [
    (1, "201, then last"), (3, "201 → 202 → 203, then last"), (4, "201 → 202 → 203 → 204, then last"),
    (5, "201 → 202 → 203 → 204 → …, then last"), (9, "201 → 202 → 203 → 204 → …, then last"),
  ])
  func ofASequenceTheFirstFourAreSaid(_ count: Int, _ text: String) {
    let steps = (1...count).map { Action.respond(CannedResponse(status: 200 + $0)) }
    #expect(StubWords.action(.sequence(steps, afterwards: .last)) == text)
  }

  @Test func oneThatTakesNothingMoreDoesNotLookAsIfItDid() {
    var all = Stub(name: "all", then: .pass(PassChanges()), times: 2)
    var driver = driver([all, stub("b")], 200, 40)
    func row(_ text: String) -> String { driver.lines.first { $0.contains(text) } ?? "" }
    #expect(row("2 times").contains("●") && row(" b ").contains("●"))
    driver.send(.progress(HarnessProcess(name: "demo", pid: 7), [StubProgress(name: "all", hits: 2)]))
    #expect(row("2 of 2, used up").contains("◌") && row(" b ").contains("●"))
    all.times = nil
    driver.perform(.editStubs([.replace(name: "all", with: all)]))
    #expect(row("never reached: 1 answers first").contains("◌"))
  }

  @Test func ofAFileItIsSaidHowToDecideTheRestWhileThatGoesToTheNetwork() {
    var driver = driver([])
    func load(_ text: String) {
      driver.send(.stubFileLoaded(path: "/tmp/s.yaml", count: 1, isNew: true))
      let toast = Toast(Notice(.good, text), undoable: true, isAboutHeld: false, at: driver.now)
      #expect(driver.state.toast == toast)
    }
    load("Loaded 1 stub of s.yaml. n decides what no stub takes.")
    driver.press("n f")
    load("Loaded 1 stub of s.yaml.")
  }

  // MARK: Menus

  @Test(arguments: [9, 10, 11]) func nineSetsHaveAKeyOfTheirOwn(_ count: Int) throws {
    var driver = ConsoleDriver(width: 100, height: 40)
    let entries = (1...count).map { StubBoard.Entry(stub: stub("s\($0)"), origin: .file("/f\($0).yaml")) }
    driver.send(.board(StubBoard(revision: 1, entries: entries), by: nil))
    driver.press("2 o")
    let menu = try #require(driver.state.boxes.last as? MenuBox).menu
    #expect(menu.items.map(\.label) == (1...count).map { "f\($0).yaml" })
    let keys: [String] = (1...count).map { $0 <= 9 ? "\($0)" : "-" }
    #expect(menu.items.map { $0.key.map(\.description) ?? "-" } == keys)
    #expect(menu.items.allSatisfy { $0.isOn == true && $0.detail == "1 of 1 on" })
  }

  @Test func whatCannotBeReadIsCopiedAndIsNotLostThereby() throws {
    var driver = driver([stub("a")])
    driver.press("E")
    guard case .openEditor(let job)? = driver.effects.last else { return #expect(Bool(false), "no editor") }
    driver.send(.editorReturned(token: job.token, .broken("line 3: no such key.\nline 4: odd.", text: "stubs: oops")))
    let menu = try #require(driver.state.boxes.last as? MenuBox).menu
    #expect(menu.text == ["line 3: no such key.", "line 4: odd."] && menu.note == "the stub is in force as it was")
    driver.press("y")
    #expect(driver.effects.last == .copy(text: "stubs: oops", label: "what you wrote"))
    #expect(driver.state.boxes.count == 1)
    driver.press("e")
    guard case .openEditor(let again)? = driver.effects.last else { return #expect(Bool(false), "no editor") }
    #expect(again.draft == "stubs: oops" && again.content == .stub(stub("a")) && driver.state.boxes.isEmpty)
  }

  // MARK: Little room

  @Test func columnsAreLeftOutInTheirOrder() {
    var limited = stub("a name of some length")
    limited.times = 3
    let driver = driver([limited], 200, 24)
    func missing(_ width: Int) -> [String] {
      let table = driver.state.stubs.table(width: width)
      return table.columns.indices.filter { index in !table.places.contains { $0.index == index } }
        .map { table.columns[$0].title }
    }
    let order = ["limits", "#", "from", "hits"]
    for width in 40...200 {
      let gone = missing(width)
      #expect(Set(gone) == Set(order.prefix(gone.count)), "\(width): \(gone)")
    }
    #expect(missing(200).isEmpty && missing(40).count == 4)
    // On, name, when and then: each as narrow as it is of use, and a little more.
    #expect(driver.state.stubs.table(width: 40).places.map { $0.width } == [2, 10, 11, 10])
  }

  @Test func aLongNameLeavesTheEndsOfTheRule() {
    let driver = driver([stub(String(repeating: "n", count: 200))], 80, 24)
    let head = driver.lines[layout(driver).detailHead.y]
    #expect(head.count == 80 && head.hasPrefix("── n") && head.hasSuffix("n…──"), "\(head)")
  }

  /// Five at most, and where there is little room a third of what the words above them leave.
  @Test(arguments: [16, 20, 24, 30, 40]) func whatItTookLastHasAThirdOfTheRoom(_ height: Int) {
    var driver = driver([stub("a"), stub("b"), stub("off", enabled: false), stub("c")], 80, height)
    driver.add((1...6).map { .make($0, "GET", "http://h/a", stub: "a") })
    driver.add((11...16).map { .make($0, "GET", "http://h/off", stub: "off") })
    func hits(_ path: String) -> Int { driver.lines.filter { $0.contains("#") && $0.hasSuffix(path) }.count }
    driver.press("j k")
    let room = layout(driver).detail.height
    #expect(hits("/a") == min(5, room / 3), "\(driver.screen)")
    driver.press("j j")
    #expect(hits("/off") == min(5, max(1, (room - 2) / 3)), "\(driver.screen)")
  }
}
