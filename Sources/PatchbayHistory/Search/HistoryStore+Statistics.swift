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
    let slices = runIndex.withLock { $0.slices(of: 32_768, first: 32_768) }
    let cleared = cleared.withLock { $0 }
    let condition = try await condition(filter, now: now)
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
    in slice: ClosedRange<Int64>, _ condition: StoredCondition, _ span: TrafficTable.Span?, _ cleared: Int64,
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

/// Counts rows by endpoint.
private struct TrafficCounter {
  /// Ids of shared texts.
  struct Key: Hashable, Sendable {
    var host: Int64
    var method: Int64
    var endpoint: Int64

    /// Endpoints are many, hosts and methods few: one round of hashing tells most of them apart.
    func hash(into hasher: inout Hasher) { hasher.combine(endpoint << 24 ^ host << 12 ^ method) }
  }

  /// What is read of each row, in this order.
  static let columns: [SegmentNumbers.Column] = [
    .host, .method, .endpoint, .status, .outcome, .sent, .size, .duration, .started,
  ]

  private let span: TrafficTable.Span?
  private let parts: Int
  private let failed = Codes.outcome[.failed]
  private var places = KeyPlaces()
  private var keys: [Key] = []
  private var counts: [Counts] = []
  private var durations: [[Int64]] = []
  private var sparks: [Int] = []
  private var values: [Int64] = []

  private struct Counts {
    var count = 0
    var errors = 0
    var sent: Int64 = 0
    var received: Int64 = 0
  }

  init(_ span: TrafficTable.Span?) {
    self.span = span
    parts = span?.parts ?? 0
  }

  /// Rows of a segment.
  mutating func add(_ segment: Segment, _ rows: RowBitmap) {
    let count = segment.numbers.count
    if values.isEmpty { values = [Int64](repeating: 0, count: Self.columns.count * Int(RunIndex.span)) }
    var values = values
    self.values = []
    values.withUnsafeMutableBufferPointer { all in
      guard let base = all.baseAddress else { return }
      for (index, column) in Self.columns.enumerated() { segment.numbers.read(column, into: base + index * count) }
      for row in rows {
        func value(_ column: Int) -> Int64 { base[column * count + row] }
        add(
          Key(host: value(0), method: value(1), endpoint: value(2)), isError: value(3) >= 400 || value(4) == failed,
          sent: value(5), received: value(6), duration: value(7) == SegmentNumbers.null ? nil : value(7),
          started: value(8))
      }
    }
    self.values = values
  }

  /// A row of the tables.
  mutating func add(_ row: RawStatement) {
    add(
      Key(host: row.int(0), method: row.int(1), endpoint: row.int(2)),
      isError: row.int(3) >= 400 || row.optionalInt(4) == failed, sent: row.int(5), received: row.int(6),
      duration: row.optionalInt(7), started: row.int(8))
  }

  private mutating func add(
    _ key: Key, isError: Bool, sent: Int64, received: Int64, duration: Int64?, started: Int64
  ) {
    let place = places[key] ?? counts.count
    if place == counts.count {
      places[key] = place
      keys.append(key)
      counts.append(Counts())
      durations.append([])
      sparks.append(contentsOf: repeatElement(0, count: parts))
    }
    counts[place].count += 1
    if isError { counts[place].errors += 1 }
    counts[place].sent = counts[place].sent.addingUpTo63Bits(NumberLimits.count(sent))
    counts[place].received = counts[place].received.addingUpTo63Bits(NumberLimits.count(received))
    if let duration { durations[place].append(NumberLimits.count(duration)) }
    if let part = span?.part(of: started) { sparks[place * parts + part] += 1 }
  }

  var groups: [Key: TrafficGroup] {
    var result: [Key: TrafficGroup] = [:]
    for (place, key) in keys.enumerated() {
      let counts = counts[place]
      result[key] = TrafficGroup(
        count: counts.count, errors: counts.errors, sent: counts.sent, received: counts.received,
        durations: durations[place], parts: Array(sparks[(place * parts)..<((place + 1) * parts)]))
    }
    return result
  }

  /// Where each key's counts are. Traffic repeats itself: the keys met last are found without hashing.
  private struct KeyPlaces {
    private var all: [Key: Int] = [:]
    private var recent = [(key: Key, place: Int)](
      repeating: (Key(host: -1, method: -1, endpoint: -1), -1), count: 1_024)

    subscript(key: Key) -> Int? {
      mutating get {
        let slot = Int(truncatingIfNeeded: (key.endpoint &* 31 &+ key.host &* 7 &+ key.method) & 1_023)
        if recent[slot].key == key, recent[slot].place >= 0 { return recent[slot].place }
        guard let place = all[key] else { return nil }
        recent[slot] = (key, place)
        return place
      }
      set { all[key] = newValue }
    }
  }
}
