import GRDB
import PatchbayInspect
import PatchbayWire

extension HistoryStore {
  /// Counts the exchanges that fit by endpoint, on several connections. Exact; sees what is written.
  ///
  /// - Parameter span: what the sparklines show; nil draws none. It does not limit what is counted: a filter does.
  public func statistics(
    _ filter: Filter = .everything, span: TrafficTable.Span? = nil, now: Timestamp = .now
  ) async throws -> TrafficTable {
    let slices = census.withLock { $0.slices(of: 32_768, first: 32_768) }
    let cleared = cleared.withLock { $0 }
    let condition = try await database.read { try FilterSQL(filter, now: now, $0) }
    return try await withThrowingTaskGroup(of: [GroupKey: TrafficGroup].self) { group in
      var rest = slices[...]
      func start() {
        guard let slice = rest.popFirst() else { return }
        group.addTask {
          try await self.database.read { try Self.groups(in: slice, condition, span, cleared, $0) }
        }
      }
      for _ in 0..<HistoryDatabase.searchers { start() }
      var all: [GroupKey: TrafficGroup] = [:]
      while let groups = try await group.next() {
        try Task.checkCancellation()
        start()
        for (key, value) in groups { all[key, default: TrafficGroup(parts: span?.parts ?? 0)].add(value) }
      }
      return try await table(all, span)
    }
  }

  /// Ids of shared texts.
  private struct GroupKey: Hashable, Sendable {
    var host: Int64
    var method: Int64
    var endpoint: Int64

    /// Endpoints are many, hosts and methods few: one round of hashing tells most of them apart.
    func hash(into hasher: inout Hasher) { hasher.combine(endpoint << 24 ^ host << 12 ^ method) }
  }

  private static func groups(
    in slice: ClosedRange<Int64>, _ condition: FilterSQL, _ span: TrafficTable.Span?, _ cleared: Int64,
    _ database: Database
  ) throws -> [GroupKey: TrafficGroup] {
    let statement = try RawStatement(
      database,
      """
      SELECT e.host, e.method, e.endpoint, e.status, e.outcome, e.sent, e.size, e.duration, \(span == nil ? "0" : "e.started")
      FROM \(condition.tables) WHERE e.id BETWEEN ? AND ? AND \(try Schema.visible(database)) AND \(condition.condition)
      """)
    statement.bind(1, max(slice.lowerBound, cleared + 1))
    statement.bind(2, slice.upperBound)
    let condition = condition.unshared()
    condition.bind(to: statement)
    defer { withExtendedLifetime(condition) {} }
    let failed = Codes.outcome[.failed]
    let parts = span?.parts ?? 0
    var places = KeyPlaces()
    var keys: [GroupKey] = []
    var groups: [Counts] = []
    var durations: [[Int64]] = []
    var sparks: [Int] = []
    while try statement.step() {
      let key = GroupKey(host: statement.int(0), method: statement.int(1), endpoint: statement.int(2))
      let place = places[key] ?? groups.count
      if place == groups.count {
        places[key] = place
        keys.append(key)
        groups.append(Counts())
        durations.append([])
        sparks.append(contentsOf: repeatElement(0, count: parts))
      }
      groups[place].count += 1
      if statement.int(3) >= 400 || statement.optionalInt(4) == failed { groups[place].errors += 1 }
      groups[place].sent += statement.int(5)
      groups[place].received += statement.int(6)
      if let duration = statement.optionalInt(7) { durations[place].append(duration) }
      if let part = span?.part(of: statement.int(8)) { sparks[place * parts + part] += 1 }
    }
    var result: [GroupKey: TrafficGroup] = [:]
    for (place, key) in keys.enumerated() {
      let counts = groups[place]
      result[key] = TrafficGroup(
        count: counts.count, errors: counts.errors, sent: counts.sent, received: counts.received,
        durations: durations[place], parts: Array(sparks[(place * parts)..<((place + 1) * parts)]))
    }
    return result
  }

  /// Where each key's counts are. Traffic repeats itself: the keys met last are found without hashing.
  private struct KeyPlaces {
    private var all: [GroupKey: Int] = [:]
    private var recent = [(key: GroupKey, place: Int)](
      repeating: (GroupKey(host: -1, method: -1, endpoint: -1), 0), count: 1_024)

    subscript(key: GroupKey) -> Int? {
      mutating get {
        let slot = Int(truncatingIfNeeded: (key.endpoint &* 31 &+ key.host &* 7 &+ key.method) & 1_023)
        if recent[slot].key == key { return recent[slot].place }
        guard let place = all[key] else { return nil }
        recent[slot] = (key, place)
        return place
      }
      set { all[key] = newValue }
    }
  }

  private struct Counts {
    var count = 0
    var errors = 0
    var sent: Int64 = 0
    var received: Int64 = 0
  }

  private func table(_ groups: [GroupKey: TrafficGroup], _ span: TrafficTable.Span?) async throws -> TrafficTable {
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
