import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct StubOfferTests {
  private func driver(_ url: String, _ method: String = "GET") -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.add([.make(7, method, url)])
    driver.press("s")
    return driver
  }

  private func pattern(_ driver: ConsoleDriver) -> RequestPattern? { driver.board.entries.first?.stub.when }

  @Test func aStubIsForTheEndpointOrForThisIDOnly() {
    var driver = driver("https://api.example.com/v1/users/42/orders/0f8fad5b-d9cb-469f-a165-70867728950e.json?x=1")
    #expect(driver.shows("Only this id"))
    #expect(pattern(driver)?.path == .matches("^/v1/users/[^/]+/orders/[^/]+\\.json$"))
    #expect(driver.board.entries.first?.stub.name == "GET /v1/users/{id}/orders/{id}.json")
    driver.press("i")
    #expect(pattern(driver)?.path == .glob("/v1/users/42/orders/0f8fad5b-d9cb-469f-a165-70867728950e.json"))
    driver.press("i")
    #expect(pattern(driver)?.path == .matches("^/v1/users/[^/]+/orders/[^/]+\\.json$"))
    driver.press("i u")
    #expect(driver.board.entries.isEmpty)
    driver.press("ctrl-r")
    #expect(pattern(driver)?.path == .glob("/v1/users/42/orders/0f8fad5b-d9cb-469f-a165-70867728950e.json"))
  }

  @Test func aRequestThatIsHeldMeanwhileTakesTheOfferAwayAndHasTheKeys() {
    var driver = ConsoleDriver()
    driver.add([.make(1, "POST", "https://api.example.com/v1/login")])
    driver.press("h")
    #expect(driver.state.boxes.count == 1)
    driver.add([.make(2, "POST", "https://api.example.com/v1/login", phase: .heldRequest)])
    #expect(driver.state.boxes.isEmpty)
    driver.press("a")
    #expect(driver.shows("Answer request 2 yourself"))
  }

  @Test func anOfferGoesWithItsSentenceAndTheFooterOffersNoneOfItsKeys() {
    var driver = driver("https://api.example.com/v1/users/42")
    #expect(driver.lines.last?.contains("e edit") == false)
    driver.now = Timestamp(microseconds: driver.now.microseconds + 20_000_000)
    driver.send(.tick)
    #expect(driver.state.boxes.isEmpty)
    #expect(driver.lines.last?.contains("e edit") == true)
  }

  @Test func queryAndBodyByChoice() {
    var driver = driver("https://api.example.com/v1/users?q=%E5%B1%B1%20x&star=*", "POST")
    driver.press("w b")
    #expect(pattern(driver)?.query == [.init("q", .glob("山 x")), .init("star", .matches("^\\*$"))])
    #expect(pattern(driver)?.body == BodyPattern(json: ["name": "花子"]))
    driver.press("w b")
    #expect(
      pattern(driver) == RequestPattern(methods: ["POST"], host: .glob("api.example.com"), path: .glob("/v1/users")))
  }

  @Test func anyOtherKeyGoesOnAsIfThereWereNoOffer() {
    var driver = driver("https://api.example.com/v1/users/42")
    driver.press("2")
    #expect(driver.state.tab == .stubs)
    #expect(driver.state.boxes.isEmpty)
  }

  @Test func severalBecomeOneSequenceInsteadOnWish() {
    var driver = ConsoleDriver()
    driver.add([.make(1, status: 500), .make(2), .make(3)])
    driver.press("g m m s S")
    #expect(driver.board.entries.count == 1)
    guard case .sequence(let steps, _)? = driver.board.entries.first?.stub.then else {
      return #expect(Bool(false), "no sequence")
    }
    #expect(steps.compactMap { $0.response?.status } == [500, 200])
    driver.press("u")
    #expect(driver.board.entries.isEmpty)
  }

  @Test func whetherTheAnswerIsHeldTooCanBeChosen() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("h a")
    #expect(driver.board.entries.first?.stub.then == .hold(.response))
    driver.press("b")
    #expect(driver.board.entries.first?.stub.then == .hold(.both))
    driver.press("h")
    #expect(driver.board.entries.isEmpty)
    driver.press("H b")
    #expect(driver.state.stubs.snapshot.holdAll == .both)
    driver.press("u")
    #expect(driver.state.stubs.snapshot.holdAll == nil)
  }

  @Test func aHeldRequestIsAnsweredWithAStub() {
    var driver = ConsoleDriver()
    driver.board = StubBoard(
      revision: 3,
      entries: [
        .init(
          stub: Stub(
            name: "hello", enabled: false,
            then: .respond(CannedResponse(status: 202, body: .json(["you": "{{request.method}} {{count}}"])))),
          origin: .console)
      ])
    driver.send(.board(driver.board, by: nil))
    driver.add([.make(2, "POST", "https://api.example.com/v1/login", phase: .heldRequest)])
    driver.press("c w")
    #expect(driver.shows("hello"))
    driver.press("enter")
    guard case .decide(let decisions)? = driver.effects.last, case .respond(let response)? = decisions.first?.decision
    else { return #expect(Bool(false), "no answer") }
    #expect(response.status == 202)
    #expect(response.body == .data(Data(#"{"you":"POST 1"}"#.utf8)))
    #expect(response.headers == [HeaderField("Content-Type", "application/json")])
  }
}

@Suite(.bounded) struct ActiveFaultTests {
  @Test func aFaultThatIsOnIsShownBesideItsRequests() {
    var driver = ConsoleDriver()
    driver.add([.make(1), .make(2, "GET", "https://api.example.com/v1/other")])
    driver.press("g x enter")
    #expect(driver.lines.contains { $0.contains("✗") && $0.contains("/v1/users") })
    #expect(!driver.lines.contains { $0.contains("✗") && $0.contains("/v1/other") })
    driver.press("x enter")
    #expect(!driver.lines.contains { $0.contains("✗") && $0.contains("/v1/users") })
  }

  @Test func theAirplaneSwitchIsInTheHeader() {
    var driver = ConsoleDriver()
    driver.press("! o f f l enter")
    #expect(driver.lines[0].contains("✗ EVERYTHING: Offline"))
    driver.press("! enter")
    #expect(!driver.lines[0].contains("EVERYTHING"))
  }

  @Test func oneThatIsUsedUpIsOnAgainWithTheSameKeys() throws {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.press("x + enter")
    let name = try #require(driver.board.entries.first?.stub.name)
    driver.send(.progress(driver.exchanges[0].process, [StubProgress(name: name, hits: 1)]))
    driver.press("x + enter")
    #expect(driver.board.entries.count == 1)
    #expect(driver.board.entries.first?.stub.enabled == true)
    #expect(driver.shows("is on for"))
  }

  private func marked(_ exchanges: [Exchange]) -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.add(exchanges)
    for _ in exchanges { driver.press("m k") }
    return driver
  }

  @Test func requestsThatOnlyTheirQueryTellsApartMakeStubsThatBothMatch() {
    var driver = marked([
      .make(1, "GET", "https://a.example/list?page=1"), .make(2, "GET", "https://a.example/list?page=2"),
    ])
    driver.press("s")
    #expect(Set(driver.board.entries.map(\.stub.when)).count == 2)
    #expect(driver.board.entries.allSatisfy { $0.stub.when.query.map(\.name) == ["page"] })
    #expect(driver.shows("query tells"))
    #expect(Set(driver.board.entries.map(\.stub.name)) == ["GET /list?page=1", "GET /list?page=2"])
    driver.press("w")
    #expect(Set(driver.board.entries.map(\.stub.when)).count == 1)
  }

  @Test func ofRequestsThatAreAlikeItIsSaid() {
    var driver = marked([.make(1, "GET", "https://a.example/x"), .make(2, "GET", "https://a.example/x")])
    driver.press("s")
    #expect(driver.shows("S makes one that answers in turn"))
    driver.press("S")
    #expect(driver.board.entries.map(\.stub.name) == ["GET /x, 2 in turn"])
  }

  @Test func aSequenceIsNamedAfterWhatItAnswersAndSelected() {
    var driver = marked([
      .make(1, "GET", "https://a.example/users/12"), .make(2, "GET", "https://a.example/users/13"),
    ])
    driver.press("S")
    #expect(driver.board.entries.first?.stub.name == "GET /users/*, 2 in turn")
    #expect(driver.board.entries.first?.stub.when.path == .matches("^/users/[^/]+$"))
    driver = marked([
      .make(1, "GET", "https://a.example/v1/orders"), .make(2, "PUT", "https://a.example/v1/orphans"),
    ])
    driver.board = StubBoard(
      revision: 3,
      entries: (0..<4).map { .init(stub: Stub(name: "\($0)", then: .hold(.request)), origin: .console) })
    driver.send(.board(driver.board, by: nil))
    driver.press("2 G 1 S 2")
    #expect(driver.board.entries.first?.stub.name == "/v1/*, 2 in turn")
    #expect(driver.board.entries.first?.stub.when.path == .glob("/v1/*"))
    #expect(driver.state.stubs.selected?.stub.name == "/v1/*, 2 in turn")
  }
}
