import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Requests of which not everything is known, or not as it was at first.
@Suite(.bounded) struct ObservedTests {
  private var observed: Exchange {
    var exchange = Exchange.make(1, status: nil)
    (exchange.outcome, exchange.response) = (nil, nil)
    (exchange.timing.end, exchange.bytesReceived) = (nil, 0)
    return exchange
  }

  @Test func whatIsOnlyObservedIsNotShownAsGoingOn() {
    var driver = ConsoleDriver(width: 200, height: 60)
    driver.add([observed, .make(2)])
    driver.now = Timestamp(microseconds: driver.now.microseconds + 60_000_000)
    driver.send(.tick)
    let row = driver.lines.first { $0.contains(" observed ") } ?? ""
    #expect(!row.isEmpty && !row.contains("60 s") && !row.contains("waiting"))
    // The other one's bar has the room that an endless one would take.
    let bars = driver.lines.filter { $0.contains("━━━━━━━━━━") }
    #expect(bars.count == 1 && !row.contains("━━"))
  }

  @Test func itsDetailSaysWhatIsNotKnown() {
    var driver = ConsoleDriver()
    driver.add([observed])
    driver.press("enter")
    #expect(driver.shows("Only observed: the request went its own way."))
    driver.press("right right")
    #expect(driver.shows("Only observed: when it ended is not known."))
    #expect(!driver.shows("Still going on") && !driver.shows("0 B sent"))
    driver.press("right")
    #expect(driver.shows("Only observed: no stub was asked.") && !driver.shows("From the network"))
  }

  @Test func aRedirectIsSeenInTheListAndAboveTheAnswer() {
    var driver = ConsoleDriver()
    var exchange = Exchange.make(1)
    exchange.redirects = [
      RedirectHop(
        status: 302, url: "https://api.example.com/v1/users", headers: [HeaderField("Location", "/v2/users")])
    ]
    driver.add([exchange])
    #expect(driver.shows("→1 network"))
    driver.press("enter")
    #expect(driver.shows("→ after 1 redirect to /v2/users"))
  }

  @Test func ofABodyThatIsCutBothSizesAreSaid() {
    var driver = ConsoleDriver()
    var exchange = Exchange.make(1)
    exchange.response?.truncated = true
    exchange.bytesReceived = 7_700_000
    driver.add([exchange])
    driver.press("enter")
    #expect(driver.shows("JSON · 11 B of 7.7 MB ") && driver.shows("Only 11 B of 7.7 MB was recorded."))
    exchange.response?.body = nil
    driver.add([exchange])
    #expect(driver.shows("The body was not recorded. It had 7.7 MB.") && !driver.shows("No body."))
    exchange.response?.body = Data("{".utf8)
    exchange.bytesReceived = 0
    driver.add([exchange])
    #expect(driver.shows("Only a part of the body was recorded."))
  }

  @Test func anAnswerThatEndsEarlySaysSo() {
    let error = ExchangeSummary.Failure(domain: "NSURLErrorDomain", code: -1, name: "unknown")
    #expect(OutcomeLook(ended: .failed, status: 200, error: error).text == "broke off")
    #expect(OutcomeLook(ended: .failed, status: nil, error: error).text == "unknown error")
    #expect(OutcomeLook(ended: .failed, status: nil, error: error).text(fitting: 9) == "unknown")
  }
}
