import PatchbayConsole
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayStubs
import PatchbayWire

/// Reads of the history that need more than one step.
package struct HistoryQuery: Sendable {
  let history: HistoryStore

  package init(history: HistoryStore) { self.history = history }

  struct Batch: Sendable {
    var ids: [Int64]
    var isLast: Bool
  }

  /// The ids that fit and are above `after`: newest first as they are found, or sorted at the end.
  func ids(_ filter: Filter, after: Int64, sort: SortOrder) -> AsyncThrowingStream<Batch, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          try await history.flush()
          guard sort.isArrival else {
            let found = try await history.ids(
              filter, above: after, sortedBy: sort.inHistory, descending: sort.descending)
            continuation.yield(Batch(ids: found, isLast: true))
            FreeMemory.giveBack()
            return continuation.finish()
          }
          for try await batch in history.search(filter) {
            let ids = after > 0 ? batch.ids.filter { $0 > after } : batch.ids
            if !ids.isEmpty { continuation.yield(Batch(ids: ids, isLast: false)) }
            if after > 0, ids.count < batch.ids.count { break }
          }
          try Task.checkCancellation()
          continuation.yield(Batch(ids: [], isLast: true))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// The ids of those that fit, oldest first; of the newest ones where there are more than the limit.
  package func ids(_ filter: Filter, limit: Int?) async throws -> [Int64] {
    var ids: [Int64] = []
    for try await batch in history.search(filter) {
      ids += batch.ids
      if let limit, ids.count >= limit { break }
    }
    // A search that is cancelled just ends.
    try Task.checkCancellation()
    return (limit.map { Array(ids.prefix($0)) } ?? ids).reversed()
  }

  /// Whole exchanges that fit, oldest first; the newest ones where there are more than the limit.
  func exchanges(_ filter: Filter, limit: Int? = nil) async throws -> [Exchange] {
    try await history.exchanges(ids: try await ids(filter, limit: limit))
  }
}

extension SortOrder {
  /// The same order as the history knows it.
  var inHistory: HistoryOrder {
    switch column {
    case .number: .id
    case .startedAt, .timeline: .started
    case .process: .process
    case .method: .method
    case .status: .status
    case .host: .host
    case .path: .path
    case .type: .type
    case .size: .size
    case .duration: .duration
    case .by: .answerer
    }
  }
}
