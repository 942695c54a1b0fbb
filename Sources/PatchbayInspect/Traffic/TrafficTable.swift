import Dispatch
import PatchbayWire

/// Traffic counted by endpoint. Exact: percentiles come of all durations, not of a sketch.
package struct TrafficTable: Hashable, Sendable {
  /// What is counted together.
  package struct Key: Hashable, Sendable {
    /// Host and port as written.
    package var host: String
    package var method: String
    /// The path with its ids folded and the GraphQL operation, see ``Endpoint/text(path:operation:)``.
    package var endpoint: String

    package init(host: String, method: String, endpoint: String) {
      self.host = host
      self.method = method
      self.endpoint = endpoint
    }
  }

  /// The time that the sparklines span, in equal parts.
  package struct Span: Hashable, Sendable {
    package var from: Timestamp
    package var to: Timestamp
    package var parts: Int

    package init(from: Timestamp, to: Timestamp, parts: Int) {
      self.from = from
      self.to = max(from, to)
      self.parts = max(1, parts)
    }

    /// nil for a moment outside.
    package func part(of moment: Int64) -> Int? {
      guard moment >= from.microseconds, moment <= to.microseconds else { return nil }
      let length = Double(to.microseconds - from.microseconds) + 1
      return min(parts - 1, Int(Double(moment - from.microseconds) / length * Double(parts)))
    }
  }

  package let span: Span?
  private var groups: [Key: TrafficGroup] = [:]

  /// - Parameter span: nil draws no sparklines.
  package init(span: Span? = nil) { self.span = span }

  /// Counts one exchange; each once, when it has ended or will not be counted again.
  package mutating func add(_ row: ExchangeSummary) {
    let key = Key(host: row.authority, method: row.method, endpoint: row.endpoint)
    groups[key, default: TrafficGroup(parts: span?.parts ?? 0)].add(
      isError: row.isBad, sent: row.bytesSent, received: row.size,
      duration: row.duration, part: span?.part(of: row.startedAt.microseconds))
  }

  package mutating func add(_ group: TrafficGroup, to key: Key) {
    groups[key, default: TrafficGroup(parts: span?.parts ?? 0)].add(group)
  }

  /// By endpoint, the most used first.
  package var endpoints: [TrafficStatistics] {
    Self.statistics(groups.map { Row(host: $0.key.host, method: $0.key.method, endpoint: $0.key.endpoint, $0.value) })
  }

  /// By host, the most used first.
  package var hosts: [TrafficStatistics] {
    var hosts: [String: TrafficGroup] = [:]
    for (key, group) in groups { hosts[key.host, default: TrafficGroup(parts: span?.parts ?? 0)].add(group) }
    return Self.statistics(hosts.map { Row(host: $0.key, method: nil, endpoint: nil, $0.value) })
  }

  private struct Row: Sendable {
    var host: String
    var method: String?
    var endpoint: String?
    var group: TrafficGroup

    init(host: String, method: String?, endpoint: String?, _ group: TrafficGroup) {
      self.host = host
      self.method = method
      self.endpoint = endpoint
      self.group = group
    }

    var statistics: TrafficStatistics { TrafficStatistics(host, method, endpoint, group) }
  }

  /// With at least this many durations several threads are worth their start.
  private static let parallelLimit = 20_000

  private static func statistics(_ rows: [Row]) -> [TrafficStatistics] {
    let sizes = rows.map(\.group.durations.count)
    guard sizes.reduce(0, +) >= parallelLimit else { return rows.map(\.statistics).sorted(by: precedes) }
    // The largest begin, so that no thread is left with one of them at the end.
    let order = rows.indices.sorted { sizes[$0] > sizes[$1] }
    let found = [TrafficStatistics](unsafeUninitializedCapacity: rows.count) { buffer, count in
      // Each iteration writes one place of its own.
      nonisolated(unsafe) let places = buffer
      DispatchQueue.concurrentPerform(iterations: order.count) { index in
        places.initializeElement(at: index, to: rows[order[index]].statistics)
      }
      count = order.count
    }
    return found.sorted(by: precedes)
  }

  private static func precedes(_ left: TrafficStatistics, _ right: TrafficStatistics) -> Bool {
    if left.count != right.count { return left.count > right.count }
    let names = [left, right].map { [$0.host, $0.endpoint ?? "", $0.operation ?? "", $0.method ?? ""] }
    return names[0].lexicographicallyPrecedes(names[1])
  }
}
