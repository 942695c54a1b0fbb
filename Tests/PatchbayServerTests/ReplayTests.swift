import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct ReplayTests {
  @Test func aLinkedProcessSendsItAgain() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket, pid: 77)
      hook.send(.exchange(.whole(1)))
      try await eventually { console.log.count == 1 }
      let original = console.log.exchanges[0]
      let route = try console.server.replay(original.request, of: original.id, in: original.process)
      guard case .harness(let info) = route else {
        Issue.record("the console sent it by itself")
        return
      }
      #expect(info.process.pid == 77)
      var token: UInt64?
      try await eventually {
        for case .replay(let replay) in hook.messages where replay.request == original.request { token = replay.token }
        return token != nil
      }
      hook.send(.exchange(ExchangeUpdate(key: 2, start: .request("http://x.test/", replay: token))))
      try await eventually { console.log.exchanges.last?.replayOf == original.id }
    }
  }

  @Test func aRestartedProcessStandsInForTheOneThatHasGone() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket, name: "app", pid: 78)
      try await eventually { console.server.links.count == 1 }
      let request = RecordedRequest(method: "GET", url: "http://x.test/")
      let route = try console.server.replay(request, of: 1, in: HarnessProcess(name: "app", pid: 5))
      guard case .harness = route else {
        Issue.record("the console sent it by itself")
        return
      }
      try await eventually { hook.messages.contains { if case .replay = $0 { true } else { false } } }
    }
  }

  /// Whoever sends them, and whatever the order in which they come.
  @Test func severalThatAreSentAgainAtOnceAreToldApart() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket, pid: 77)
      try await eventually { console.server.links.count == 1 }
      let request = RecordedRequest(method: "GET", url: server.url("/drop").absoluteString)
      for original in [10, 20, 30] as [Int64] {
        _ = try console.server.replay(request, of: original, in: HarnessProcess(name: "demo", pid: 77))
      }
      try await eventually { hook.replays == 3 }
      let tokens: [UInt64] = hook.messages.compactMap {
        if case .replay(let replay) = $0 { replay.token } else { nil }
      }
      for (place, token) in tokens.enumerated().reversed() {
        let start = ExchangeUpdate.Start.request("http://x.test/", replay: token)
        hook.send(.exchange(ExchangeUpdate(key: UInt64(place) + 1, start: start)))
      }
      try await eventually { console.log.count == 3 }
      #expect(console.log.exchanges.map(\.replayOf) == [30, 20, 10])
      for original in [40, 50, 60] as [Int64] {
        #expect(try console.server.replay(request, of: original, in: nil) == .console)
      }
      try await eventually { console.log.exchanges.count { $0.outcome == .failed } == 3 }
      let own = console.log.exchanges.filter { $0.process.name == "patchbay" }
      #expect(own.compactMap(\.replayOf).sorted() == [40, 50, 60])
    }
  }

  @Test func theConsoleSendsForAProcessThatHasGoneAndSaysSo() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    try await TestConsole.run { console in
      let request = RecordedRequest(
        method: "POST", url: server.url("/echo").absoluteString,
        headers: [HeaderField("X-Test", "a b"), HeaderField("Host", "evil")],
        body: Data("payload".utf8))
      let route = try console.server.replay(request, of: 12, in: HarnessProcess(name: "gone", pid: 5))
      #expect(route == .console)
      try await eventually { console.log.exchanges.first?.outcome != nil }
      let exchange = try #require(console.log.exchanges.first)
      #expect(exchange.outcome == .responded)
      #expect(exchange.replayOf == 12)
      #expect(exchange.process.name == "patchbay")
      #expect(exchange.response?.body?.isEmpty == false)
      #expect(console.log.notices.contains { $0.contains("gone 5") })
    }
  }

  /// A body is cut at the limit and said to be; one that is exactly as long is whole.
  @Test(arguments: [999, 1_000, 1_001]) func anAnswerIsKeptUpToTheLimit(_ count: Int) async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    try await TestConsole(adjust: { $0.limits.body = 1_000 }).run { console in
      let request = RecordedRequest(method: "GET", url: server.url("/bytes?n=\(count)").absoluteString)
      #expect(try console.server.replay(request, of: nil, in: nil) == .console)
      try await eventually { console.log.exchanges.first?.outcome != nil }
      let response = try #require(console.log.exchanges.first?.response)
      #expect(response.body?.count == min(count, 1_000) && response.truncated == (count > 1_000))
    }
  }

  @Test func aBodyThatWasRecordedInPartIsNotSentAsIfItWereWhole() async throws {
    try await TestConsole.run { console in
      let request = RecordedRequest(
        method: "POST", url: "http://127.0.0.1:1/", headers: [], body: Data("half".utf8), truncated: true)
      #expect(throws: ServerError.self) { try console.server.replay(request, of: 3, in: nil) }
    }
  }

  @Test func aFailureIsRecordedAndABadURLRefused() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    try await TestConsole.run { console in
      let request = RecordedRequest(method: "GET", url: server.url("/drop").absoluteString)
      #expect(try console.server.replay(request, of: nil, in: nil) == .console)
      try await eventually { console.log.exchanges.first?.outcome == .failed }
      #expect(console.log.exchanges.first?.error != nil)
      #expect(throws: ServerError.self) {
        try console.server.replay(RecordedRequest(method: "GET", url: "file:///etc/passwd"), of: nil, in: nil)
      }
    }
  }
}
