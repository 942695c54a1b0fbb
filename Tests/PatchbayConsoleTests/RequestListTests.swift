import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite struct RequestListTests {
  @Test func aLiveRequestAppearsAndChangesInPlace() {
    var driver = ConsoleDriver()
    driver.add([.make(1, phase: .waiting)])
    #expect(driver.shows("… waiting"))
    driver.add([.make(1, status: 503)])
    #expect(driver.shows("✗ 503"))
    #expect(!driver.shows("waiting"))
    #expect(driver.state.requests.order.count == 1)
  }
}
