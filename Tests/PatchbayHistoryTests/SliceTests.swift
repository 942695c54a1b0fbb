import Foundation
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// A history that is read in many slices, several at once.
@Suite(.bounded) struct SliceTests {
  /// Ten runs of few exchanges each, counted as if each had as many as a slice holds.
  private func store() async throws -> (store: HistoryStore, ids: [Int64]) {
    let store = try HistoryStore.open(.memory)
    let ids: [Int64] = (0..<10).flatMap { run in ([3, 700, 1_023] as [Int64]).map { run * 1_024 + $0 } }
    store.record(ids.map { .sample(id: $0, url: "http://h\($0 % 3).example/\($0 % 7)") })
    try await store.flush()
    store.runIndex.withLock { index in
      for run in Int64(0)..<10 { index.add(40_000, run: run) }
    }
    #expect(store.runIndex.withLock { $0.slices(of: 32_768, first: 2_048).count } == 10)
    return (store, ids)
  }

  @Test func aSearchGoesThroughAllOfThemInOrder() async throws {
    let (store, ids) = try await store()
    var batches: [SearchBatch] = []
    for try await batch in store.search(.everything) { batches.append(batch) }
    #expect(batches.flatMap(\.ids) == ids.reversed())
    #expect(batches.map(\.ids.count) == Array(repeating: 3, count: 10))
    #expect(batches.allSatisfy { $0.total == 400_030 })
    #expect(batches.map(\.scanned) == (1..<10).map { $0 * 1_024 } + [400_030])
    #expect(try await store.count(Filter(parsing: "host:h1")) == ids.count { $0 % 3 == 1 })
    #expect(try await store.count(.everything) == store.count)
    await store.close()
  }

  /// The first part is small, so that something is seen soon; where bodies are looked at all are.
  @Test(
    arguments: [
      ("status:200", [2_048, 34_816, 40_960]), ("body:ok", [2_048, 10_240, 18_432, 26_624, 34_816, 40_960]),
    ] as [(String, [Int])])
  func progressIsToldOfEachPart(_ filter: String, _ scanned: [Int]) async throws {
    let store = try HistoryStore.open(.memory)
    let ids = (0..<40).map { Int64($0 * 1_024 + 7) }
    store.record(ids.map { .sample(id: $0) })
    try await store.flush()
    store.runIndex.withLock { index in
      for run in Int64(0)..<40 { index.add(1_023, run: run) }
    }
    var batches: [SearchBatch] = []
    for try await batch in store.search(try Filter(parsing: filter)) { batches.append(batch) }
    #expect(batches.map(\.scanned) == scanned)
    #expect(batches.allSatisfy { $0.total == 40_960 })
    #expect(batches.flatMap(\.ids) == ids.reversed())
    await store.close()
  }

  /// A part of the number would be taken for all of it.
  @Test func whoIsCancelledIsToldNoNumber() async throws {
    let (store, _) = try await store()
    let filter = try Filter(parsing: "host:h1")
    let counting = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await store.count(filter)
    }
    counting.cancel()
    await #expect(throws: CancellationError.self) { _ = try await counting.value }
    await store.close()
  }

  /// A clearing that ends at the bounds of runs, with rows in tables and in segments.
  @Test(arguments: [1_021, 1_022, 1_023, 1_024, 1_025, 2_047, 2_048] as [Int64], [false, true])
  func whatIsAboveTheClearingIsFound(_ cleared: Int64, inSegments: Bool) async throws {
    let store = try HistoryStore.open(.memory)
    let ids: [Int64] = [1, 1_021, 1_022, 1_023, 1_024, 1_025, 2_046, 2_047, 2_048, 2_049]
    store.record(ids.map { .sample(id: $0) })
    if inSegments { try await store.buildSegments() }
    _ = try await store.apply(.unclear(through: cleared))
    let left = ids.filter { $0 > cleared }
    var found: [Int64] = []
    for try await batch in store.search(try Filter(parsing: "status:200")) { found += batch.ids }
    #expect(found == left.reversed())
    #expect(try await store.ids(.everything, sortedBy: .id) == left)
    #expect(try await store.statistics().hosts.map(\.count) == [left.count])
    #expect(try await store.position(of: cleared) == left.count)
    #expect(store.count == left.count)
    await store.close()
  }

  @Test func sortingGathersAllOfThem() async throws {
    let (store, ids) = try await store()
    #expect(try await store.ids(.everything, sortedBy: .id) == ids)
    #expect(try await store.ids(.everything, sortedBy: .id, descending: true) == ids.reversed())
    let byPath = ids.sorted { ($0 % 7, $0) < ($1 % 7, $1) }
    #expect(try await store.ids(.everything, sortedBy: .path) == byPath)
    let byHost = ids.sorted { ($0 % 3, $0) < ($1 % 3, $1) }
    #expect(try await store.ids(.everything, sortedBy: .host) == byHost)
    for lowest in [0, 2, 3, 699, 700, 1_023, 1_024, 5_000, 10_238, 10_239, 20_000] as [Int64] {
      #expect(try await store.ids(.everything, above: lowest, sortedBy: .id) == ids.filter { $0 > lowest })
    }
    await store.close()
  }

  @Test func allOfThemAreCounted() async throws {
    let (store, ids) = try await store()
    let hosts = try await store.statistics().hosts
    #expect(hosts.map(\.count).reduce(0, +) == ids.count)
    for row in hosts { #expect(row.count == ids.count { row.host == "h\($0 % 3).example" }) }
    await store.close()
  }
}

/// What is done when a history is closed.
@Suite(.bounded) struct ClosingSegmentTests {
  /// There is little time for it then, which a busy machine may not give: the next closing goes on.
  @Test func whatIsWrittenGetsItsSegments() async throws {
    let folder = try Folder()
    let store = try HistoryStore.open(.file(folder.file))
    store.record((1...1_030).map { .sample(id: $0) })
    await store.close()
    let deadline = ContinuousClock.now + Patience.usual
    var count = 0
    repeat {
      let reader = try HistoryStore.open(.file(folder.file), access: .read)
      count = try await reader.segmentCount()
      await reader.close()
      guard count == 0 else { break }
      await (try HistoryStore.open(.file(folder.file))).close()
    } while ContinuousClock.now < deadline
    #expect(count == 1, "of the run that is not the newest")
  }
}
