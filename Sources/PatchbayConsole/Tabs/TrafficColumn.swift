import PatchbayGrid
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

/// Method, host and path of endpoints in a column: where they do not fit the hosts give way, for paths tell more.
struct EndpointText {
  private let method: Int
  private let host: Int
  private let isTree: Bool
  private let folded: Set<String>
  /// Columns that hosts keep at least.
  private static let leastHost = 8

  /// - Parameter rows: those in sight, which are aligned with each other.
  init(_ rows: some Sequence<TrafficStatistics>, width: Int, isTree: Bool = false, folded: Set<String> = []) {
    self.isTree = isTree
    self.folded = folded
    var widest = (method: 0, host: 0, path: 0)
    for row in rows {
      widest.method = max(widest.method, textWidth(shown(row.method ?? "")))
      widest.host = max(widest.host, textWidth(shown(row.host)))
      widest.path = max(widest.path, textWidth(Self.path(row)))
    }
    method = min(7, widest.method)
    let lead = method > 0 ? method + 1 : 0
    host = min(widest.host, max(Self.leastHost, width - lead - widest.path))
  }

  func pieces(_ row: TrafficStatistics) -> [PageLine.Piece] {
    guard row.endpoint != nil else {
      return [.init(isTree ? folded.contains(row.host) ? "▸ " : "▾ " : "", .key), .init(shown(row.host))]
    }
    let path = Self.path(row)
    let name = row.method.map(shown) ?? ""
    return [
      .init(isTree ? "  " : ""),
      .init(
        method > 0 ? padded(truncated(name, toWidth: method), toWidth: method) + " " : "",
        DetailPages.isRead(name) ? .methodRead : .methodWrite),
      .init(isTree ? "" : padded(truncatedInMiddle(shown(row.host), toWidth: host), toWidth: host), .dim),
      .init(path, .text),
    ]
  }

  private static func path(_ row: TrafficStatistics) -> String {
    PercentText.shown(row.endpoint ?? "") + (row.operation.map { " \(shown($0))" } ?? "")
  }
}
