import PatchbayWire

/// What controllers need of the rest of the console. Errors that it throws reach them as their description.
public protocol ControlDelegate: Sendable {
  /// Which exchanges that filter lets through.
  func exchangePredicate(_ filter: String) throws -> @Sendable (Exchange) -> Bool
  /// The exchange as one JSON object, without line breaks.
  func exchangeJSON(_ exchange: Exchange) -> String
  /// Recorded exchanges that pass the filter, as JSON objects; the newest ones where there are more than the limit.
  func history(filter: String, limit: Int?) async throws -> [String]
  /// The file in which exchanges are recorded; nil where they are kept in memory.
  var historyFile: String? { get }
}
