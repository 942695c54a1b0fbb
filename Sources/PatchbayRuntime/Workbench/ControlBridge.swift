import PatchbayHistory
import PatchbayInspect
import PatchbayServer
import PatchbayWire

/// What controllers ask of the record.
struct ControlBridge: ControlDelegate {
  let history: HistoryStore

  func exchangePredicate(_ filter: String) throws -> @Sendable (Exchange) -> Bool {
    let filter = try FilterArgument.parse(filter)
    return { filter.matches($0) }
  }

  func exchangeJSON(_ exchange: Exchange) -> String { JSONLines.line(exchange) }

  var historyFile: String? {
    guard case .file(let path) = history.place else { return nil }
    return path
  }

  func history(filter: String, limit: Int?) async throws -> [String] {
    try await history.flush()
    let filter = try FilterArgument.parse(filter)
    return try await HistoryQuery(history: history).exchanges(filter, limit: limit).map(JSONLines.line)
  }
}
