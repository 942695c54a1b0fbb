import GRDB
import PatchbayInspect

/// Which shared texts fit the patterns of one filter, each looked up once.
///
/// Not `Sendable`: belongs to the reading in which it was made.
final class TextLookup {
  private let database: Database
  private var known: [Key: SharedTexts] = [:]

  private struct Key: Hashable {
    var function: String
    var patterns: [FilterText]
  }

  init(_ database: Database) { self.database = database }

  /// - Parameter asHost: the texts are authorities, of which the host alone may fit, too.
  func shared(_ patterns: [FilterText], asHost: Bool = false) throws -> SharedTexts {
    let key = Key(function: asHost ? "filter_host" : "filter_text", patterns: patterns)
    if let texts = known[key] { return texts }
    let function = FilterFunction(.url, patterns)
    let statement = try RawStatement(database, "SELECT id FROM text WHERE \(key.function)(?, value)")
    statement.bind(1, function)
    defer { withExtendedLifetime(function) {} }
    var ids: [Int64] = []
    while try statement.step() { ids.append(statement.int(0)) }
    let texts = SharedTexts(function: key.function, patterns: patterns, ids: ids)
    known[key] = texts
    return texts
  }

  /// The marked exchanges in rising order; nil where they are too many to be carried about.
  func marked() throws -> [Int64]? {
    let limit = 100_000
    let ids = try Int64.fetchAll(database, sql: "SELECT id FROM mark ORDER BY id LIMIT \(limit + 1)")
    return ids.count > limit ? nil : ids
  }
}

/// The shared texts that fit some patterns.
struct SharedTexts: Sendable {
  /// The SQL function that says so of a text.
  let function: String
  var patterns: [FilterText]
  let ids: [Int64]
  /// The ids, a bit each.
  private var words: [UInt64] = []

  init(function: String, patterns: [FilterText], ids: [Int64]) {
    self.function = function
    self.patterns = patterns
    self.ids = ids
    guard let highest = ids.max(), highest >= 0 else { return }
    words = [UInt64](repeating: 0, count: Int(highest >> 6) + 1)
    for id in ids where id >= 0 { words[Int(id >> 6)] |= 1 << UInt64(id & 63) }
  }

  /// `SegmentNumbers.null` is none of them.
  func contains(_ id: Int64) -> Bool {
    guard id >= 0, id >> 6 < words.count else { return false }
    return words[Int(id >> 6)] >> UInt64(id & 63) & 1 == 1
  }
}
