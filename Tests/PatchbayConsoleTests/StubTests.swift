import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct StubTests {
  @Test func spaceTogglesAndUndoTogglesBack() {
    var driver = Sample.driver(120, 36)
    driver.press("2 space")
    #expect(driver.board["orders down"]?.stub.enabled == false)
    #expect(driver.lines.contains { $0.contains("○") && $0.contains("orders down") })
    driver.press("u")
    #expect(driver.board["orders down"]?.stub.enabled == true)
    driver.press("ctrl-r")
    #expect(driver.board["orders down"]?.stub.enabled == false)
  }

  @Test func aChangeIsSeenBeforeTheRuntimeAnswers() {
    let driver = Sample.driver(120, 36)
    var state = driver.state
    for key in ["2", "space", "e"] { _ = state.update(.input(.key(Key(parsing: key) ?? .escape)), at: driver.now) }
    #expect(state.draw().grid.text.contains("○ off"))
    let effects = state.update(.input(.key(.control("s"))), at: driver.now)
    #expect(!effects.contains { if case .editStubs = $0 { true } else { false } })
    var board = driver.board
    board.revision += 1
    _ = state.update(.board(board, by: nil), at: driver.now)
    #expect(state.stubs.board == board)
  }

  @Test func movingKeepsTheSelectionOnTheStub() {
    var driver = Sample.driver(120, 36)
    driver.press("2 J J")
    #expect(driver.board.entries.map(\.stub.name).prefix(3) == ["look at logins", "time out", "orders down"])
    #expect(driver.state.stubs.selected?.stub.name == "orders down")
    driver.press("u u")
    #expect(driver.board.entries.first?.stub.name == "orders down")
  }

  @Test func deletingComesBackWithItsEdits() {
    var driver = Sample.driver(120, 36)
    let before = driver.board["orders down"]?.stub
    driver.press("2 d")
    #expect(driver.board["orders down"] == nil)
    driver.press("u")
    #expect(driver.board["orders down"]?.stub == before)
    #expect(driver.board.entries.first?.stub.name == "orders down")
  }

  /// Two programs on loopback differ in nothing else.
  @Test(
    arguments: [
      ("http://127.0.0.1:18471/x", 18_471), ("http://[::1]:8080/x", 8_080), ("https://a.example:443/x", nil),
      ("http://a.example:80/x", nil), ("https://a.example:80/x", 80), ("http://a.example/x:9", nil),
      ("http://ann:1@a.example/x", nil),
    ] as [(String, Int?)])
  func thePortOfARequestIsInItsStub(url: String, port: Int?) {
    #expect(StubProposal.stub(of: .make(1, "GET", url))?.when.port == port)
    let summary = ExchangeSummary(Exchange.make(1, "GET", url))
    #expect(FaultScope(reach: .host).pattern(from: summary)?.port == port)
  }

  @Test func aStubOfARequestHasItsRealAnswer() throws {
    var driver = ConsoleDriver()
    driver.add([.make(7, "GET", "https://api.example.com/v1/orders?x=1", status: 418, body: "{\"b\":1,\"a\":2.50}")])
    driver.press("s")
    let stub = try #require(driver.board.entries.first?.stub)
    #expect(stub.enabled)
    #expect(stub.when == RequestPattern(methods: ["GET"], host: .glob("api.example.com"), path: .glob("/v1/orders")))
    #expect(stub.then.response?.status == 418)
    #expect(stub.then.response?.body == .json(.members(["b": 1, "a": .number("2.50")])))
    #expect(driver.shows("u undoes"))
    driver.press("u")
    #expect(driver.board.entries.isEmpty)
  }

  @Test func markedOnesBecomeSeveralOrOneSequence() {
    var driver = ConsoleDriver()
    driver.add([.make(1, status: 500), .make(2), .make(3)])
    driver.press("g m m s")
    #expect(driver.board.entries.count == 2)
    driver.press("u S")
    #expect(driver.board.entries.count == 1)
    guard case .sequence(let steps, _) = driver.board.entries.first?.stub.then else {
      return #expect(Bool(false), "no sequence")
    }
    #expect(steps.compactMap { $0.response?.status } == [500, 200])
  }

  @Test func anAnswerThatHoldsABraceStaysAsItCame() {
    let stub = StubProposal.stub(of: .make(1, headers: [], body: "a {{literal}} text"))
    #expect(stub?.then.response?.body == .data(Data("a {{literal}} text".utf8)))
  }

  @Test func aFaultIsOnWithTwoKeysAndOffWithTheSame() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("x enter")
    #expect(driver.board.entries.first?.stub.then == FaultPreset["timedOut"]?.action)
    #expect(driver.shows("“Timed out” is on for GET /v1/users"))
    driver.press("x")
    #expect(driver.shows("● Timed out"))
    driver.press("enter")
    #expect(driver.board.entries.isEmpty)
    driver.press("u")
    #expect(driver.board.entries.count == 1)
  }

  @Test func anotherFaultTakesThePlaceOfTheFirst() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("x enter x o f f l enter")
    #expect(driver.board.entries.count == 1)
    #expect(driver.board.entries.first?.stub.then == FaultPreset["offline"]?.action)
  }

  @Test func aFaultForTheNextThreeOfThisHost() throws {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("x tab + + + % enter")
    let stub = try #require(driver.board.entries.first?.stub)
    #expect(stub.when == RequestPattern(host: .glob("api.example.com")))
    #expect(stub.times == 3)
    #expect(stub.chance == 0.5)
  }

  @Test func theAirplaneSwitch() {
    var driver = ConsoleDriver()
    driver.press("! o f f l enter")
    #expect(driver.board.entries.first?.stub.when == RequestPattern())
    driver.press("! o f f l enter")
    #expect(driver.board.entries.isEmpty)
  }

  @Test func holdingAnEndpointAndEverything() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("h")
    #expect(driver.board.entries.first?.stub.then == .hold(.request))
    driver.press("h")
    #expect(driver.board.entries.isEmpty)
    driver.press("H")
    #expect(driver.state.stubs.snapshot.holdAll == .request)
    #expect(driver.shows("HOLDING ALL"))
    driver.press("u")
    #expect(driver.state.stubs.snapshot.holdAll == nil)
  }

  @Test func whatAnotherDoesIsShownWithItsName() {
    var driver = Sample.driver(120, 36)
    var board = driver.board
    board.revision += 1
    driver.send(.board(board, by: "patchbay stubs"))
    #expect(driver.shows("patchbay stubs changed the stubs."))
    let name = board.entries[0].stub.name
    board.entries[0].stub.enabled.toggle()
    board.revision += 1
    driver.send(.board(board, by: "patchbay 7 of sh 6"))
    #expect(driver.shows("changed the stubs. “\(name)” is \(board.entries[0].stub.enabled ? "on" : "off")."))
    board.entries.removeFirst()
    board.revision += 1
    driver.send(.board(board, by: "patchbay 8"))
    #expect(driver.shows("“\(name)” is gone."))
  }

  @Test func aStubThatWasMadeIsTheSelectedOneOnItsTab() {
    for keys in ["s", "S", "h"] {
      var driver = Sample.driver(120, 36)
      driver.press("2 j j j 1 k k k k k \(keys) esc 2")
      #expect(driver.state.stubs.scroll.selected == 0 && driver.state.stubs.board.entries.count == 6, "\(keys)")
      driver.press("d u")
      #expect(driver.state.stubs.scroll.selected == 0, "what was brought back is selected")
    }
  }

  @Test func aCopyOfAStubIsSelectedAndAnnounced() {
    var driver = Sample.driver(120, 36)
    driver.press("2 g j c")
    #expect(driver.shows("Copied “look at logins” into “look at logins 2”, which is selected."))
    driver.press("d")
    #expect(driver.state.stubs.board.entries.map(\.stub.name).contains("look at logins"))
    #expect(!driver.state.stubs.board.entries.map(\.stub.name).contains("look at logins 2"))
    driver.press("y")
    guard case .copyStubs = driver.effects.last else { return #expect(Bool(false), "not copied") }
  }

  @Test func whatWasDeletedComesBackAfterItsFileWasWritten() throws {
    var driver = ConsoleDriver()
    let stubs = ["a", "b", "c"].map { Stub(name: $0, then: .hold(.request)) }
    driver.board = try StubBoard().apply(.fileLoaded(path: "/s.yaml", stubs))
    driver.send(.board(driver.board, by: nil))
    driver.press("2 j d")
    #expect(driver.board.entries.map(\.stub.name) == ["a", "c"])
    // Writing the file makes it what the board is.
    driver.board.removed = []
    driver.board = try driver.board.apply(.fileLoaded(path: "/s.yaml", [stubs[0], stubs[2]]))
    driver.send(.board(driver.board, by: nil))
    driver.press("u")
    #expect(driver.board.entries.map(\.stub.name) == ["a", "b", "c"])
    driver.press("ctrl-r")
    #expect(driver.board.entries.map(\.stub.name) == ["a", "c"])
  }

  @Test func undoingDoesWhatCanStillBeDone() throws {
    var driver = ConsoleDriver()
    driver.board = StubBoard(entries: [.init(stub: Stub(name: "a", then: .hold(.request)), origin: .console)])
    driver.send(.board(driver.board, by: nil))
    driver.press("2 space")
    driver.board = StubBoard(revision: 7)
    driver.send(.board(driver.board, by: "a script"))
    driver.press("u")
    #expect(driver.board.entries.isEmpty)
    #expect(driver.shows("nothing was left to undo"))
  }
}
