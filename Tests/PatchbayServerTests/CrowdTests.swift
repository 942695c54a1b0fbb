import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct CrowdTests {
  @Test func fiftyLinksAtOnce() async throws {
    try await TestConsole.run { console in
      let hooks = try await withThrowingTaskGroup(of: FakeHook.self) { group in
        for index in 0..<50 { group.addTask { try await FakeHook.link(console.socket, name: "p\(index)") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for hook in hooks { hook.send((1...40).map { .exchange(.whole($0)) }) }
      try await eventually(2_000) { console.log.count }
      #expect(console.log.exchanges.map(\.id) == Array(1...2_000))
      let revision = console.server.setUnmatched(.fail, by: .person)
      let late = await console.server.awaitAcknowledged(revision, timeout: Patience.usual)
      #expect(late.isEmpty)
      #expect(console.server.links.count == 50)
      for hook in hooks { await hook.close() }
      try await eventually { console.log.unlinked.count == 50 }
    }
  }

  /// A link that never reads gets no more than what its socket takes; the others do not notice it.
  @Test func aStoppedLinkDisturbsNobody() async throws {
    try await TestConsole.run { console in
      let stopped = try await FakeHook.link(console.socket, name: "stopped", reads: false)
      let lively = try await FakeHook.link(console.socket, name: "lively")
      try await eventually { console.server.links.count == 2 }
      let body = String(repeating: "b", count: 100_000)
      for step in 1...20 {
        let (_, revision) = try console.server.edit(by: .person) { board in
          board.entries = [
            .init(stub: Stub(name: "s", then: .respond(.init(body: .text("\(step)" + body)))), origin: .console)
          ]
        }
        try await eventually { lively.pushes.last?.set.revision == revision }
      }
      let newest = console.server.board.revision
      try await eventually { console.link("lively")?.revision == newest }
      let late = await console.server.awaitAcknowledged(newest, timeout: .milliseconds(50))
      #expect(late.map(\.process.name) == ["stopped"])
      try await eventually { console.link("stopped")?.isStalled == true }
      lively.send(.exchange(.whole(1)))
      try await eventually { console.log.count == 1 }
      // When it reads again it gets what was under way and the newest stubs; those between were never sent.
      try await stopped.channel.setOption(.autoRead, value: true).get()
      try await eventually { stopped.pushes.last?.set.revision == console.server.board.revision }
      #expect(stopped.pushes.count < 10)
      try await eventually { console.link("stopped")?.isStalled == false }
      await stopped.close()
      try await eventually { console.server.links.count == 1 }
    }
  }

  /// While a subscriber that may make others wait is slow, a flooding link is not read on, and memory stays bounded; nothing is lost.
  @Test func aFloodingLinkIsThrottledAndNothingIsLost() async throws {
    let gate = Gate()
    try await TestConsole(adjust: {
      $0.limits.undelivered = 100_000
      $0.limits.undeliveredMessages = 1_000
    }).run { console in
      console.server.events.subscribe { _ in gate.pass() }
      let flooder = try await FakeHook.link(console.socket, name: "flooder")
      let quiet = try await FakeHook.link(console.socket, name: "quiet")
      try await eventually { console.server.links.count == 2 }
      gate.shut()
      let body = String(repeating: "f", count: 1_000)
      let batches = 40
      for batch in 0..<batches {
        flooder.send((1...500).map { .exchange(.whole(UInt64(batch * 500 + $0), body: body)) })
      }
      try await eventually { console.link("flooder")?.isThrottled == true }
      #expect(console.link("quiet")?.isThrottled == false)
      // Stubs reach both although nothing is delivered.
      let revision = console.server.setUnmatched(.fail, by: .person)
      try await eventually { quiet.pushes.last?.set.revision == revision }
      // Drains a copy: what waits is still delivered.
      var assembler = console.server.state.withLock { $0.assembler }
      #expect(assembler.drainChanged().count < 3_000)
      gate.open()
      try await eventually(batches * 500) { console.log.count }
      try await eventually { console.link("flooder")?.isThrottled == false }
    }
  }

  @Test func aFloodOfOneLinkDoesNotStarveAnother() async throws {
    try await TestConsole.run { console in
      let flooder = try await FakeHook.link(console.socket, name: "flooder")
      let quiet = try await FakeHook.link(console.socket, name: "quiet")
      try await eventually { console.server.links.count == 2 }
      let body = String(repeating: "f", count: 1_000)
      flooder.send((1...10_000).map { .exchange(.whole($0, body: body)) })
      quiet.send(.exchange(.whole(1)))
      try await eventually(10_001) { console.log.count }
      let own = try #require(console.log.exchanges.first { $0.process.name == "quiet" })
      #expect(own.id < 5_000)
    }
  }
}

/// Lets callers pass, or makes them wait.
final class Gate: Sendable {
  private let condition = NSCondition()
  private let isShut = Mutex(false)

  func shut() { isShut.withLock { $0 = true } }

  func open() {
    isShut.withLock { $0 = false }
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }

  func pass() {
    condition.lock()
    while isShut.withLock({ $0 }) { condition.wait() }
    condition.unlock()
  }
}
