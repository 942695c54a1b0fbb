import Foundation
import PatchbayStubs
import PatchbayWire

/// Makes exchanges as a busy program would: the same each time, bodies of 1 KiB.
public struct Million {
  private var state: UInt64 = 42
  private let words: [String]

  public init() {
    words = "alpha beta gamma delta order user price total name value city street ただいま メンテナンス状態".split(separator: " ")
      .map(String.init)
  }

  /// Of that id, as it is when it has ended.
  public mutating func exchange(_ id: Int64) -> Exchange {
    let kind = Int(next() % 40)
    let host = ["api.example.com", "cdn.example.com", "auth.example.com", "shop.example.jp"][kind % 4]
    let path = ["users", "orders", "products", "sessions", "feed", "images", "search", "carts", "login", "events"][
      kind / 4]
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: "bench", pid: 4_242),
      startedAt: Timestamp(microseconds: 1_700_000_000_000_000 + id * 200),
      request: RecordedRequest(
        method: kind % 5 == 0 ? "POST" : "GET", url: "https://\(host)/v1/\(path)/\(next() % 10_000)?page=\(next() % 9)",
        headers: [
          HeaderField("Accept", "application/json"), HeaderField("User-Agent", "bench/1.0"),
          HeaderField("Authorization", "Bearer abcdefghijklmnopqrstuvwxyz"),
        ]))
    let status = next() % 50 == 0 ? 503 : 200
    exchange.response = RecordedResponse(
      status: status,
      headers: [
        HeaderField("Content-Type", "application/json"), HeaderField("Date", "Tue, 14 Nov 2023 22:13:20 GMT"),
        HeaderField("X-Request-Id", String(next(), radix: 16)), HeaderField("Content-Length", "1024"),
      ], body: body(id))
    exchange.phase = .ended
    exchange.outcome = .responded
    exchange.timing = Timing(head: Int64(next() % 50_000), end: Int64(50_000 + next() % 100_000))
    exchange.bytesReceived = 1_024
    return exchange
  }

  /// JSON of about 1 KiB; one in 100,000 has the word `needle`.
  private mutating func body(_ id: Int64) -> Data {
    var text = "{\"id\":\(id),\"items\":["
    if id % 100_000 == 50_000 { text += "\"needle\"," }
    while text.utf8.count < 1_010 { text += "\"\(words[Int(next() % UInt64(words.count))])\"," }
    return Data((text + "0]}").utf8)
  }

  private mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
