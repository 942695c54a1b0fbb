import GRDB
import PatchbayInspect
import PatchbayWire

/// A part of what a search found, as it comes.
package struct SearchBatch: Hashable, Sendable {
  /// The ids that fit, newest first; older than all of the batches before.
  package var ids: [Int64]
  /// How many exchanges have been looked at, and how many there are in all.
  package var scanned: Int
  package var total: Int

  package init(ids: [Int64], scanned: Int, total: Int) {
    self.ids = ids
    self.scanned = scanned
    self.total = total
  }
}

extension HistoryStore {
  /// Looks for the exchanges that fit, newest first, on several connections; batches come as they are found, empty
  /// ones too, so that progress can be shown. Ending the iteration, or its task, ends the search.
  ///
  /// It sees what is written; `flush()` first to see all that was recorded.
  package func search(_ filter: Filter, now: Timestamp = .now) -> AsyncThrowingStream<SearchBatch, any Error> {
    let slices = runIndex.withLock { $0.slices(of: filter.needsBodies ? 8_192 : 32_768, first: 2_048) }
    let total = count
    let cleared = cleared.withLock { $0 }
    let (stream, continuation) = AsyncThrowingStream<SearchBatch, any Error>.makeStream()
    let task = Task {
      do {
        let condition = try await condition(filter, now: now)
        try await scan(slices, condition, cleared, total, continuation)
        continuation.finish()
      } catch is CancellationError {
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// How many exchanges fit.
  package func count(_ filter: Filter, now: Timestamp = .now) async throws -> Int {
    if filter.isEmpty { return count }
    var found = 0
    for try await batch in search(filter, now: now) { found += batch.ids.count }
    try Task.checkCancellation()
    return found
  }

  /// What a filter means here and now.
  func condition(_ filter: Filter, now: Timestamp) async throws -> StoredCondition {
    try await database.read { [session] in try StoredCondition(filter, now: now, TextLookup($0, session: session)) }
  }

  /// Reads several slices at once and gives out what they have in their order.
  private func scan(
    _ slices: [ClosedRange<Int64>], _ condition: StoredCondition, _ cleared: Int64, _ total: Int,
    _ continuation: AsyncThrowingStream<SearchBatch, any Error>.Continuation
  ) async throws {
    try await withThrowingTaskGroup(of: (Int, [Int64], Int).self) { group in
      var started = 0
      var scanned = 0
      var ready: [Int: (ids: [Int64], rows: Int)] = [:]
      var next = 0
      func start() {
        guard started < slices.count else { return }
        let index = started
        let slice = slices[index]
        group.addTask {
          let (ids, rows) = try await self.database.read { database in
            try Self.ids(in: slice, condition, cleared, database)
          }
          return (index, ids, rows)
        }
        started += 1
      }
      for _ in 0..<HistoryDatabase.searchers { start() }
      while let (index, ids, rows) = try await group.next() {
        try Task.checkCancellation()
        ready[index] = (ids, rows)
        start()
        while let part = ready.removeValue(forKey: next) {
          scanned = min(total, scanned + part.rows)
          next += 1
          continuation.yield(
            SearchBatch(ids: part.ids, scanned: next == slices.count ? total : scanned, total: total))
        }
      }
    }
  }

  private static func ids(
    in slice: ClosedRange<Int64>, _ condition: StoredCondition, _ cleared: Int64, _ database: Database
  ) throws -> (ids: [Int64], rows: Int) {
    let scan = try RunScan(condition, columns: "e.id", cleared: cleared, database)
    var ids: [Int64] = []
    // Of the run at hand, in rising order.
    var found: [Int64] = []
    try scan.each(slice) { segment, rows in
      let all = segment.ids()
      for row in rows { found.append(all[row]) }
    } row: {
      found.append($0.int(0))
    } end: {
      ids += found.reversed()
      found.removeAll(keepingCapacity: true)
    }
    return (ids, Int(clamping: slice.upperBound - slice.lowerBound + 1))
  }
}
