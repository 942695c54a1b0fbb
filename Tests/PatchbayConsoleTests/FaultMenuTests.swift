import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct FaultMenuTests {
  /// On DELETE /v1/users/7.
  private func driver() -> ConsoleDriver {
    var driver = Sample.driver(120, 40)
    driver.press("1 G k")
    return driver
  }

  @Test func tabGoesFromTheEndpointToEverything() {
    var driver = driver()
    driver.press("x")
    for reach in [
      "this endpoint", "this host", "this process", "this program", "every request", "only this id",
    ] {
      #expect(driver.shows("Fail: \(reach) · all of them"), "\(reach)")
      driver.press("tab")
    }
    #expect(driver.shows("Fail: this endpoint · all of them"))
    driver.press("esc G x tab")
    #expect(driver.shows("Fail: this host"))
  }

  @Test func anEndpointHasAnyIDsUnlessItIsNarrowedToThisOne() throws {
    var driver = driver()
    driver.press("x o f f l enter")
    let entry = try #require(driver.board.entries.first)
    #expect(entry.stub.when.path == .matches("^/v1/users/[^/]+$"))
    #expect(entry.stub.name == "Offline: DELETE /v1/users/{id}")
    #expect(driver.shows("on for DELETE /v1/users/{id}"))
    #expect(driver.lines.contains { $0.contains("✗") && $0.contains("/v1/users/7") })
    driver.press("x enter")
    #expect(driver.board.entries.map(\.stub) == Sample.board().stubs)
    driver.press("x shift-tab o f f l enter")
    #expect(driver.board.entries.first?.stub.when.path == .glob("/v1/users/7"))
    #expect(driver.shows("on for DELETE /v1/users/7"))
  }

  @Test func whatDoesNotFitIsSaidAndTheBarShowsWhereOneIs() {
    var driver = Sample.driver(80, 20)
    driver.press("1 G k x")
    #expect(driver.lines.contains { $0.contains("↓ ") && $0.contains(" more") })
    #expect(driver.shows("┃"))
    driver.press("end")
    #expect(driver.lines.contains { $0.contains("↑ ") && $0.contains(" more") })
  }

  @Test func whatItIsLimitedToIsSaidAndInTheList() {
    var driver = driver()
    driver.press("x + + + % o f f l enter")
    #expect(driver.shows("“Offline” is on for DELETE /v1/users/{id}, the next 3 of each process, a share of 50 %."))
    #expect(driver.board.entries.first?.stub.times == 3)
    #expect(driver.board.entries.first?.stub.chance == 0.5)
    driver.press("U")
    #expect(driver.shows("the next 3 of each process, a share of 50 %"))
  }

  /// Whether the list shows a fault beside the newest request.
  private func hasSign(_ driver: ConsoleDriver, _ path: String = "/v1/orders") -> Bool {
    driver.lines.contains { $0.contains(path) && $0.contains("✗ ") }
  }

  private func oneRequest() -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.add([.make(1, "GET", "https://api.example.com/v1/orders")])
    return driver
  }

  @Test func aFaultThatIsMadeAnewHasNoHits() throws {
    var driver = oneRequest()
    driver.press("x 3 c a n n enter")
    let name = try #require(driver.board.entries.first?.stub.name)
    driver.send(.progress(driver.exchanges[0].process, [StubProgress(name: name, hits: 3)]))
    #expect(!hasSign(driver))
    for _ in 0..<2 {
      driver.press("x 3 c a n n enter")
      #expect(driver.board.entries.map(\.stub.name) == [name])
      #expect(hasSign(driver))
      #expect(driver.state.stubs.snapshot.hits[name] == nil)
      driver.press("x enter")
      #expect(driver.board.entries.isEmpty)
      #expect(!hasSign(driver))
    }
  }

  @Test func eachProcessHasItsOwnNextOnes() throws {
    var driver = oneRequest()
    driver.press("x 1 c a n n enter")
    #expect(driver.shows("the next one of each process"))
    let name = try #require(driver.board.entries.first?.stub.name)
    driver.send(.progress(driver.exchanges[0].process, [StubProgress(name: name, hits: 1)]))
    #expect(!hasSign(driver))
    driver.add([.make(2, "GET", "https://api.example.com/v1/orders", process: "other")])
    #expect(hasSign(driver))
    driver.press("x enter")
    #expect(driver.board.entries.isEmpty)
  }

  @Test func thisProcessIsThatOneAlone() throws {
    var driver = oneRequest()
    let process = driver.exchanges[0].process
    driver.press("x tab tab o f f l enter")
    #expect(driver.board.entries.first?.stub.when.process == .glob("\(process.name) \(process.pid)"))
    driver.press("x tab tab o f f l enter")
    #expect(driver.board.entries.isEmpty)
    driver.press("x tab tab tab o f f l enter")
    #expect(driver.board.entries.first?.stub.when.process == .glob(process.name))
    #expect(driver.shows("on for every \(process.name)"))
  }

  @Test func aStubOfAFileThatIsAFaultIsSwitchedOffAndNotTakenAway() throws {
    var driver = oneRequest()
    driver.press("x o f f l enter")
    let stub = try #require(driver.board.entries.first?.stub)
    driver.board = StubBoard(revision: 9)
    driver.board = try driver.board.apply(.fileLoaded(path: "/s.yaml", [stub]))
    driver.send(.board(driver.board, by: nil))
    driver.press("x o f f l enter")
    #expect(driver.board.entries.map(\.stub.enabled) == [false])
    driver.press("u x c a n n enter")
    #expect(driver.board.entries.map(\.stub.enabled) == [true, false])
    driver.press("u")
    #expect(driver.board.entries.map(\.stub.enabled) == [true])
  }

  // MARK: Finding

  /// What the menu lists, from the top.
  private func first(_ driver: ConsoleDriver) -> String {
    let lines = driver.lines
    guard let place = lines.firstIndex(where: { $0.contains("Type to find") || $0.contains("│ › ") }) else { return "" }
    return lines[place + 2]
  }

  @Test(arguments: [
    ("5 0 3", "503 Service Unavailable"), ("4 2 9", "429 Too Many Requests"), ("t i m e", "Timed out"),
    ("k b", "20 kB/s and 2 s"), ("3 g", "3G"), ("r e s e t", "Connection reset by peer"), ("j s o n", "Broken JSON"),
  ])
  func whatIsTypedFindsAFaultByItsWordsOrItsStatus(_ keys: String, _ title: String) {
    var driver = oneRequest()
    driver.press("x")
    #expect(first(driver).contains("Timed out"))
    driver.press(keys == "3 g" ? "g backspace f a s t" : keys)
    #expect(first(driver).contains(title), "\(first(driver))")
    driver.press("enter")
    #expect(driver.board.entries.count == 1)
    #expect(driver.board.entries.first?.stub.chance == nil)
    #expect(driver.board.entries.first?.stub.times == nil)
  }

  @Test func theEndpointAnswers503ForTheNextThreeInFourKeys() throws {
    var driver = oneRequest()
    driver.press("x 3 5 enter")
    let stub = try #require(driver.board.entries.first?.stub)
    #expect(stub.then == FaultPreset["http503"]?.action)
    #expect(stub.times == 3)
    #expect(driver.shows("503 Service Unavailable” is on for GET /v1/orders, the next 3"))
  }

  @Test func aHostTimesOutWithThreeKeysAndIsBackWithTwo() throws {
    var driver = oneRequest()
    driver.press("x tab enter")
    #expect(driver.board.entries.first?.stub.when == RequestPattern(host: .glob("api.example.com")))
    driver.press("x")
    #expect(first(driver).contains("● Timed out") && first(driver).contains("api.example.com"))
    driver.press("enter")
    #expect(driver.board.entries.isEmpty)
    #expect(driver.shows("“Timed out” is off for api.example.com"))
  }

  @Test func whatWasHadLastIsOnTopTheNextTime() {
    var driver = oneRequest()
    driver.press("x 5 0 2 enter x enter x")
    #expect(first(driver).contains("502 Bad Gateway") && first(driver).contains("recent"))
    driver.press("1 0 enter")
    #expect(driver.board.entries.first?.stub.times == 10)
    #expect(driver.board.entries.first?.stub.name.hasPrefix("502") == true)
  }

  @Test func whatNobodyKnowsDoesNothing() {
    var driver = oneRequest()
    driver.press("x z z z")
    #expect(driver.shows("No fault matches."))
    driver.press("enter")
    #expect(driver.board.entries.isEmpty)
    driver.press("backspace backspace backspace o f f l")
    #expect(first(driver).contains("Offline"))
    driver.press("esc")
    #expect(driver.state.boxes.isEmpty)
    #expect(driver.board.entries.isEmpty)
  }
}
