import Foundation
import PatchbayHistory
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import PatchbayRuntime

@Suite("Exchanges are handed over one by one", .bounded) struct EachExchangeTests {
  private func history(bytes: [Int]) async throws -> (HistoryStore, [Int64]) {
    let history = try HistoryStore.open(.memory)
    let first = history.reserveIDs(bytes.count)
    let ids = bytes.indices.map { first + Int64($0) }
    let exchanges = zip(ids, bytes).map { id, bytes in
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

  @Test(
    "as many as have 16 MiB come at a time, and each time it is told how far it is",
    arguments: [
      ([9, 9, 9, 9], [0, 0.25, 0.5, 0.75, 1]), ([9, 9, 1, 1, 1], [0, 0.2, 1]), ([8, 8, 1], [0, 2.0 / 3, 1]),
      ([17, 1], [0, 0.5, 1]), ([1, 17], [0, 0.5, 1]), ([1, 1], [0, 1]),
    ] as [([Int], [Double])])
  func progress(_ mebibytes: [Int], _ told: [Double]) async throws {
    let (history, ids) = try await history(bytes: mebibytes.map { $0 << 20 })
    let shares = Mutex<[Double]>([])
    var seen: [Int64] = []
    let note: @Sendable (Double) -> Void = { share in shares.withLock { $0.append(share) } }
    try await HistoryQuery(history: history).each(ids, progress: note) { seen.append($0.id) }
    #expect(seen == ids)
    #expect(shares.withLock { $0 } == told)
    await history.close()
  }

  @Test("a task that is cancelled stops before the next one")
  func cancelled() async throws {
    let (history, ids) = try await history(bytes: Array(repeating: 10, count: 5))
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
