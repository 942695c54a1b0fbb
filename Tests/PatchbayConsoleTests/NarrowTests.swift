import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Heads, tables and status words where there is little room.
@Suite(.bounded) struct NarrowTests {
  @Test(arguments: Array(stride(from: 40, through: 200, by: 7)) + [41, 59, 60, 69, 70, 80, 120])
  func headsOfTablesAreWhole(width: Int) {
    var driver = Sample.driver(width, 24)
    driver.press("2")
    #expect(!driver.lines[2].contains("…"), "\(driver.lines[2])")
    for head in ["on", "name", "when", "then"] { #expect(driver.lines[2].contains(head), "\(width)") }
    driver.press("4")
    #expect(!driver.lines[2].contains("…"), "\(driver.lines[2])")
    for head in ["process", "pid", "stubs"] { #expect(driver.lines[2].contains(head), "\(width)") }
    driver.press("3")
    let row = TrafficStatistics(
      host: "api.example.com", method: "GET", endpoint: "/v1/users/{id}", count: 1_812, errors: 3, p50: 34_000)
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, TrafficReport(endpoints: [row], hosts: [row])))
    for _ in TrafficColumn.allCases {
      #expect(!driver.lines[2].contains("…"), "\(driver.lines[2])")
      #expect(driver.lines[2].contains("↓") || driver.lines[2].contains("↑"), "\(width): \(driver.lines[2])")
      for head in ["endpoint", "count", "errors"] { #expect(driver.lines[2].contains(head), "\(width)") }
      driver.press("o")
    }
  }

  @Test(arguments: Array(stride(from: 40, through: 200, by: 7)) + [41, 59, 60, 69, 70, 80, 120])
  func modesAreSaidWholeAtAnyWidth(width: Int) throws {
    var driver = Sample.driver(width, 24)
    driver.press("H esc")
    #expect(driver.lines[0].contains("HOLDING ALL") || driver.lines[0].contains("HOLD ALL"), "\(driver.lines[0])")
    driver.press("! enter")
    #expect(driver.lines[0].contains("✗ EVERYTHING: ") || driver.lines[0].contains("✗ ALL"), "\(driver.lines[0])")
    driver.press("p")
    #expect(!driver.lines[0].contains("…"), "\(driver.lines[0])")
    if width >= 64 {
      for part in ["HOLD", "✗", "PAUSED", "1 held"] { #expect(driver.lines[0].contains(part), "\(driver.lines[0])") }
    }
    // What is seen is what can be clicked.
    for tab in Tab.allCases {
      let x = try #require(driver.state.header.column(of: tab))
      driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: x, y: 0)))))
      #expect(driver.state.tab == tab)
    }
  }

  @Test func everyErrorHasAWordThatFits() {
    for code in URLErrorCode.all {
      let error = ExchangeSummary.Failure(domain: URLErrorCode.domain, code: code.code, name: code.name)
      let look = OutcomeLook(ended: .failed, status: nil, error: error)
      #expect(textWidth(look.text(fitting: 9)) <= 9, "\(code.name): \(look.text(fitting: 9))")
      #expect(look.text(fitting: 60) == Wording.spaced(code.name))
    }
    let words = Set(URLErrorCode.all.map { Wording.spaced($0.name) })
    for long in OutcomeLook.short.keys { #expect(words.contains(long), "\(long)") }
  }

  @Test func theStatusColumnSaysOfflineWhole() {
    var driver = ConsoleDriver(width: 80, height: 24)
    let error = RecordedError(domain: "NSURLErrorDomain", code: -1009, name: "notConnectedToInternet")
    driver.add([.make(1, error: error)])
    #expect(driver.shows("✗ offline"))
    driver.send(.resized(Size(width: 200, height: 60)))
    #expect(driver.shows("✗ not connected to internet"))
  }

  @Test func countsInTheHeaderHaveTheirCommas() {
    var driver = ConsoleDriver(width: 200, height: 24)
    driver.send(.recorded(1_234_567))
    for _ in 0..<8 {
      driver.now.microseconds += 1_000_000
      let first = driver.state.requests.recorded.newest + 1
      let changes = (first..<(first + 5_000)).map { ExchangeChange(Exchange.make($0, phase: .heldRequest).summary) }
      driver.send(.exchanges(changes, query: driver.query.token))
    }
    for text in ["40,000 held", "1,274,567 requests", "5,000/s"] {
      #expect(driver.lines[0].contains(text), "\(driver.lines[0])")
    }
  }

  @Test func aBreadcrumbLosesWholeParts() {
    for width in stride(from: 56, through: 130, by: 3) {
      var driver = Sample.driver(width, 24)
      driver.press("2")
      #expect(!driver.lines[1].contains("…"), "\(driver.lines[1])")
    }
  }
}
