import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// What the console sends by itself, and what it tells of it: the updates that a hook would send.
@Suite(.bounded) struct ReplaySenderTests {
  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  private func request(
    _ path: String, _ method: String = "GET", headers: [HeaderField] = [], body: Data? = nil
  ) -> RecordedRequest {
    RecordedRequest(method: method, url: server.url(path).absoluteString, headers: headers, body: body)
  }

  /// Sends it and waits for its end.
  private func told(_ request: RecordedRequest, limit: Int = 1_000_000) async throws -> [ExchangeUpdate] {
    let began = ContinuousClock.now
    let updates = SeenLock<[ExchangeUpdate]>([])
    try ReplaySender.send(request, key: 7, token: 9, revision: 4, bodyLimit: limit) { update in
      updates.withLock { $0.append(update) }
    }
    try await eventually { updates.withLock { $0.last?.end != nil } }
    let all = updates.withLock { $0 }
    #expect(Duration.microseconds(all.last?.end?.at ?? 0) <= ContinuousClock.now - began)
    #expect(all.allSatisfy { $0.key == 7 } && all.count { $0.end != nil } == 1 && all.count { $0.start != nil } == 1)
    let start = try #require(all[0].start)
    #expect(start.request == request && start.task == .data && start.revision == 4 && start.replay == 9)
    #expect(abs(Timestamp.now.microseconds - start.at.microseconds) < 60_000_000)
    let times = all.flatMap { update -> [Int64] in
      update.hops.compactMap { $0.at } + [update.head?.at, update.end?.at].compactMap { $0 }
    }
    #expect(times == times.sorted() && times.allSatisfy { (0..<60_000_000).contains($0) })
    return all
  }

  private func body(_ updates: [ExchangeUpdate]) -> Data { updates.reduce(Data()) { $0 + ($1.data ?? Data()) } }

  private func end(_ updates: [ExchangeUpdate]) -> ExchangeUpdate.End? {
    var end = updates.last?.end
    end?.at = 0
    return end
  }

  @Test func itIsSentAsItWasRecordedButForWhatTheLoaderSets() async throws {
    let headers = [
      HeaderField("X-A", "1"), HeaderField("Content-Type", "text/plain"), HeaderField("hOST", "evil"),
      HeaderField("Content-Length", "99"), HeaderField("CONNECTION", "close"), HeaderField("Accept", "a/b"),
      HeaderField("transfer-encoding", "chunked"), HeaderField("Accept-Encoding", "identity"),
    ]
    let updates = try await told(request("/echo?a=b", "PUT", headers: headers, body: Data("hello".utf8)))
    let lines = String(decoding: body(updates), as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(lines.first == "PUT /echo?a=b" && lines.last?.hasPrefix("body 5 ") == true)
    let fields = lines.filter { $0.contains(": ") }
    for field in ["x-a: 1", "content-type: text/plain", "accept: a/b", "content-length: 5"] {
      #expect(fields.contains(field), "\(field)")
    }
    for field in ["host: evil", "content-length: 99", "connection: close", "transfer-encoding: chunked"] {
      #expect(!fields.contains(field), "\(field)")
    }
    #expect(!fields.contains("accept-encoding: identity"))
    let head = try #require(updates.compactMap(\.head).first)
    #expect(head.status == 200 && head.headers.map(\.name) == head.headers.map(\.name).sorted())
    #expect(head.headers.count > 1)
    #expect(
      end(updates)
        == ExchangeUpdate.End(
          at: 0, outcome: .responded, bytesSent: 5, bytesReceived: Int64(body(updates).count), hasBody: true))
  }

  @Test func everyRedirectIsTold() async throws {
    let updates = try await told(request("/chain/2"))
    let hops = updates.flatMap(\.hops)
    #expect(hops.map(\.status) == [302, 302])
    #expect(hops.map(\.url) == ["/chain/2", "/chain/1"].map { server.url($0).absoluteString })
    #expect(hops.map { $0.headers.first(named: "Location") } == ["/chain/1", "/chain/0"])
    #expect(updates.compactMap(\.head).map(\.status) == [200])
    #expect(body(updates) == Data("end of the chain".utf8))
    #expect(end(updates)?.outcome == .responded && end(updates)?.bytesSent == 0)
  }

  @Test(arguments: [0, 1, 99, 100, 101, 5_000]) func ofTheBodyTheLimitIsTold(_ count: Int) async throws {
    let updates = try await told(request("/bytes?n=\(count)"), limit: 100)
    #expect(body(updates).count == min(count, 100) && updates.allSatisfy { $0.data?.isEmpty != true })
    #expect(
      end(updates)
        == ExchangeUpdate.End(
          at: 0, outcome: .responded, bytesReceived: Int64(count), responseTruncated: count > 100, hasBody: true))
  }

  @Test func failuresAreTold() async throws {
    let dropped = try await told(request("/drop", "POST", body: Data("abc".utf8)))
    #expect(dropped.compactMap(\.head).isEmpty && body(dropped).isEmpty)
    let last = try #require(end(dropped))
    #expect(last.outcome == .failed && last.error?.domain == NSURLErrorDomain && last.error?.message?.isEmpty == false)
    #expect(last.bytesSent == 3 && last.bytesReceived == 0 && !last.hasBody && !last.responseTruncated)
    let cut = try await told(request("/cut"))
    #expect(cut.compactMap(\.head).map(\.status) == [200] && end(cut)?.outcome == .failed)
    #expect(end(cut)?.hasBody == false)
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://a.example/", "", "a b", "/x", "data:,x", "httpx://a.example/"])
  func whatIsNoWebAddressIsNotSent(_ url: String) {
    let sentence = "The request cannot be sent again because \(url) is no http or https URL."
    #expect(throws: ServerError.badRequest(sentence)) {
      try ReplaySender.send(
        RecordedRequest(method: "GET", url: url), key: 1, token: 1, revision: 1, bodyLimit: 1
      ) { _ in Issue.record("something was told") }
    }
  }

  /// Whatever becomes of it: of that the program that sent it heard too.
  @Test func theSchemeMayBeInCapitals() async throws {
    var request = request("/json")
    request.url = request.url.replacingOccurrences(of: "http://", with: "HTTP://")
    #expect(try await told(request).count > 1)
  }

  /// What the server sets is not sent with the next one, and nothing is answered out of a cache.
  @Test func nothingIsKeptBetweenTwo() async throws {
    _ = try await told(request("/cookie/set?a=1"))
    let after = try await told(request("/echo"))
    #expect(!String(decoding: body(after), as: UTF8.self).contains("cookie"))
    let hop = try await told(request("/cookie/hop"))
    #expect(!String(decoding: body(hop), as: UTF8.self).contains("hop=1"))
    let (first, second) = (try await told(request("/cached")), try await told(request("/cached")))
    #expect(body(first) != body(second) && !body(first).isEmpty)
  }
}
