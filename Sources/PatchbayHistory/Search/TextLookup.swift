import GRDB
import PatchbayInspect

/// Which shared texts fit the patterns of one filter, each looked up once.
///
/// Not `Sendable`: belongs to the reading in which it was made.
final class TextLookup {
  private let database: Database
  private var known: [Key: [Int64]] = [:]

  private struct Key: Hashable {
    var function: String
    var patterns: [FilterText]
  }

  init(_ database: Database) { self.database = database }

  /// - Parameter function: `probe` or `probe_host`.
  func ids(_ function: String, _ patterns: [FilterText]) throws -> [Int64] {
    let key = Key(function: function, patterns: patterns)
    if let ids = known[key] { return ids }
    let probe = Probe(.url, patterns)
    let statement = try RawStatement(database, "SELECT id FROM text WHERE \(function)(?, value)")
    statement.bind(1, probe)
    defer { withExtendedLifetime(probe) {} }
    var ids: [Int64] = []
    while try statement.step() { ids.append(statement.int(0)) }
    known[key] = ids
    return ids
  }

  /// The marked exchanges in rising order; nil where they are too many to be carried about.
  func marked() throws -> [Int64]? {
    let limit = 100_000
    let ids = try Int64.fetchAll(database, sql: "SELECT id FROM mark ORDER BY id LIMIT \(limit + 1)")
    return ids.count > limit ? nil : ids
  }
}
