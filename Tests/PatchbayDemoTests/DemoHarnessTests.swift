import Foundation
import PatchbayTestSupport
import Synchronization
import Testing

@testable import PatchbayDemo

/// One day of the demo's app, as a server sees it.
@Suite(.bounded) struct DemoHarnessTests {
  private static let day = [
    "POST /v1/sessions", "GET /v1/books?page=1", "GET /v1/books/42", "GET /covers/42.png", "GET /v1/books?page=2",
    "POST /v1/reviews", "GET /v1/latest", "GET /v1/books?page=1", "GET /v1/orders/9001", "PUT /v1/photos/7",
    "GET /v1/books?page=3", "GET /v1/search?q=%E6%98%9F%E7%A9%BA", "GET /v1/books?page=2", "GET /v1/recommendations",
    "GET /v1/books?page=1", "GET /v1/books/2", "GET /v1/wishlist",
  ]

  @Test func aDayGoesThroughEachKindOfRequestInItsOrder() async throws {
    let waited = Mutex<Duration?>(nil)
    let mornings = Mutex(0)
    let signIns = Mutex(0)
    let server = try LoopbackServer { answer in
      // The second day's news do not end.
      if answer.request.target == "/v1/events",
        mornings.withLock({
          $0 += 1
          return $0
        }) == 2
      {
        answer.head(200, [("Content-Type", "text/event-stream")])
        return answer.waitForClient()
      }
      if answer.request.target == "/v1/sessions" { signIns.withLock { $0 += 1 } }
      // Nor does the second day's list come: where a request is cancelled at the moment at which its answer is there,
      // Foundation's cancelling and completing wait for each other for ever.
      if answer.request.target == "/v1/books?page=1", signIns.withLock({ $0 }) == 2 { return answer.waitForClient() }
      guard answer.request.target.hasPrefix("/v1/search") else { return answer.send(text: "{}") }
      // Nobody answers it: its user gives up.
      let began = ContinuousClock.now
      answer.waitForClient()
      waited.withLock { $0 = ContinuousClock.now - began }
    }
    defer { server.stop() }
    let harness = DemoHarness(port: server.port)
    let running = Task { await harness.run() }
    func asked() -> [ReceivedRequest] { server.requests.filter { $0.target != "/v1/events" } }
    try await eventually("a whole day and the next morning") {
      asked().count > Self.day.count + 1 && mornings.withLock { $0 } == 2
    }
    let began = ContinuousClock.now
    running.cancel()
    await running.value
    #expect(ContinuousClock.now - began < .seconds(12), "and not only when the news fail by themselves")
    let seen = asked()
    #expect(seen.prefix(Self.day.count).map { "\($0.method) \($0.target)" } == Self.day)
    #expect(seen[Self.day.count].target == "/v1/sessions", "the next day begins as the first one did")
    #expect(server.requests.filter { $0.target == "/v1/events" }.count == 2, "the news are read beside it, once a day")
    // A request of its own gives up after 15 s.
    #expect(try #require(waited.withLock { $0 }) < .seconds(12))
    for request in server.requests {
      #expect(request.header("authorization") == "Bearer demo-4f1c9a")
      #expect(request.header("user-agent") == "Komorebi/2.1 (demo)" && request.header("accept-language") == "ja, en")
      let host = ["/covers", "/v1/photos"].contains { request.target.hasPrefix($0) } ? "img" : "api"
      #expect(request.header("host") == "\(host).komorebi.localhost:\(server.port)")
      let types = [
        "/v1/sessions": "application/json", "/v1/reviews": "application/x-www-form-urlencoded",
        "/v1/photos/7": "application/octet-stream",
      ]
      #expect(request.header("content-type") == types[request.target])
    }
    #expect(String(decoding: seen[0].bodyStart, as: UTF8.self) == #"{"email":"hanako@example.jp","password":"ひみつ"}"#)
    #expect(
      String(decoding: seen[5].bodyStart, as: UTF8.self)
        == "book=42&stars=5&text=%E3%81%A8%E3%81%A6%E3%82%82%E8%89%AF%E3%81%8B%E3%81%A3%E3%81%9F")
    #expect(Array(seen[9].bodyStart) == (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 7) })
  }
}
