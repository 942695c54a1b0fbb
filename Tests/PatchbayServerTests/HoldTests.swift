import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct HoldTests {
  @Test func aHeldRequestIsAnnouncedDecidedAndGone() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      hook.send(.exchange(ExchangeUpdate(key: 40, start: .request("http://x.test/login"), held: .request)))
      try await eventually { console.server.held.count == 1 }
      let held = console.server.held[0]
      #expect(held.stage == .request)
      #expect(held.exchange.request.url == "http://x.test/login")
      try await eventually { console.log.exchanges.map(\.phase) == [.heldRequest] }
      let edited = RecordedRequest(method: "POST", url: "http://x.test/other")
      try console.server.decide(held.id, .continue(request: edited, response: nil))
      #expect(throws: ServerError.notHeld(id: held.id)) { try console.server.decide(held.id, .drop) }
      try await eventually {
        hook.verdicts == [Verdict(key: 40, decision: .continue(request: edited, response: nil))]
      }
      #expect(console.server.held.isEmpty)
    }
  }

  @Test func bothSidesOfOneExchangeAreHeldOneAfterTheOther() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      hook.send(.exchange(ExchangeUpdate(key: 1, start: .request("http://x.test/"), held: .request)))
      try await eventually { console.server.held.count == 1 }
      let response = RecordedResponse(status: 201)
      #expect(throws: ServerError.notHeldThere(id: 1, phase: "request")) {
        try console.server.decide(1, .continue(request: nil, response: response))
      }
      try console.server.decide(1, .continue(request: nil, response: nil))
      hook.send(
        .exchange(ExchangeUpdate(key: 1, held: .released)),
        .exchange(
          ExchangeUpdate(key: 1, held: .response, head: .init(at: 5, status: 200, headers: []), data: Data("b".utf8))))
      try await eventually { console.server.held.first?.stage == .response }
      #expect(console.server.held.first?.exchange.response?.body == Data("b".utf8))
      #expect(throws: ServerError.notHeldThere(id: 1, phase: "response")) {
        try console.server.decide(1, .continue(request: RecordedRequest(method: "A", url: "b:"), response: nil))
      }
      try console.server.decide(1, .continue(request: nil, response: response))
      try await eventually { hook.verdicts.count == 2 }
      #expect(hook.verdicts[1].decision == .continue(request: nil, response: response))
    }
  }

  @Test func manyAreReleasedInOrderOrByChoice() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      for key in 1...100 as ClosedRange<UInt64> {
        hook.send(.exchange(ExchangeUpdate(key: key, start: .request("http://x.test/\(key)"), held: .request)))
      }
      try await eventually { console.server.held.count == 100 }
      #expect(console.server.releaseAll { $0.exchange.request.url.hasSuffix("7") } == 10)
      #expect(console.server.held.count == 90)
      #expect(console.server.releaseAll() == 90)
      try await eventually { hook.verdicts.count == 100 }
      let keys = hook.verdicts.map(\.key)
      #expect(Array(keys.prefix(10)) == Array(stride(from: 7, through: 97, by: 10)))
      #expect(Array(keys.dropFirst(10)) == keys.dropFirst(10).sorted())
    }
  }

  @Test func cancelledAndVanishedOnesAreNoLongerHeld() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      hook.send(
        .exchange(ExchangeUpdate(key: 1, start: .request("a:"), held: .request)),
        .exchange(ExchangeUpdate(key: 2, start: .request("a:"), held: .request)))
      try await eventually { console.server.held.count == 2 }
      hook.send(.exchange(.end(1, outcome: .cancelled)))
      try await eventually { console.server.held.map(\.id) == [2] }
      await hook.close()
      try await eventually { console.server.held.isEmpty }
      #expect(throws: ServerError.notHeld(id: 2)) { try console.server.decide(2, .drop) }
      try await eventually { console.log.exchanges.map(\.outcome) == [.cancelled, .abandoned] }
    }
  }

  /// Nobody could decide about it any more.
  @Test func whatIsGivenUpWhileItIsHeldGoesOn() async throws {
    try await TestConsole(adjust: { $0.limits.openExchanges = 1 }).run { console in
      let hook = try await FakeHook.link(console.socket)
      hook.send(.exchange(ExchangeUpdate(key: 7, start: .request("a:"), held: .request)), .exchange(.begin(8)))
      try await eventually {
        hook.verdicts == [Verdict(key: 7, decision: .continue(request: nil, response: nil))]
      }
      #expect(console.server.held.isEmpty)
      try await eventually { console.log.exchanges.map(\.outcome) == [.abandoned, nil] }
    }
  }

  /// Many decide at the same moment: exactly one verdict reaches the hook.
  @Test func aRaceOfDecisionsHasOneWinner() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      hook.send(.exchange(ExchangeUpdate(key: 1, start: .request("a:"), held: .request)))
      try await eventually { console.server.held.count == 1 }
      let wins = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<16 { group.addTask { (try? console.server.decide(1, .drop)) != nil } }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(wins == 1)
      let revision = console.server.setUnmatched(.fail, by: .person)
      #expect(await console.server.awaitAcknowledged(revision, timeout: Patience.usual).isEmpty)
      #expect(hook.verdicts.count == 1)
    }
  }
}
