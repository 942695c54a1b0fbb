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
      "this endpoint", "this endpoint, any id", "this host", "this process", "this program", "every request",
    ] {
      #expect(driver.shows("Fail: \(reach) · all of them"), "\(reach)")
      driver.press("tab")
    }
    #expect(driver.shows("Fail: this endpoint · all of them"))
    driver.press("esc G x tab")
    #expect(driver.shows("Fail: this host"))
  }

  @Test func aFaultForAnyIDFailsTheOthersToo() throws {
    var driver = driver()
    driver.press("x tab b")
    let entry = try #require(driver.board.entries.first)
    #expect(entry.stub.when.path == .matches("^/v1/users/[^/]+$"))
    #expect(entry.stub.name == "Offline: DELETE /v1/users/*")
    #expect(driver.shows("on for DELETE /v1/users/*"))
    #expect(driver.lines.contains { $0.contains("✗") && $0.contains("/v1/users/7") })
    driver.press("x tab b")
    #expect(driver.board.entries.map(\.stub) == Sample.board().stubs)
  }

  @Test func whatDoesNotFitIsSaidAndTheBarShowsWhereOneIs() {
    var driver = Sample.driver(80, 20)
    driver.press("1 G k x")
    #expect(driver.lines.contains { $0.contains("↓ ") && $0.contains(" more") })
    #expect(driver.shows("┃"))
    driver.press("G")
    #expect(driver.lines.contains { $0.contains("↑ ") && $0.contains(" more") })
  }

  @Test func whatItIsLimitedToIsSaidAndInTheList() {
    var driver = driver()
    driver.press("x + + + % b")
    #expect(driver.shows("“Offline” is on for DELETE /v1/users/7, the next 3 of each process, a share of 50 %."))
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
    driver.press("x + + + d")
    let name = try #require(driver.board.entries.first?.stub.name)
    driver.send(.progress(driver.exchanges[0].process, [StubProgress(name: name, hits: 3)]))
    #expect(!hasSign(driver))
    for _ in 0..<2 {
      driver.press("x + + + d")
      #expect(driver.board.entries.map(\.stub.name) == [name])
      #expect(hasSign(driver))
      #expect(driver.state.stubs.snapshot.hits[name] == nil)
      driver.press("x d")
      #expect(driver.board.entries.isEmpty)
      #expect(!hasSign(driver))
    }
  }

  @Test func eachProcessHasItsOwnNextOnes() throws {
    var driver = oneRequest()
    driver.press("x + d")
    #expect(driver.shows("the next one of each process"))
    let name = try #require(driver.board.entries.first?.stub.name)
    driver.send(.progress(driver.exchanges[0].process, [StubProgress(name: name, hits: 1)]))
    #expect(!hasSign(driver))
    driver.add([.make(2, "GET", "https://api.example.com/v1/orders", process: "other")])
    #expect(hasSign(driver))
    driver.press("x d")
    #expect(driver.board.entries.isEmpty)
  }

  @Test func thisProcessIsThatOneAlone() throws {
    var driver = oneRequest()
    let process = driver.exchanges[0].process
    driver.press("x tab tab b")
    #expect(driver.board.entries.first?.stub.when.process == .glob("\(process.name) \(process.pid)"))
    driver.press("x tab tab b")
    #expect(driver.board.entries.isEmpty)
    driver.press("x tab tab tab b")
    #expect(driver.board.entries.first?.stub.when.process == .glob(process.name))
    #expect(driver.shows("on for every \(process.name)"))
  }

  @Test func aStubOfAFileThatIsAFaultIsSwitchedOffAndNotTakenAway() throws {
    var driver = oneRequest()
    driver.press("x b")
    let stub = try #require(driver.board.entries.first?.stub)
    driver.board = StubBoard(revision: 9)
    driver.board = try driver.board.apply(.fileLoaded(path: "/s.yaml", [stub]))
    driver.send(.board(driver.board, by: nil))
    driver.press("x b")
    #expect(driver.board.entries.map(\.stub.enabled) == [false])
    driver.press("u x d")
    #expect(driver.board.entries.map(\.stub.enabled) == [true, false])
    driver.press("u")
    #expect(driver.board.entries.map(\.stub.enabled) == [true])
  }
}
