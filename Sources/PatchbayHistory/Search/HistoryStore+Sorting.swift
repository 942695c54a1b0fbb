import Foundation
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
    let slices = runIndex.withLock { $0.slices(of: filter.needsBodies ? 8_192 : 32_768, first: 2_048) }
    let floor = max(lowest, cleared.withLock { $0 })
    let condition = try await condition(filter, now: now)
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
    in slice: ClosedRange<Int64>, _ condition: StoredCondition, _ floor: Int64, _ order: HistoryOrder,
    _ database: Database
  ) throws -> SortKeys {
    let sql = FilterSQL(condition.unshared())
    let statement = try RawStatement(
      database,
      """
      SELECT e.id, \(order.column) FROM \(sql.tables)
      WHERE e.id BETWEEN ? AND ? AND \(try Schema.visible(forScan: database)) AND \(sql.condition)
      """)
    statement.bind(1, max(slice.lowerBound, floor + 1))
    statement.bind(2, slice.upperBound)
    sql.bind(to: statement)
    defer { withExtendedLifetime(sql) {} }
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

/// By what exchanges can be sorted. What is equal stands in the order in which it was recorded.
package enum HistoryOrder: Hashable, Sendable, CaseIterable {
  case id, started
  /// By name, then by process id.
  case process
  case method
  /// Those without one come after all others: those that wait first, then those that failed, by their error's code.
  case status
  case host
  /// Path and query, byte by byte.
  case path
  /// The media type of the response.
  case type
  case size
  /// Those that have not ended come last.
  case duration
  /// By kind, then by the stub's name.
  case answerer

  /// What is read of each exchange `e`; texts that are shared by their ids.
  var column: String {
    switch self {
    case .id: "e.id"
    case .started: "e.started"
    case .process: "(e.process << 32) | (e.pid & 4294967295)"
    case .method: "e.method"
    case .status:
      "coalesce(e.status, 1000 + min(abs(max(coalesce(e.error_code, 0), -9007199254740992)), 9007199254740992))"
    case .host: "e.host"
    case .path: "e.url"
    case .type: "coalesce(e.type, 0)"
    case .size: "e.size"
    case .duration: "coalesce(e.duration, 9223372036854775807)"
    case .answerer: "(e.answerer << 32) | coalesce(e.stub, 0)"
    }
  }

  /// Whether `column` stands for a text.
  var isShared: Bool { [.process, .method, .host, .type, .answerer].contains(self) }
}

/// The keys of many exchanges, in as little memory as will do: 16 bytes for each number, a path's own bytes besides.
private struct SortKeys: Sendable {
  struct Entry: Sendable {
    var id: Int64
    /// A number, or where a path begins (all bits but the lowest 12) and how many bytes it has.
    var key: Int64
  }

  /// No more of a path is looked at.
  static let longest = 1_024

  private(set) var entries: [Entry] = []
  private var bytes: [UInt8] = []
  /// The bytes of what was appended, until they are joined: growing one array would take twice as much.
  private var parts: [[UInt8]] = []
  private var partBytes = 0

  mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  mutating func add(_ id: Int64, _ number: Int64) { entries.append(Entry(id: id, key: number)) }

  /// Adds what stands after the authority of a URL.
  mutating func add(_ id: Int64, path url: UnsafeBufferPointer<UInt8>) {
    let path = Self.path(of: url).prefix(Self.longest)
    add(id, Int64(bytes.count) << 12 | Int64(path.count))
    bytes.append(contentsOf: path)
  }

  /// Adds the keys of a part, which has none appended itself.
  mutating func append(_ part: SortKeys) {
    guard !part.bytes.isEmpty else {
      entries += part.entries
      return
    }
    let offset = Int64(partBytes) << 12
    for entry in part.entries { add(entry.id, entry.key + offset) }
    parts.append(Array(part.bytes))
    partBytes += part.bytes.count
  }

  /// Puts other numbers in the place of the keys.
  mutating func replace(_ numbers: [Int64: Int64]) {
    for index in entries.indices { entries[index].key = numbers[entries[index].key] ?? 0 }
  }

  /// The ids in the order of their keys.
  mutating func sortedIDs(descending: Bool) -> [Int64] {
    join()
    if bytes.isEmpty {
      if descending {
        entries.sort { $0.key == $1.key ? $0.id < $1.id : $0.key > $1.key }
      } else {
        entries.sort { $0.key == $1.key ? $0.id < $1.id : $0.key < $1.key }
      }
    } else {
      bytes.withUnsafeBytes { bytes in
        entries.sort { left, right in
          let order = Self.compare(left.key, right.key, bytes)
          return order == 0 ? left.id < right.id : (order < 0) != descending
        }
      }
    }
    return entries.map(\.id)
  }

  private mutating func join() {
    guard !parts.isEmpty else { return }
    bytes.reserveCapacity(partBytes)
    for index in parts.indices {
      bytes += parts[index]
      parts[index] = []
    }
    parts = []
  }

  private static func compare(_ left: Int64, _ right: Int64, _ bytes: UnsafeRawBufferPointer) -> Int {
    let (one, other) = (Int(left & 0xFFF), Int(right & 0xFFF))
    guard let base = bytes.baseAddress else { return 0 }
    let order = Int(memcmp(base + Int(left >> 12), base + Int(right >> 12), min(one, other)))
    return order == 0 ? one - other : order
  }

  private static func path(of url: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>> {
    var start = url.startIndex
    if let colon = url.firstIndex(of: UInt8(ascii: ":")), url[colon...].starts(with: "://".utf8) { start = colon + 3 }
    return url[start...].drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
  }
}
