import PatchbayGrid
import PatchbayInspect

/// Method, host and path of endpoints in a column: where they do not fit the hosts give way, for paths tell more.
struct EndpointText {
  private let method: Int
  private let host: Int
  /// Columns that hosts keep at least.
  private static let leastHost = 8

  /// - Parameter rows: those in sight, which are aligned with each other.
  init(_ rows: some Sequence<TrafficStatistics>, width: Int) {
    var widest = (method: 0, host: 0, path: 0)
    for row in rows {
      widest.method = max(widest.method, textWidth(shown(row.method ?? "")))
      widest.host = max(widest.host, textWidth(shown(row.host)))
      widest.path = max(widest.path, textWidth(shown(row.endpoint ?? "")))
    }
    method = min(7, widest.method)
    let lead = method > 0 ? method + 1 : 0
    host = min(widest.host, max(Self.leastHost, width - lead - widest.path))
  }

  func pieces(_ row: TrafficStatistics) -> [PageLine.Piece] {
    guard let path = row.endpoint.map(shown) else { return [.init(shown(row.host))] }
    let name = row.method.map(shown) ?? ""
    return [
      .init(
        method > 0 ? padded(truncated(name, toWidth: method), toWidth: method) + " " : "",
        DetailPages.isRead(name) ? .methodRead : .methodWrite),
      .init(padded(truncated(shown(row.host), toWidth: host), toWidth: host), .dim), .init(path, .text),
    ]
  }
}
