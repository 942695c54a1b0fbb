import Foundation
import GRDB
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// How much goes when there is too much, and what stays of it.
@Suite(.bounded) struct RetentionTests {
  /// What it said to its end.
  private func told(_ store: HistoryStore) async -> [HistoryEvent] {
    await store.close()
    var events: [HistoryEvent] = []
    for await event in store.events { events.append(event) }
    return events
  }

  /// So that not each batch pays for a removal.
  @Test func aHundredthMoreGoesThanMust() async throws {
    let store = try HistoryStore.open(.memory, retention: Retention(count: 1_000))
    for (range, count) in [(1...1_000, 1_000), (1_001...1_001, 990), (1_002...1_011, 1_000), (1_012...1_012, 990)] {
      store.record(range.map { .sample(id: Int64($0)) })
      try await store.flush()
      #expect(store.count == count, "after \(range)")
    }
    #expect(try await store.ids(from: 988, count: 5) == [24, 23])
    let event = HistoryEvent.retired(exchanges: 11, why: .count)
    #expect(await told(store) == [event, event])
  }

  @Test func thousandsGoAtOnce() async throws {
    let store = try HistoryStore.open(.memory, retention: Retention(count: 100))
    store.record((1...4_300).map { .sample(id: $0) })
    try await store.flush()
    #expect(store.count == 99)
    #expect(try await store.ids(from: 0, count: 200) == (4_202...4_300).reversed())
    #expect(await told(store) == [.retired(exchanges: 4_201, why: .count)])
  }

  /// Where nothing may go it is larger than it should be.
  @Test func whatIsMarkedStaysHoweverLargeItIs() async throws {
    let store = try HistoryStore.open(.memory, retention: Retention(bytes: 1 << 20))
    let body = Data(count: 200_000)
    store.record(
      (1...12).map { (id: Int64) -> Exchange in
        var exchange = Exchange.sample(id: id, body: body)
        exchange.marked = true
        return exchange
      })
    try await store.flush()
    #expect(store.count == 12)
    store.record([.sample(id: 13, body: body)])
    try await store.flush()
    #expect(store.count == 12)
    #expect(try await store.exchange(13) == nil)
    #expect(try await store.exchange(1)?.response?.body == body)
    #expect(await told(store) == [.retired(exchanges: 1, why: .size)])
  }

  @Test func whatGoesLeavesNothingOfIt() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file), retention: Retention(count: 10))
    func sample(_ id: Int64) -> Exchange { .sample(id: id, requestBody: Data("asked \(id)".utf8)) }
    store.record((1...10).map { sample($0) })
    _ = try await store.apply(.delete([1, 2]))
    store.record((11...30).map { sample($0) })
    // What is hidden is among the oldest: it takes a second time until there are no more than there may be.
    for _ in 0..<3 { try await store.flush() }
    let left = try await store.database.read { database in
      try ["exchange", "detail", "body", "hidden"].map {
        try Int64.fetchAll(database, sql: "SELECT id FROM \($0) ORDER BY id")
      }
    }
    let (rows, bodies) = (Array(Int64(21)...30), Array(Int64(42)...61))
    #expect(left == [rows, rows, bodies, []])
    #expect(store.count == 10)
    for id in rows { #expect(try await store.exchange(id) == sample(id)) }
    await store.close()
    let again = try HistoryStore.open(.file(folder.file), access: .read)
    #expect(again.count == 10)
    await again.close()
  }

  @Test func ofWhatWasNotToBeSeenNothingIsSaid() async throws {
    let store = try HistoryStore.open(.memory, retention: Retention(count: 10))
    store.record((1...10).map { .sample(id: $0) })
    _ = try await store.apply(.delete([1]))
    store.record([.sample(id: 11), .sample(id: 12)])
    for _ in 0..<3 { try await store.flush() }
    #expect(try await store.ids(from: 0, count: 20) == (3...12).reversed())
    #expect(await told(store) == [.retired(exchanges: 1, why: .count)])
  }

  /// Also where it was the last that there was.
  @Test func anIdIsNotGivenAgainWhenItsExchangeHasGone() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file), retention: Retention(bytes: 1 << 20))
    store.record([.sample(id: 50, body: Data(count: 3 << 20))])
    try await store.flush()
    #expect(store.count == 0)
    await store.close()
    let again = try HistoryStore.open(.file(folder.file))
    #expect(again.nextID == 51 && again.count == 0)
    await again.close()
  }
}
