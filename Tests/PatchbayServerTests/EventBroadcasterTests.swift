import Foundation
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct EventBroadcasterTests {
  private func batch(_ count: Int, body: String = "b") -> [HookMessage] {
    (1...count).map { .exchange(.whole(UInt64($0), body: body)) }
  }

  @Test func subscribersGetEachBatchInTheOrderOfSubscription() async throws {
    try await TestConsole.run { console in
      let order = SeenLock<[String]>([])
      for name in ["a", "b", "c"] {
        console.server.events.subscribe { events in
          if events.contains(where: \.hasExchanges) { order.withLock { $0.append(name) } }
        }
      }
      let hook = try await FakeHook.link(console.socket)
      for key in 1...3 as ClosedRange<UInt64> {
        hook.send(.exchange(.whole(key)))
        try await eventually { order.withLock { $0.count } == 3 * Int(key) }
      }
      #expect(order.withLock { $0 } == ["a", "b", "c", "a", "b", "c", "a", "b", "c"])
    }
  }

  @Test func aCancelledSubscriptionGetsNothingMore() async throws {
    try await TestConsole.run { console in
      let seen = SeenLock(0)
      let before = console.server.events.subscriberCount
      let subscription = console.server.events.subscribe { events in
        if events.contains(where: \.hasExchanges) { seen.withLock { $0 += 1 } }
      }
      let hook = try await FakeHook.link(console.socket)
      hook.send(.exchange(.whole(1)))
      try await eventually { seen.withLock { $0 } == 1 }
      console.server.events.cancel(subscription)
      #expect(console.server.events.subscriberCount == before)
      hook.send(.exchange(.whole(2)))
      try await eventually { console.log.count == 2 }
      await console.server.events.flush()
      #expect(seen.withLock { $0 } == 1)
    }
  }

  /// One that writes to a pipe which nobody reads: the others and the links go on, and it gets all of it afterwards.
  @Test func aSlowSubscriberDoesNotSlowTheOthers() async throws {
    let gate = Gate()
    try await TestConsole(adjust: {
      $0.limits.undelivered = 100_000
      $0.limits.undeliveredMessages = 1_000
    }).run { console in
      let slow = EventLog()
      console.server.events.subscribe(.queued) { events in
        gate.pass()
        events.forEach(slow.received)
      }
      let hook = try await FakeHook.link(console.socket)
      try await eventually { slow.linked.count == 1 }
      gate.shut()
      for _ in 0..<10 { hook.send(batch(300)) }
      try await eventually(3_000) { console.log.count }
      try await eventually { console.server.links.first?.isThrottled == false }
      #expect(slow.count == 0)
      gate.open()
      await console.server.events.flush()
      #expect(slow.exchanges == console.log.exchanges)
    }
  }

  /// Its mailbox is bounded: when it is full the rest waits, in the end the link itself, and nothing is lost.
  @Test func aFullMailboxMakesTheLinksWait() async throws {
    let gate = Gate()
    try await TestConsole(adjust: { $0.limits.undelivered = 1 << 20 }).run { console in
      let slow = EventLog()
      console.server.events.subscribe(.queued) { events in
        gate.pass()
        events.forEach(slow.received)
      }
      let hook = try await FakeHook.link(console.socket)
      try await eventually { slow.linked.count == 1 }
      gate.shut()
      let body = String(repeating: "b", count: 100_000)
      for _ in 0..<40 { hook.send(batch(10, body: body)) }
      try await eventually { console.server.links.first?.isThrottled == true }
      // 16 MiB wait in the mailbox, at most one batch more, and what one link may send before it is throttled.
      #expect(console.log.count < 250)
      gate.open()
      try await eventually { slow.count == 400 }
      try await eventually { console.server.links.first?.isThrottled == false }
      #expect(slow.exchanges == console.log.exchanges)
    }
  }

  @Test func afterItsEndAConsoleTellsNothing() async throws {
    let console = try TestConsole()
    try await console.run { _ in }
    console.server.notice("too late")
    // Another console's whole life takes longer than the time between two batches.
    try await TestConsole.run { other in
      _ = try await FakeHook.link(other.socket)
      try await eventually { other.log.linked.count == 1 }
    }
    #expect(console.log.notices.isEmpty)
  }

  @Test func whatIsMaskedIsMaskedForEverybody() async throws {
    let console = try TestConsole(
      delegate: FakeDelegate(),
      masking: { exchange in
        var masked = exchange
        masked.request.url = "http://masked.test/"
        return masked
      })
    try await console.run { console in
      let client = try await ControlClient.connect(socket: console.socket, as: "a test")
      let log = try await client.follow()
      let hook = try await FakeHook.link(console.socket)
      hook.send(.exchange(.whole(1, url: "http://secret.test/")))
      try await eventually { console.log.exchanges.map(\.request.url) == ["http://masked.test/"] }
      for try await line in log {
        guard case .exchange(let exchange) = line else { continue }
        #expect(exchange["url"] == "http://masked.test/")
        break
      }
      // Who decides for what is held sees it as it is.
      hook.send(.exchange(ExchangeUpdate(key: 2, start: .request("http://secret.test/"), held: .request)))
      try await eventually { console.server.held.map(\.exchange.request.url) == ["http://secret.test/"] }
    }
  }

  @Test func onlyWhatSomebodyMayBeSlowToReadGetsAQueue() throws {
    let folder = try TemporaryFolder()
    let file = open(folder.file("log"), O_WRONLY | O_CREAT, 0o600)
    let null = open("/dev/null", O_WRONLY)
    var pipe: [Int32] = [0, 0]
    #expect(Foundation.pipe(&pipe) == 0)
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    defer { for descriptor in [file, null, terminal] + pipe { close(descriptor) } }
    #expect(EventBroadcaster.Delivery.writing(to: file) == .direct)
    #expect(EventBroadcaster.Delivery.writing(to: null) == .direct)
    #expect(EventBroadcaster.Delivery.writing(to: pipe[1]) == .queued)
    #expect(EventBroadcaster.Delivery.writing(to: terminal) == .queued)
  }

  /// However much comes: two batches are 4 ms apart.
  @Test func aFloodComesInFewBatches() async throws {
    try await TestConsole.run { console in
      let batches = SeenLock(0)
      console.server.events.subscribe { events in
        if events.contains(where: \.hasExchanges) { batches.withLock { $0 += 1 } }
      }
      let hook = try await FakeHook.link(console.socket)
      let clock = ContinuousClock()
      let began = clock.now
      for key in 1...2_000 as ClosedRange<UInt64> { try await hook.sendAndWait([.exchange(.whole(key))]) }
      try await eventually(2_000) { console.log.count }
      let most = Int((clock.now - began) / .milliseconds(4)) + 2
      #expect(batches.withLock { $0 } <= most)
    }
  }

  /// A body that grows by little is not copied for each piece, but what has come is told after a while, though nothing
  /// else happens.
  @Test func aBodyThatGrowsIsToldByItself() async throws {
    try await TestConsole.run { console in
      let hook = try await FakeHook.link(console.socket)
      hook.send(
        .exchange(
          ExchangeUpdate(
            key: 1, start: .request("http://x.test/"), head: .init(at: 1, status: 200, headers: []),
            data: Data(count: 1_000))))
      try await eventually { console.log.exchanges.first?.response?.body?.count == 1_000 }
      hook.send(.exchange(ExchangeUpdate(key: 1, data: Data(count: 10))))
      try await eventually { console.log.exchanges.first?.response?.body?.count == 1_010 }
      // And again, each time.
      for count in 1...3 {
        hook.send(.exchange(ExchangeUpdate(key: 1, data: Data(count: 10))))
        try await eventually { console.log.exchanges.first?.response?.body?.count == 1_010 + 10 * count }
      }
    }
  }
}

extension ServerEvent {
  fileprivate var hasExchanges: Bool { if case .exchanges = self { true } else { false } }
}
