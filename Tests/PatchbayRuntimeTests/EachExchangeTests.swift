import Foundation
import PatchbayHistory
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import PatchbayRuntime

@Suite("Exchanges are handed over one by one", .bounded) struct EachExchangeTests {
  private func history(count: Int, bytes: Int) async throws -> (HistoryStore, [Int64]) {
    let history = try HistoryStore.open(.memory)
    let first = history.reserveIDs(count)
    let ids = (0..<count).map { first + Int64($0) }
    let exchanges = ids.map { id in
      var exchange = Exchange(
        id: id, process: HarnessProcess(name: "test", pid: 1), startedAt: Timestamp(microseconds: id),
        request: RecordedRequest(method: "GET", url: "http://h/\(id)"))
      exchange.phase = .ended
      exchange.outcome = .responded
      exchange.response = RecordedResponse(status: 200, body: Data(repeating: 97, count: bytes))
      exchange.bytesReceived = Int64(bytes)
      return exchange
    }
    history.record(exchanges)
    try await history.flush()
    return (history, ids)
  }

  @Test("few large ones tell of their progress too, from the beginning")
  func progress() async throws {
    let (history, ids) = try await history(count: 4, bytes: 9 << 20)
    let shares = Mutex<[Double]>([])
    var seen: [Int64] = []
    let note: @Sendable (Double) -> Void = { share in shares.withLock { $0.append(share) } }
    try await HistoryQuery(history: history).each(ids, progress: note) { seen.append($0.id) }
    #expect(seen == ids)
    #expect(shares.withLock { $0 } == [0, 0.25, 0.5, 0.75, 1])
    await history.close()
  }

  @Test("a task that is cancelled stops before the next one")
  func cancelled() async throws {
    let (history, ids) = try await history(count: 5, bytes: 10)
    let seen = Mutex(0)
    let task = Task {
      try await HistoryQuery(history: history).each(ids) { _ in
        seen.withLock { $0 += 1 }
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(seen.withLock { $0 } == 1)
    await history.close()
  }
}
