import PatchbayInspect

/// The columns of the Traffic tab.
enum TrafficColumn: CaseIterable, Sendable {
  case name, count, errors, sent, received, p50, p95, p99

  var title: String {
    switch self {
    case .name: "endpoint"
    case .count: "count"
    case .errors: "errors"
    case .sent: "up"
    case .received: "down"
    case .p50: "p50"
    case .p95: "p95"
    case .p99: "p99"
    }
  }

  /// Below 0, 0 or above it.
  func compare(_ left: TrafficStatistics, _ right: TrafficStatistics) -> Int {
    func sign<Value: Comparable>(_ one: Value, _ other: Value) -> Int { one < other ? -1 : one == other ? 0 : 1 }
    switch self {
    case .name: return sign(left.host + (left.endpoint ?? ""), right.host + (right.endpoint ?? ""))
    case .count: return sign(left.count, right.count)
    case .errors: return sign(left.errorRate, right.errorRate)
    case .sent: return sign(left.sent, right.sent)
    case .received: return sign(left.received, right.received)
    case .p50: return sign(left.p50 ?? -1, right.p50 ?? -1)
    case .p95: return sign(left.p95 ?? -1, right.p95 ?? -1)
    case .p99: return sign(left.p99 ?? -1, right.p99 ?? -1)
    }
  }
}
