import PatchbayGrid
import PatchbayStubs
import Testing

@testable import PatchbayConsole

@Suite struct FaultMenuTests {
  /// On DELETE /v1/users/7.
  private func driver() -> ConsoleDriver {
    var driver = Sample.driver(120, 40)
    driver.press("1 G k")
    return driver
  }

  @Test func tabGoesFromTheEndpointToEverything() {
    var driver = driver()
    driver.press("x")
    for reach in ["this endpoint", "this endpoint, any id", "this host", "this process", "every request"] {
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

  @Test func whatItIsLimitedToIsSaidAndInTheList() {
    var driver = driver()
    driver.press("x + + + % b")
    #expect(driver.shows("“Offline” is on for DELETE /v1/users/7, the next 3, a share of 50 %."))
    #expect(driver.board.entries.first?.stub.times == 3)
    #expect(driver.board.entries.first?.stub.chance == 0.5)
    driver.press("U")
    #expect(driver.shows("the next 3, a share of 50 %"))
  }
}
