import PatchbayInspect

/// What the history has to say without being asked. Each is to be shown to the person.
package enum HistoryEvent: Hashable, Sendable, CustomStringConvertible {
  /// So many of the oldest exchanges went, as the retention asks.
  case retired(exchanges: Int, why: Limit)
  /// Writing failed; exchanges are kept in memory and it is tried again each second.
  case failed(HistoryError)
  /// Writing works again; nothing but what was said to be shed is lost.
  case recovered
  /// Lost in all since writing failed, because memory is bounded.
  case shed(bodies: Int, exchanges: Int)

  /// So many had still not been written when the history was closed, and are gone.
  case lost(exchanges: Int, HistoryError)

  package enum Limit: String, Hashable, Sendable {
    case count
    case size
  }

  package var description: String {
    switch self {
    case .retired(let count, .count):
      "The history is full: its oldest \(Self.exchanges(count)) removed."
    case .retired(let count, .size):
      "The history's file is as large as it may be: its oldest \(Self.exchanges(count)) removed."
    case .failed(let error): "\(error.description) Until then exchanges are kept in memory."
    case .recovered: "The history is written again."
    case .lost(let count, let error):
      "\(count == 1 ? "1 " : "")\(Self.exchanges(count)) not recorded. \(error.description)"
    case .shed(let bodies, let exchanges):
      """
      The history cannot be written and memory is short: \(Quantity.count(bodies)) \(bodies == 1 ? "body" : "bodies") and \(Quantity.count(exchanges)) \
      \(exchanges == 1 ? "exchange" : "exchanges") were not kept.
      """
    }
  }

  /// `exchange was`, `12 exchanges were`.
  private static func exchanges(_ count: Int) -> String {
    count == 1 ? "exchange was" : "\(Quantity.count(count)) exchanges were"
  }
}
