import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct FirstFrameTests {
  private func driver() -> ConsoleDriver {
    var driver = ConsoleDriver(width: 80, height: 24, start: false)
    _ = driver.state.start()
    return driver
  }

  @Test func nothingIsSaidBeforeTheHistoryHasAnswered() {
    var driver = driver()
    driver.send(.recorded(1_000_000))
    #expect(!driver.shows("No program is linked"))
    #expect(!driver.shows("Reading"))
    #expect(driver.state.nextTick != nil)
    driver.now.microseconds += 200_000
    driver.send(.tick)
    #expect(driver.shows("Reading…"))
    driver.send(.ids(IDBatch(token: driver.state.requests.list.query.token, ids: [])))
    #expect(driver.shows("No program is linked"))
  }
}
