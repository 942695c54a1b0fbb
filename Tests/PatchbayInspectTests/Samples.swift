import Foundation
import PatchbayStubs
import PatchbayWire

extension Exchange {
  /// An ended exchange with an answer, as the tests like it.
  static func sample(
    id: Int64 = 1, method: String = "GET", url: String = "https://api.example.com/v1/users?page=2",
    process: String = "demo", status: Int? = 200, requestHeaders: [HeaderField] = [], requestBody: String? = nil,
    headers: [HeaderField] = [HeaderField("Content-Type", "application/json")], body: String? = "{\"ok\":true}",
    at: Int64 = 1_700_000_000_000_000, duration: Int64? = 34_000, by: Answerer = .network, stub: String? = nil
  ) -> Exchange {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: process, pid: 4121), startedAt: Timestamp(microseconds: at),
      request: RecordedRequest(
        method: method, url: url, headers: requestHeaders, body: requestBody.map { Data($0.utf8) }))
    if let status {
      exchange.response = RecordedResponse(status: status, headers: headers, body: body.map { Data($0.utf8) })
      exchange.bytesReceived = Int64(body?.utf8.count ?? 0)
    }
    exchange.bytesSent = Int64(requestBody?.utf8.count ?? 0)
    exchange.timing = Timing(head: duration.map { $0 / 2 }, end: duration)
    exchange.phase = duration == nil ? .waiting : .ended
    exchange.outcome = duration == nil ? nil : .responded
    exchange.by = by
    exchange.stub = stub
    return exchange
  }

  /// One that ended with an error.
  static func failed(id: Int64 = 1, url: String = "https://api.example.com/v1/feed", name: String, code: Int)
    -> Exchange
  {
    var exchange = sample(id: id, url: url, status: nil)
    exchange.outcome = .failed
    exchange.error = RecordedError(
      domain: "NSURLErrorDomain", code: code, name: name, message: "The request timed out.")
    return exchange
  }
}
