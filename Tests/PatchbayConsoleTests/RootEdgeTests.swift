import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What the root keeps in order: which box has the keys, which notice goes, what is told to whom, and what is drawn alike.
@Suite(.bounded) struct RootEdgeTests {
  // MARK: Boxes

  @Test func theUppermostBoxHasTheKeysAndTheLowestTheScreen() {
    var menu = Menu<[Outcome]>(title: "A menu", items: [])
    var boxes = BoxStack()
    boxes.replaceTop(with: HelpBox())
    #expect(boxes.isEmpty && boxes.topPlace == nil && boxes.screen == nil && boxes.line == nil && boxes.popups.isEmpty)
    boxes.push(MenuBox(menu))
    #expect(boxes.topPlace == .popup && boxes.screen == nil && boxes.line == nil && boxes.popups.count == 1)
    menu.isOffer = true
    boxes.replaceTop(with: MenuBox(menu))
    #expect(boxes.count == 1 && boxes.topPlace == .offer && boxes.popups.count == 1)
    boxes.replaceTop(with: StubForm(adding: "new"))
    #expect(boxes.topPlace == .form && boxes.screen is StubForm && boxes.line == nil && boxes.popups.isEmpty)
    boxes.push(Prompt(.searchEditor))
    #expect(boxes.topPlace == .line && boxes.screen is StubForm && boxes.line is Prompt && boxes.popups.isEmpty)
    boxes.replaceTop(with: MenuBox(menu))
    #expect(boxes.topPlace == .popup, "an offer over another box takes the keys as a popup does")
    #expect(boxes.count == 2 && boxes.screen is StubForm && boxes.line == nil && boxes.popups.count == 1)
    let popped = [boxes.pop(), boxes.pop(), boxes.pop()]
    #expect(popped[0] is MenuBox && popped[1] is StubForm && popped[2] == nil && boxes.isEmpty)
  }

  /// How many requests its pattern fits is counted anew.
  @Test func aFormIsToldOfWhatIsRecordedMeanwhile() {
    var driver = Sample.driver(120, 36)
    driver.press("2 e")
    func asked() -> Int { driver.effects.filter { if case .preview = $0 { true } else { false } }.count }
    let before = asked()
    driver.now.microseconds += 5_000_000
    driver.send(.tick)
    #expect(asked() == before, "nothing was recorded")
    driver.add([.make(2_000)])
    driver.now.microseconds += 1_000_000
    driver.send(.tick)
    #expect(asked() == before + 1)
  }

  // MARK: Notices

  @Test func aNoticeAboutWhatIsHeldGoesWithoutTheOthers() {
    var driver = ConsoleDriver()
    for (isAboutHeld, onlyAboutHeld, isGone) in [
      (false, true, false), (false, false, true), (true, true, true), (true, false, true),
    ] {
      driver.perform(.say(Notice(.info, "a notice"), isAboutHeld: isAboutHeld))
      #expect(driver.shows("a notice"))
      driver.perform(.hush(onlyAboutHeld: onlyAboutHeld))
      #expect((driver.state.toast == nil) == isGone, "\(isAboutHeld) \(onlyAboutHeld)")
    }
  }

  @Test func whatIsHeldNoLongerIsNotAnnounced() {
    var driver = ConsoleDriver()
    let changes = [Exchange.make(7, phase: .heldRequest), .make(7)].map { ExchangeChange($0.summary) }
    driver.send(.exchanges(changes, query: driver.query.token))
    #expect(driver.state.toast == nil && !driver.shows("Held:"))
    driver.send(.exchanges([changes[0]], query: driver.query.token))
    #expect(driver.shows("Held: GET api.example.com/v1/users"), "\(driver.screen)")
  }

  // MARK: Who is told

  @Test func trafficIsStaleWhereItIsShownOrWasCounted() {
    func counted() -> ConsoleDriver {
      var driver = ConsoleDriver()
      driver.press("3")
      driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, TrafficReport()))
      return driver
    }
    var shown = counted()
    #expect(!shown.state.traffic.isStale)
    shown.add([.make(1)])
    #expect(shown.state.traffic.isStale)
    var elsewhere = counted()
    elsewhere.press("5")
    elsewhere.add([.make(1)])
    #expect(!elsewhere.state.traffic.isStale, "it is counted when it is shown")
  }

  /// On the whole second, as the rate in the head.
  @Test(arguments: [("3", 1_700_000_001_000_000), ("5", 1_700_000_006_400_000)] as [(String, Int64)])
  func trafficIsCountedAgainOnTheSecondWhileItIsShown(_ tab: String, _ tick: Int64) {
    var driver = ConsoleDriver()
    driver.now.microseconds += 400_000
    driver.press("3")
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, TrafficReport()))
    driver.press(tab)
    // Its notice stays for six seconds.
    driver.send(.imported(ImportReport(name: "a.har", ids: [1])))
    #expect(driver.state.nextTick?.microseconds == tick)
  }

  @Test func releasingAllIsOfferedForMoreThanOne() {
    var driver = ConsoleDriver()
    for count in 0...3 {
      #expect(driver.state.tabs.isPossible(.global(.releaseAll)) == (count > 1), "\(count)")
      driver.add([.make(Int64(count + 1), phase: .heldRequest)])
    }
  }

  @Test func whatIsExplainedFollowsTheStubs() {
    var driver = ConsoleDriver()
    var exchange = Exchange.make(1)
    exchange.revision = 99
    driver.add([exchange])
    driver.press("enter left")
    #expect(driver.shows("There were no stubs."))
    for (revision, name) in [(3, "first one"), (4, "second one")] as [(UInt64, String)] {
      let stub = Stub(name: name, then: .pass(PassChanges()))
      driver.send(
        .board(StubBoard(revision: revision, entries: [.init(stub: stub, origin: .console)]), by: nil))
      #expect(driver.shows(name) && !driver.shows("There were no stubs."), "\(driver.screen)")
    }
    #expect(!driver.shows("first one"))
  }

  // MARK: What is drawn alike

  @Test(arguments: [0, 1, 7, 8, 9, 10, 30]) func aFieldShowsItsCursorAndTheColumnAfterIt(_ count: Int) {
    let text = String((0..<count).map { Character("\($0 % 10)") })
    let editor = TextEditor(text, singleLine: true)
    for hasKeys in [true, false] {
      var grid = Grid(Size(width: 14, height: 3))
      let area = Rect(x: 2, y: 1, width: 10, height: 1)
      grid.drawField(editor, in: area, .builtIn, ground: .input, hasKeys: hasKeys)
      let seen = String(hasKeys ? text.suffix(8) : text.prefix(10))
      let padding = String(repeating: " ", count: 10 - seen.count)
      #expect(grid.text(row: 1, columns: 2..<12) == seen + padding)
      let cursor: Point? = hasKeys ? Point(x: 2 + min(count, 8), y: 1) : nil
      #expect(grid.cursor == cursor)
      #expect(grid.lines[0].isEmpty && grid.lines[2].isEmpty)
    }
  }

  @Test(arguments: [
    (12, false, " abcdef  xy"), (11, false, " abc    xy"), (9, false, " abc  xy"), (8, false, " a…  xy"),
    (11, true, " abcd…  xy"), (8, true, " a…  xy"),
  ])
  func aLineAboveATabLosesWholePiecesUnlessItIsToBeCut(_ width: Int, _ isCut: Bool, _ line: String) {
    var grid = Grid(Size(width: width, height: 1))
    grid.drawBreadcrumb(
      [.init("abc", .key), .init("def", .dim)], "xy", isCut: isCut, in: Rect(x: 0, y: 0, width: width, height: 1),
      ConsoleDriver().state.context)
    #expect(grid.lines[0] == line)
  }

  /// What only explains goes as a whole; what is said at the right is seen as far as it can be.
  @Test(arguments: [(9, "xy", " abc  xy"), (8, "xy", "     xy"), (4, "abcdef", "abc…"), (6, "abcdef", "abcdef")])
  func anExplanationGoesFirst(_ width: Int, _ right: String, _ line: String) {
    var grid = Grid(Size(width: width, height: 1))
    grid.drawBreadcrumb(
      [.init("abc", .dim)], right, in: Rect(x: 0, y: 0, width: width, height: 1), ConsoleDriver().state.context)
    #expect(grid.lines[0] == line)
  }
}
