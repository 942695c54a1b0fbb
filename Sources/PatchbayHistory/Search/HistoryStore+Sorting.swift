import GRDB
import PatchbayInspect
import PatchbayWire

extension HistoryStore {
  /// The ids of the exchanges that fit, sorted; of those that are written: `flush()` first to have all that were recorded.
  ///
  /// A million take about 40 MB while it works, 8 MB of them for the result; paths take their own bytes besides.
  /// Cancelling the task ends it.
  ///
  /// - Parameter lowest: no id up to this one is among them.
  package func ids(
    _ filter: Filter, above lowest: Int64 = 0, sortedBy order: HistoryOrder, descending: Bool = false,
    now: Timestamp = .now
  ) async throws -> [Int64] {
    let slices = census.withLock { $0.slices(of: filter.needsBodies ? 8_192 : 32_768, first: 2_048) }
    let floor = max(lowest, cleared.withLock { $0 })
    let condition = try await database.read { try FilterSQL(filter, now: now, TextLookup($0)) }
    var keys = SortKeys()
    if filter.isEmpty, lowest == 0 { keys.reserve(count) }
    try await withThrowingTaskGroup(of: SortKeys.self) { group in
      var waiting = slices.filter { $0.upperBound > floor }.makeIterator()
      func start() {
        guard let slice = waiting.next() else { return }
        group.addTask { try await self.database.read { try Self.keys(in: slice, condition, floor, order, $0) } }
      }
      // Pages are read meanwhile: not all connections are taken.
      for _ in 0..<(HistoryDatabase.searchers - 1) { start() }
      while let part = try await group.next() {
        try Task.checkCancellation()
        keys.append(part)
        start()
      }
    }
    if order.isShared { keys.replace(try await ranks(of: Set(keys.entries.map(\.key)), order)) }
    try Task.checkCancellation()
    return keys.sortedIDs(descending: descending)
  }

  private static func keys(
    in slice: ClosedRange<Int64>, _ condition: FilterSQL, _ floor: Int64, _ order: HistoryOrder, _ database: Database
  ) throws -> SortKeys {
    let statement = try RawStatement(
      database,
      """
      SELECT e.id, \(order.column) FROM \(condition.tables)
      WHERE e.id BETWEEN ? AND ? AND \(try Schema.visible(forScan: database)) AND \(condition.condition)
      """)
    statement.bind(1, max(slice.lowerBound, floor + 1))
    statement.bind(2, slice.upperBound)
    let condition = condition.unshared()
    condition.bind(to: statement)
    defer { withExtendedLifetime(condition) {} }
    var keys = SortKeys()
    while try statement.step() {
      let id = statement.int(0)
      if order == .path { statement.withText(1) { keys.add(id, path: $0) } } else { keys.add(id, statement.int(1)) }
    }
    return keys
  }

  /// For each of these keys its place among them by the text that it stands for.
  private func ranks(of keys: Set<Int64>, _ order: HistoryOrder) async throws -> [Int64: Int64] {
    let named = try await database.read { [texts = database.texts] database in
      try keys.map { key -> (key: Int64, first: String, second: String, number: Int64) in
        let (high, low) = (key >> 32, key & 0xFFFF_FFFF)
        switch order {
        case .process: return (key, try texts.text(high, database), "", low)
        case .answerer: return (key, Codes.answerer.value(high)?.rawValue ?? "", try texts.text(low, database), 0)
        default: return (key, try texts.text(key, database), "", 0)
        }
      }
    }
    let sorted = named.sorted { ($0.first, $0.second, $0.number) < ($1.first, $1.second, $1.number) }
    return Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1.key, Int64($0)) })
  }
}
