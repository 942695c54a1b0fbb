import GRDB
import PatchbayInspect
import PatchbayWire

extension HistoryStore {
  /// Counts the exchanges that fit by endpoint, on several connections. Exact; sees what is written.
  ///
  /// - Parameter span: what the sparklines show; nil draws none. It does not limit what is counted: a filter does.
  package func statistics(
    _ filter: Filter = .everything, span: TrafficTable.Span? = nil, now: Timestamp = .now
  ) async throws -> TrafficTable {
    let slices = census.withLock { $0.slices(of: 32_768, first: 32_768) }
    let cleared = cleared.withLock { $0 }
    let condition = try await database.read { try SearchCondition(filter, now: now, $0) }
    return try await withThrowingTaskGroup(of: [TrafficCounter.Key: TrafficGroup].self) { group in
      var rest = slices[...]
      func start() {
        guard let slice = rest.popFirst() else { return }
        group.addTask {
          try await self.database.read { try Self.groups(in: slice, condition, span, cleared, $0) }
        }
      }
      for _ in 0..<HistoryDatabase.searchers { start() }
      var all: [TrafficCounter.Key: TrafficGroup] = [:]
      while let groups = try await group.next() {
        try Task.checkCancellation()
        start()
        for (key, value) in groups { all[key, default: TrafficGroup(parts: span?.parts ?? 0)].add(value) }
      }
      return try await table(all, span)
    }
  }

  private static func groups(
    in slice: ClosedRange<Int64>, _ condition: SearchCondition, _ span: TrafficTable.Span?, _ cleared: Int64,
    _ database: Database
  ) throws -> [TrafficCounter.Key: TrafficGroup] {
    let columns = TrafficCounter.columns.map { "e." + $0.sql }.joined(separator: ", ")
    let scan = try RunScan(condition, columns: columns, cleared: cleared, database)
    var counter = TrafficCounter(span)
    try scan.each(slice) {
      counter.add($0, $1)
    } row: {
      counter.add($0)
    }
    return counter.groups
  }

  private func table(_ groups: [TrafficCounter.Key: TrafficGroup], _ span: TrafficTable.Span?) async throws
    -> TrafficTable
  {
    try await database.read { [texts = database.texts] database in
      var table = TrafficTable(span: span)
      for (key, group) in groups {
        let name = TrafficTable.Key(
          host: try texts.text(key.host, database), method: try texts.text(key.method, database),
          endpoint: try texts.text(key.endpoint, database))
        table.add(group, to: name)
      }
      return table
    }
  }
}
