import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Menus and offers at their bounds: which keys mean what, what closes them, how wide they are.
@Suite(.bounded) struct BoxEdgeTests {
  private let context = ConsoleDriver().state.context

  private func told(_ out: inout Outcomes) -> [String] {
    out.drain().map { outcome in
      switch outcome {
      case .close: "close"
      case .show(let tab): "show \(tab.title)"
      case .press(let key): "press \(key.description)"
      case .effect(let effect): "\(effect)"
      case .view(let view, _): "view \(view.theme)"
      default: "another"
      }
    }
  }

  // MARK: Menus

  @Test func aMenuClosesUnlessSomethingWouldBeLost() throws {
    let items: [Menu<[Outcome]>.Item] = [
      .init("a", "goes", [.show(.stubs)]), .init("b", "stays", [.show(.output)], staysOpen: true),
    ]
    var menu = Menu<[Outcome]>(title: "A menu", items: items)
    let usual = MenuBox(menu)
    let kept = MenuBox(menu, keepsOpen: true)
    let context = ConsoleDriver().state.context
    #expect(!kept.hints(context).map(\.key).contains("esc") && MenuBox(menu).hints(context).map(\.key).contains("esc"))
    let asking = MenuBox(menu, onInterrupt: [.show(.traffic)])
    let both = MenuBox(menu, keepsOpen: true, onInterrupt: [.show(.traffic)])
    menu.isOffer = true
    let offer = MenuBox(menu)
    for (box, name, expected) in [
      (usual, "a", ["close", "show Stubs"]), (usual, "b", ["show Output"]), (usual, "esc", ["close"]),
      (usual, "ctrl-c", ["close"]), (usual, "q", ["close"]), (usual, "x", []), (usual, "down", []),
      (kept, "a", ["close", "show Stubs"]), (kept, "b", ["show Output"]), (kept, "esc", []), (kept, "ctrl-c", []),
      (asking, "ctrl-c", ["close", "show Traffic"]), (asking, "esc", ["close"]),
      (asking, "a", ["close", "show Stubs"]),
      (both, "ctrl-c", ["close", "show Traffic"]), (both, "esc", []),
      (offer, "a", ["close", "show Stubs"]), (offer, "x", ["close", "press x"]), (offer, "esc", ["close"]),
    ] as [(MenuBox, String, [String])] {
      let key = try #require(Key(parsing: name))
      var pressed = box
      var out = Outcomes()
      pressed.update(.input(.key(key)), context, &out)
      #expect(told(&out) == expected, "\(name)")
    }
    #expect(usual.place == .popup && usual.takenKeys.isEmpty)
    #expect(offer.place == .offer && offer.takenKeys == [Key("a"), Key("b")])
  }

  /// The columns that a menu takes on a screen.
  private func width(_ menu: Menu<Int>, _ screen: Int) -> Int {
    var grid = Grid(Size(width: screen, height: 30))
    menu.draw(on: &grid, ConsoleDriver(width: screen, height: 30).state.context)
    let line = Array(grid.lines.first { $0.contains("╭") } ?? "")
    guard let left = line.firstIndex(of: "╭"), let right = line.firstIndex(of: "╮") else { return 0 }
    return right - left + 1
  }

  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test(arguments: [
    (80, 5, 0, 30), (80, 24, 0, 30), (80, 25, 0, 31), (99, 5, 0, 30), (100, 5, 0, 40), (240, 5, 0, 96),
    (249, 5, 0, 99), (250, 5, 0, 100), (300, 5, 0, 100),
    // Of a detail a third of the screen is seen, or 40.
    (80, 5, 39, 53), (80, 5, 40, 54), (80, 5, 41, 54), (122, 5, 60, 54), (123, 5, 60, 55), (150, 5, 60, 64),
    (240, 15, 90, 104),
  ])
  func aMenuIsAsWideAsWhatStandsInIt(_ screen: Int, _ label: Int, _ detail: Int, _ expected: Int) {
    let menu = Menu<Int>(title: "A menu", items: [.init(nil, text(label), detail: text(detail), 1)])
    #expect(width(menu, screen) == expected)
  }

  @Test func keysSignsTitleNoteAndSentencesTakeTheirRoom() {
    func menu(_ key: String? = nil, isOn: Bool? = nil, title: String = "A menu", note: String = "") -> Menu<Int> {
      Menu(title: title, items: [.init(key, text(5), detail: text(40), isOn: isOn, 1)], note: note)
    }
    #expect(width(menu(), 80) == 54 && width(menu(isOn: false), 80) == 56)
    #expect(width(menu("a"), 80) == 56 && width(menu("ctrl-a"), 80) == 61)
    #expect(width(menu(title: text(60)), 80) == 68 && width(menu(note: text(60)), 80) == 66)
    var asking = menu()
    asking.text = [text(60)]
    #expect(width(asking, 80) == 64)
    // More room than it needs has only what does not stand in the way.
    var offer = Menu<Int>(title: "A menu", items: [.init(nil, text(5), 1)])
    #expect(width(offer, 120) == 48)
    offer.isOffer = true
    #expect(width(offer, 120) == 30)
  }

  @Test(arguments: [(9, 4), (12, 6), (38, 19), (60, 20)])
  func theSentencesAboveAMenuTakeHalfOfTheScreen(_ height: Int, _ expected: Int) {
    var menu = Menu<Int>(title: "A menu", items: [.init(nil, "one", 1)])
    menu.text = Array(repeating: "A sentence.", count: 20)
    var grid = Grid(Size(width: 80, height: height))
    menu.draw(on: &grid, ConsoleDriver(width: 80, height: height).state.context)
    #expect(grid.lines.filter { $0.contains("A sentence.") }.count == expected)
  }

  // MARK: Columns, requests, themes

  @Test(
    arguments: [
      ("space", .toggle), ("enter", .toggle), (">", .resize(by: 1)), ("right", .resize(by: 1)), ("+", .resize(by: 1)),
      ("l", .resize(by: 1)), ("<", .resize(by: -1)), ("left", .resize(by: -1)), ("-", .resize(by: -1)),
      ("h", .resize(by: -1)), ("del", .reset), ("backspace", .reset), ("x", nil), ("down", nil),
    ] as [(String, RequestsMessage.ColumnChange?)])
  func keysChangeTheColumnThatIsSelected(_ name: String, _ change: RequestsMessage.ColumnChange?) throws {
    let key = try #require(Key(parsing: name))
    var (box, out) = (ColumnsMenu([.init(nil, "host", .host), .init(nil, "path", .path)], selected: 1), Outcomes())
    box.update(.input(.key(key)), context, &out)
    let found = out.drain()
    guard let change else { return #expect(found.isEmpty) }
    guard found.count == 1, case .requests(.changeColumn(let column, let asked, let selected))? = found.first else {
      return #expect(Bool(false), "\(name)")
    }
    #expect(column == .path && asked == change && selected == 1)
  }

  @Test func theMenuOfColumnsIsLeftWithEscAndHasNothingToChangeWithoutAny() {
    var (box, out) = (ColumnsMenu([], selected: 0), Outcomes())
    box.update(.input(.key(.space)), context, &out)
    #expect(out.isEmpty)
    box.update(.input(.key(.escape)), context, &out)
    #expect(told(&out) == ["close"])
  }

  @Test func requestsToLookAtAreFilledInAsTheyBecomeKnown() throws {
    let one = Exchange.make(1, "GET", "https://a.example/x").summary
    let two = Exchange.make(2, "PUT", "https://b.example/y", status: 404).summary
    var (box, out) = (RequestsMenu([2, 1, 7], title: "Some", note: "a note", known: [one]), Outcomes())
    #expect(box.menu.title == "Some" && box.menu.note == "a note")
    #expect(box.menu.items.map(\.label) == ["2", "1  GET a.example/x", "7"])
    box.update(.summaries([Exchange.make(9).summary, two]), context, &out)
    #expect(box.menu.items.map(\.label) == ["2  PUT b.example/y", "1  GET a.example/x", "7"])
    #expect(box.menu.items.map(\.detail) == ["! 404", "✓ 200", ""] && out.isEmpty)
    for (name, expected) in [
      ("j", []), ("space", []), ("enter", ["close"]), ("esc", ["close"]),
    ] as [(String, [String])] {
      box.update(.input(.key(try #require(Key(parsing: name)))), context, &out)
      #expect(told(&out) == expected, "\(name)")
    }
    #expect(box.menu.selected == 1)
  }

  @Test func thePickerBeginsAtTheThemeInForceAndTakesNoneTwice() throws {
    let current = context.theme.name
    var (picker, out) = (ThemePicker(["a", current, "z"], current: current), Outcomes())
    #expect(picker.menu.selected == 1 && picker.menu.items.map(\.isOn) == [false, true, false])
    #expect(ThemePicker(["a", "b"], current: current).menu.selected == 0)
    for (name, expected) in [
      ("j", ["useTheme(\"z\")"]), ("k", []), ("k", ["useTheme(\"a\")"]), ("x", []), ("esc", ["close"]),
      ("enter", ["close", "useTheme(\"a\")", "view a"]),
    ] as [(String, [String])] {
      picker.update(.input(.key(try #require(Key(parsing: name)))), context, &out)
      #expect(told(&out) == expected, "\(name)")
    }
    var shown = context
    shown.theme = Theme(name: "a", looks: [:])
    picker.update(.input(.key(.escape)), shown, &out)
    #expect(told(&out) == ["close", "useTheme(\"\(current)\")"], "back to the one before")
  }

  @Test(arguments: [(59, 19), (60, 19), (67, 19), (68, 28), (80, 35), (120, 74)])
  func besideAThemeIsSeenWhatHasRoom(_ screen: Int, _ width: Int) {
    let context = ConsoleDriver(width: screen).state.context
    var (picker, out) = (ThemePicker(["a", "dark", "z"], current: "dark"), Outcomes())
    picker.update(.swatches(["dark": .builtIn]), context, &out)
    #expect(picker.menu.items.map { textWidth($0.swatch.map(\.text).joined()) } == [0, width, 0])
  }

  // MARK: Holding

  @Test func whatIsHeldTooAndChosenAgainGoesBackToTheRequestAlone() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    let steps: [(key: String, point: Action.HoldPoint, sentence: String)] = [
      ("a", .response, "Holding response."), ("b", .both, "Holding request and response."),
      ("b", .request, "Holding requests."), ("a", .response, "Holding response."), ("a", .request, "Holding requests."),
    ]
    func isShown(_ point: Action.HoldPoint, _ sentence: String) -> Bool {
      driver.shows(sentence) && driver.state.boxes.count == 1
        && driver.shows("\(point == .response ? "●" : "·") After: the response")
        && driver.shows("\(point == .both ? "●" : "·") Both, request")
    }
    driver.press("h")
    #expect(driver.shows("Hold this endpoint") && isShown(.request, "Holding requests."))
    for step in steps {
      driver.press(step.key)
      #expect(driver.board.entries.map(\.stub.then) == [.hold(step.point)] && isShown(step.point, step.sentence))
    }
    driver.press("esc H")
    #expect(driver.shows("Hold everything") && isShown(.request, "Holding requests."))
    for step in steps {
      driver.press(step.key)
      #expect(driver.state.stubs.snapshot.holdAll == step.point && isShown(step.point, step.sentence))
    }
  }

  @Test func onlyAHoldThatIsOnIsTakenAway() throws {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("h esc")
    let pattern = try #require(driver.board.entries.first).stub.when
    driver.board = StubBoard(
      revision: 9,
      entries: [
        .init(
          stub: Stub(name: "answer", when: pattern, then: .respond(CannedResponse(status: 200))), origin: .console),
        .init(stub: Stub(name: "off", enabled: false, when: pattern, then: .hold(.request)), origin: .console),
      ])
    driver.send(.board(driver.board, by: nil))
    driver.press("h")
    #expect(driver.board.entries.count == 3 && driver.board.entries.first?.stub.then == .hold(.request))
    driver.press("h")
    #expect(driver.board.entries.map(\.stub.name) == ["answer", "off"])
  }

  // MARK: Stubs that were just made

  @Test func theOfferShowsWhatIsChosenAndOpensTheStub() {
    var driver = ConsoleDriver()
    driver.add([.make(7, "POST", "https://api.example.com/v1/users/42?q=1&r=2")])
    driver.press("s")
    #expect(driver.lines.contains { $0.contains("With its query only") && $0.contains("q=1&r=2") })
    var chosen: Set<String> = []
    for key in ["", "i", "w", "b", "i", "b"] {
      driver.press(key)
      if !key.isEmpty { chosen.formSymmetricDifference([key]) }
      for (key, label) in [("i", "Only this id"), ("w", "With its query only"), ("b", "With its body only")] {
        #expect(driver.shows("\(chosen.contains(key) ? "●" : "·") \(label)"), "\(key) of \(chosen)")
      }
    }
    #expect(!driver.shows("One stub that answers in turn instead"))
    driver.press("e")
    #expect(driver.state.boxes.count == 1 && driver.state.boxes.last is StubForm)
  }

  @Test func ofTwoStubsThatBecomeAlikeOneKeepsItsName() {
    var driver = ConsoleDriver()
    driver.add([
      .make(1, "GET", "https://a.example/list?page=1"), .make(2, "GET", "https://a.example/list?page=2"),
    ])
    driver.press("g m m s w")
    let names = driver.board.entries.map(\.stub.name)
    #expect(names.count == 2 && names.contains("GET /list"))
    #expect(names.contains { $0.hasPrefix("GET /list?page=") }, "\(names)")
    #expect(driver.shows("One stub that answers in turn instead") && !driver.shows("Edit it"))
    driver.press("u")
    #expect(driver.board.entries.isEmpty)
    driver.press("ctrl-r")
    #expect(driver.board.entries.map(\.stub.name) == names)
  }

  @Test func stubsOfRequestsThatAreAlikeHaveNamesOfTheirOwn() {
    var driver = ConsoleDriver()
    driver.add((1...3).map { .make($0, "GET", "https://a.example/x") })
    driver.press("g m m m s")
    #expect(Set(driver.board.entries.map(\.stub.name)) == ["GET /x", "GET /x 2", "GET /x 3"])
  }

  @Test func whatTellsTheRequestsApartIsSaid() {
    func request(_ id: Int64, _ page: Int, _ body: String = "1", phase: Exchange.Phase = .ended) -> Exchange {
      var exchange = Exchange.make(id, "POST", "https://a.example/x?page=\(page)", phase: phase)
      exchange.request.body = Data("{\"a\":\(body)}".utf8)
      return exchange
    }
    func said(_ exchanges: [Exchange]) -> String {
      var out = Outcomes()
      StubOffer.addStubs(of: exchanges, context, &out)
      return out.drain().map { if case .say(let notice, _, _) = $0 { notice.text } else { "" } }.joined()
    }
    let one = "Added the stub “POST /x”: it answers from now on."
    let fit = "some of them apart, so it must fit."
    #expect(said([request(1, 1)]) == one)
    #expect(said([request(1, 1), request(2, 1, phase: .waiting)]) == "\(one) 1 other had no answer yet.")
    #expect(
      said([request(1, 1, phase: .waiting), request(2, 1), request(3, 1, phase: .waiting)])
        == "\(one) 2 others had no answer yet.")
    #expect(
      said([request(1, 1), request(2, 2)])
        == "Added 2 stubs: they answer from now on. Only their query tells \(fit)")
    #expect(
      said([request(1, 1), request(2, 1, "2")])
        == "Added 2 stubs: they answer from now on. Only their body tells \(fit)")
    #expect(
      said([request(1, 1), request(2, 2), request(3, 1, "2")])
        == "Added 3 stubs: they answer from now on. Only their query and body tell \(fit)")
    #expect(
      said([request(1, 1), request(2, 1)])
        == "Added 2 stubs: they answer from now on. Some fit the same requests: the first of these answers; S makes one"
        + " that answers in turn.")
  }

  // MARK: Faults

  private func oneRequest() -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.add([.make(1, "GET", "https://api.example.com/v1/orders")])
    return driver
  }

  @Test func withoutARequestAnEndpointIsEverything() {
    #expect(FaultMenu(.endpoint, context).menu.title == "Fail: every request · all of them")
    #expect(FaultMenu(FaultScope(reach: .host), context).menu.title == "Fail: this host · all of them")
    #expect(FaultMenu(.endpoint, oneRequest().state.context).menu.title == "Fail: this endpoint · all of them")
  }

  @Test func aFaultThatIsOnForTheHostCanBeHadForTheEndpointToo() {
    var driver = oneRequest()
    driver.press("x tab enter x")
    func rows(_ text: String) -> Int { driver.lines.filter { $0.contains(text) }.count }
    #expect(rows("● Timed out") == 1 && rows("· Timed out") == 1)
    driver.press("tab")
    #expect(rows("● Timed out") == 1 && rows("· Timed out") == 0, "here it is on")
    driver.press("tab")
    #expect(rows("● Timed out") == 1 && rows("· Timed out") == 1)
  }

  @Test func aClickBesideAMenuInWhichNothingIsFoundClosesIt() {
    var driver = oneRequest()
    driver.press("x z z z")
    #expect(driver.shows("No fault matches."))
    driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: 1, y: 3)))))
    #expect(driver.state.boxes.isEmpty)
  }

  @Test func aFaultThatWasPutOutComesBackToItsPlace() throws {
    var driver = oneRequest()
    driver.press("x o f f l enter")
    let fault = try #require(driver.board.entries.first)
    func hold(_ name: String) -> StubBoard.Entry {
      .init(stub: Stub(name: name, then: .hold(.request)), origin: .console)
    }
    driver.board = StubBoard(revision: 9, entries: [hold("a"), fault, hold("b")])
    driver.send(.board(driver.board, by: nil))
    func names() -> [String] { driver.board.entries.map(\.stub.name) }
    driver.press("x enter")
    #expect(names() == ["a", "b"])
    driver.press("u")
    #expect(names() == ["a", fault.stub.name, "b"])
    // Another one takes its place on top, and gives it back.
    driver.press("x c a n n enter")
    #expect(names().count == 3 && names().dropFirst() == ["a", "b"])
    driver.press("u")
    #expect(names() == ["a", fault.stub.name, "b"])
  }
}
