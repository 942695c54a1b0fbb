import Foundation
import PatchbayStubs
import PatchbayWire

extension Exchange {
  /// A request of a program, answered with 200 and that text.
  static func answered(_ id: Int64, _ url: String, body: Data) -> Exchange {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: "app", pid: 10),
      startedAt: Timestamp(microseconds: 1_700_000_000_000_000 + id),
      request: RecordedRequest(method: "GET", url: url))
    (exchange.phase, exchange.outcome) = (.ended, .responded)
    exchange.response = RecordedResponse(status: 200, headers: [HeaderField("Content-Type", "text/plain")], body: body)
    return exchange
  }
}
