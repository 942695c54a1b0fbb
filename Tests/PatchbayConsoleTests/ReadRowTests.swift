import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// A key is about the row that was under the cursor when the person made up their mind, while newer ones come.
@Suite(.bounded) struct ReadRowTests {
  private func driver(newestSince milliseconds: Int64) -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.add([.make(1, "GET", "https://api.example.com/v1/read")])
    driver.now = Timestamp(microseconds: driver.now.microseconds + 2_000_000)
    driver.add([.make(2, "GET", "https://api.example.com/v1/just-came")])
    driver.now = Timestamp(microseconds: driver.now.microseconds + milliseconds * 1_000)
    return driver
  }

  @Test(arguments: [(50, "/v1/read"), (199, "/v1/read"), (200, "/v1/just-came"), (400, "/v1/just-came")])
  func aKeyIsAboutTheRowThatWasRead(_ since: Int64, _ path: String) {
    for (keys, sentence) in [("x", "GET \(path)"), ("h", "hold GET \(path)"), ("s", "GET \(path)")] {
      var driver = driver(newestSince: since)
      driver.press(keys)
      if keys == "x" {
        #expect(driver.shows("Fail: this endpoint"))
        driver.press("enter")
        #expect(driver.board.entries.first?.stub.name.hasSuffix(sentence) == true)
      } else {
        #expect(driver.board.entries.first?.stub.name == sentence)
      }
    }
    var driver = driver(newestSince: since)
    driver.press("enter")
    #expect(driver.watched == (path == "/v1/read" ? 1 : 2))
    #expect(driver.state.requests.list.selectedID == driver.watched)
  }

  @Test func aKeyThatIsAboutNoRowLeavesTheCursorOnTheNewest() {
    var driver = driver(newestSince: 50)
    driver.press("/ esc")
    #expect(driver.state.requests.list.selectedID == 2)
    driver.add([.make(3)])
    #expect(driver.state.requests.list.selectedID == 3)
  }

  /// Who goes to a row by a key or a click, and types on at once, means that row.
  @Test(arguments: ["G", "k j", "g G", "F F"]) func theRowThatOneHasGoneToIsMeantAtOnce(_ keys: String) {
    var driver = driver(newestSince: 50)
    driver.press(keys)
    driver.press("x enter")
    #expect(driver.board.entries.first?.stub.name.hasSuffix("GET /v1/just-came") == true)
    driver.press("u")
    driver.press(keys)
    driver.now = Timestamp(microseconds: driver.now.microseconds + 40_000)
    driver.add([.make(3, "GET", "https://api.example.com/v1/newer")])
    driver.press("x enter")
    #expect(driver.board.entries.first?.stub.name.hasSuffix("GET /v1/just-came") == true)
  }

  /// Where no other row was there long enough to be read.
  @Test func ofTheFirstRowsTheNewestIsMeant() {
    var driver = ConsoleDriver()
    driver.add([.make(1, "GET", "https://api.example.com/v1/first")])
    driver.now = Timestamp(microseconds: driver.now.microseconds + 50_000)
    driver.add([.make(2, "GET", "https://api.example.com/v1/second")])
    driver.now = Timestamp(microseconds: driver.now.microseconds + 50_000)
    driver.press("x enter")
    #expect(driver.board.entries.first?.stub.name.hasSuffix("GET /v1/second") == true)
  }

  @Test func oneThatIsHeldIsAnnouncedAndMeant() {
    var driver = driver(newestSince: 1_000)
    driver.add([.make(3, "POST", "https://api.example.com/v1/login", phase: .heldRequest)])
    driver.press("c")
    #expect(driver.effects.last == .decide([HeldDecision(id: 3, decision: .continue(request: nil, response: nil))]))
  }
}
