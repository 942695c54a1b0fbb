import Foundation
import PatchbayStubs
import PatchbayWire

/// Exchanges as they would have been recorded, with defaults.
enum RecordedExchange {
  static func make(
    id: Int64 = 1, _ method: String = "GET", _ url: String = "http://a.example/x", headers: [HeaderField] = [],
    body: Data? = nil, status: Int = 200, answer: Data? = Data("ok".utf8),
    answerHeaders: [HeaderField] = [HeaderField("Content-Type", "text/plain")]
  ) -> Exchange {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: "app", pid: 1), startedAt: Timestamp(microseconds: id * 1_000_000),
      request: RecordedRequest(method: method, url: url, headers: headers, body: body))
    exchange.response = RecordedResponse(status: status, headers: answerHeaders, body: answer)
    exchange.outcome = .responded
    exchange.phase = .ended
    exchange.timing = Timing(head: 1_000, end: 2_000)
    return exchange
  }

  static func failed(id: Int64 = 1, _ url: String, name: String, code: Int) -> Exchange {
    var exchange = make(id: id, "GET", url)
    exchange.response = nil
    exchange.outcome = .failed
    exchange.error = RecordedError(domain: "NSURLErrorDomain", code: code, name: name)
    return exchange
  }

  /// Text that breaks naive quoting.
  static let hostile = "a'b\"c\\d$(touch /nowhere)`id`!x\n\r\t\u{1B}[31m\u{202E}%s \\(1) {{uuid}} あ𠮷"
}
