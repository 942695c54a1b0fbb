import PatchbayConsole
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Reads of the history that need more than one step.
struct HistoryQuery: Sendable {
  let history: HistoryStore

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
          var found: [Int64] = []
          for try await batch in history.search(filter) {
            let ids = after > 0 ? batch.ids.filter { $0 > after } : batch.ids
            if sort.isArrival {
              if !ids.isEmpty { continuation.yield(Batch(ids: ids, isLast: false)) }
              if after > 0, ids.count < batch.ids.count { break }
            } else {
              found += ids
            }
          }
          try Task.checkCancellation()
          if !sort.isArrival { found = try await sorted(found, by: sort) }
          continuation.yield(Batch(ids: found, isLast: true))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// The ids of those that fit, oldest first; of the newest ones where there are more than the limit.
  func ids(_ filter: Filter, limit: Int?) async throws -> [Int64] {
    var ids: [Int64] = []
    for try await batch in history.search(filter) {
      ids += batch.ids
      if let limit, ids.count >= limit { break }
    }
    return (limit.map { Array(ids.prefix($0)) } ?? ids).reversed()
  }

  /// Whole exchanges that fit, oldest first; the newest ones where there are more than the limit.
  func exchanges(_ filter: Filter, limit: Int? = nil) async throws -> [Exchange] {
    try await history.exchanges(ids: try await ids(filter, limit: limit))
  }

  private func sorted(_ ids: [Int64], by order: SortOrder) async throws -> [Int64] {
    var rows: [ExchangeSummary] = []
    rows.reserveCapacity(ids.count)
    for start in stride(from: 0, to: ids.count, by: 5_000) {
      try Task.checkCancellation()
      rows += try await history.summaries(ids: Array(ids[start..<min(ids.count, start + 5_000)]))
    }
    rows.sort { order.precedes($0, $1) }
    return rows.map(\.id)
  }
}

extension SortOrder {
  /// Whether the left one stands before the right one; equal ones stand in the order in which they came.
  func precedes(_ left: ExchangeSummary, _ right: ExchangeSummary) -> Bool {
    func by<Value: Comparable>(_ value: (ExchangeSummary) -> Value) -> Bool {
      let (one, other) = (value(left), value(right))
      return one == other ? left.id < right.id : (one < other) != descending
    }
    switch column {
    case .number, .startedAt, .timeline: return descending ? left.id > right.id : left.id < right.id
    case .process: return by { "\($0.process.name) \($0.process.pid)" }
    case .method: return by(\.method)
    case .status: return by { $0.status ?? 1_000 + abs($0.error?.code ?? 0) }
    case .host: return by(\.host)
    case .path: return by(\.path)
    case .type: return by { $0.responseType ?? "" }
    case .size: return by(\.size)
    case .duration: return by { $0.duration ?? Int64.max }
    case .by: return by { $0.by.rawValue + ($0.stub ?? "") }
    }
  }
}
