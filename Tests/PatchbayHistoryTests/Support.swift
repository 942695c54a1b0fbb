import Foundation
import PatchbayHistory
import PatchbayStubs
import PatchbayWire

/// A folder of its own for one test, gone with it.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "patchbay-history-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var file: String { path + "/history.sqlite" }
}

extension Exchange {
  static func sample(
    id: Int64, method: String = "GET", url: String = "https://api.example.com/v1/users?page=2", status: Int? = 200,
    requestBody: Data? = nil, body: Data? = Data("{\"ok\":true}".utf8), duration: Int64? = 34_000
  ) -> Exchange {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: "demo", pid: 4121),
      startedAt: Timestamp(microseconds: 1_700_000_000_000_000 + id * 1_000),
      request: RecordedRequest(
        method: method, url: url, headers: [HeaderField("Accept", "*/*"), HeaderField("X-Id", "\(id)")],
        body: requestBody))
    if let status {
      exchange.response = RecordedResponse(
        status: status, headers: [HeaderField("Content-Type", "application/json"), HeaderField("Set-Cookie", "a=1")],
        body: body)
      exchange.bytesReceived = Int64(body?.count ?? 0)
    }
    exchange.run = 1
    exchange.timing = Timing(head: duration.map { $0 / 2 }, end: duration)
    exchange.phase = duration == nil ? .waiting : .ended
    exchange.outcome = duration == nil ? nil : .responded
    return exchange
  }
}
