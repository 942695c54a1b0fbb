import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// Holds and logs over the control socket.
@Suite(.bounded) struct ControlLiveTests {
  @Test func holdsAreDecidedOverTheSocket() async throws {
    try await TestConsole(delegate: FakeDelegate()).run { console in
      let hook = try await FakeHook.link(console.socket)
      for key in 1...5 as ClosedRange<UInt64> {
        var start = ExchangeUpdate.Start.request("http://x.test/\(key)")
        // A body that is told in part is kept, unless another takes its place.
        start.request.truncated = true
        hook.send(.exchange(ExchangeUpdate(key: key, start: start, held: .request)))
      }
      try await eventually { console.server.held.count == 5 }
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      guard case .array(let held)? = try await client.request("hold.list")["held"] else {
        Issue.record("no list")
        return
      }
      #expect(held.map { $0["url"]?.text } == (1...5).map { "http://x.test/\($0)" })
      #expect(held.first?["exchange"]?["id"] == 1)
      let id: (Int) -> JSONValue.Member = { .init("exchange", JSONValue($0)) }
      _ = try await client.request(
        "hold.continue", [id(1), .init("request", .members(["method": "PUT", "body": "new"]))])
      _ = try await client.request("hold.drop", [id(2)])
      _ = try await client.request(
        "hold.respond",
        [id(3), .init("status", 418), .init("headers", [["A", "b"]]), .init("body", .members(["base64": "AP8="]))])
      _ = try await client.request("hold.fail", [id(4), .init("fault", "timedOut")])
      #expect(try await client.request("hold.release", [.init("filter", "/5")])["released"] == 1)
      try await eventually { hook.verdicts.count == 5 }
      let edited = RecordedRequest(method: "PUT", url: "http://x.test/1", body: Data("new".utf8))
      #expect(
        hook.verdicts.map(\.decision) == [
          .continue(request: edited, response: nil), .drop,
          .respond(CannedResponse(status: 418, headers: [HeaderField("A", "b")], body: .data(Data([0, 255])))),
          .fail(Fault(.named("timedOut"))), .continue(request: nil, response: nil),
        ])
      try await eventually { console.log.notices.contains { $0.contains("a test") } }
    }
  }

  @Test func logsFollowWithTheirOwnFilters() async throws {
    try await TestConsole(delegate: FakeDelegate()).run { console in
      let hook = try await FakeHook.link(console.socket)
      // The system takes connections also for a console that is suspended.
      let silent = console.socket + ".silent.control"
      let descriptor = try listeningSocket(silent)
      await #expect(throws: ServerError.noAnswer(path: silent)) {
        try await ControlClient.connect(socket: silent, as: "one", patience: .milliseconds(50))
      }
      // Whoever does not want to wait any more does not.
      let waiting = Task { try await ControlClient.connect(socket: silent, as: "one", patience: .seconds(1_000)) }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      close(descriptor)
      let first = try await ControlClient.connect(socket: console.socket, as: "one")
      let second = try await ControlClient.connect(socket: console.socket, as: "two")
      let all = try await first.follow()
      let some = try await second.follow(filter: "/b")
      await #expect(throws: ServerError.self) { try await second.follow(filter: "(") }
      hook.send(
        .exchange(.begin(9)), .exchange(.whole(1, url: "http://x.test/a")),
        .exchange(.whole(2, url: "http://x.test/b")))
      var seen: [String?] = []
      for try await line in all {
        guard case .exchange(let exchange) = line else { continue }
        seen.append(exchange["url"]?.text)
        if seen.count == 2 { break }
      }
      #expect(seen == ["http://x.test/a", "http://x.test/b"])
      for try await line in some {
        guard case .exchange(let exchange) = line else { continue }
        #expect(exchange["url"] == "http://x.test/b")
        break
      }
      #expect(
        try await first.request("history", [.init("limit", 2)])["exchanges"]
          == [["id": 1, "filter": ""], ["id": 2, "filter": ""]])
    }
  }

  /// A controller that stops reading its log loses lines, which it is told of, and disturbs nobody.
  @Test func aSlowLogIsShedAndCounted() async throws {
    try await TestConsole(delegate: FakeDelegate(), adjust: { $0.limits.controlBacklog = 100_000 }).run { console in
      let before = console.server.events.subscriberCount
      let raw = try await RawController.connect(console.control, reads: false)
      raw.send("{\"id\":1,\"do\":\"log\"}\n")
      try await eventually { console.server.events.subscriberCount == before + 1 }
      let hook = try await FakeHook.link(console.socket)
      let body = String(repeating: "b", count: 1_000)
      hook.send((1...5_000).map { .exchange(.whole($0, body: body)) })
      try await eventually(5_000) { console.log.count }
      try await raw.read()
      func seen() -> (shed: Int, exchanges: Int) {
        let shed = raw.lines.compactMap { (try? JSONValue(parsing: $0))?["shed"]?.integer }.reduce(0, +)
        return (shed, raw.lines.filter { $0.contains("\"exchange\":") }.count)
      }
      // Each exchange comes, or is counted.
      try await eventually { seen().shed + seen().exchanges == 5_000 }
      #expect(seen().shed > 0)
      hook.send(.exchange(.whole(9_000)))
      try await eventually { seen().exchanges + seen().shed == 5_001 }
      await raw.close()
      try await eventually { console.server.events.subscriberCount == before }
    }
  }

  /// Whoever does not read the log for a while neither gathers it in memory nor loses count of it.
  @Test func aLogThatIsReadLateIsWholeOrCounted() async throws {
    try await TestConsole(delegate: FakeDelegate(), adjust: { $0.limits.controlBacklog = 50_000 }).run { console in
      // The client lives as long as its log does.
      let log = try await ControlClient.connect(socket: console.socket, as: "late").follow()
      let hook = try await FakeHook.link(console.socket)
      let body = String(repeating: "b", count: 1_000)
      hook.send((1...8_000).map { .exchange(.whole($0, body: body)) })
      try await eventually(8_000) { console.log.count }
      var seen = 0
      var shed = 0
      for try await line in log {
        switch line {
        case .exchange: seen += 1
        case .shed(let count): shed += count
        }
        if seen + shed == 8_000 { break }
      }
      #expect(shed > 0)
      #expect(seen > 0)
    }
  }

  @Test func aCancelledReaderEnds() async throws {
    try await TestConsole(delegate: FakeDelegate()).run { console in
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      let log = try await client.follow()
      let reader = Task { try await log.reduce(0) { count, _ in count + 1 } }
      reader.cancel()
      #expect(try await reader.value == 0)
    }
  }
}
