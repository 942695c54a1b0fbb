import GRDB
import PatchbayInspect

/// Which shared texts fit the patterns of one filter, each looked up once.
///
/// Not `Sendable`: belongs to the reading in which it was made.
final class TextLookup {
  private let database: Database
  /// The run that goes on; 0 where none does.
  private let session: Int64
  private var known: [Key: SharedTexts] = [:]

  private struct Key: Hashable {
    var function: String
    var patterns: [FilterText]
  }

  init(_ database: Database, session: Int64) {
    self.database = database
    self.session = session
  }

  /// What a text is, of which a part may fit, too.
  enum Kind: String {
    case text = "filter_text"
    /// Host and port: the host alone may fit.
    case authority = "filter_host"
    /// Of an endpoint the GraphQL operation has to fit.
    case endpoint = "filter_operation"
  }

  func shared(_ patterns: [FilterText], as kind: Kind = .text) throws -> SharedTexts {
    let key = Key(function: kind.rawValue, patterns: patterns)
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

  /// Where more than these would have to be carried about, each row is asked instead.
  private static let idLimit = 100_000

  /// The marked exchanges in rising order; nil where they are too many.
  func marked() throws -> [Int64]? {
    let ids = try Int64.fetchAll(database, sql: "SELECT id FROM mark ORDER BY id LIMIT \(Self.idLimit + 1)")
    return ids.count > Self.idLimit ? nil : ids
  }

  /// Those with a tag or a note that fits, in rising order; nil where they are too many.
  func remarked(_ field: FilterField, _ patterns: [FilterText]) throws -> [Int64]? {
    let (name, column) = field == .tag ? ("filter_words", "tags") : ("filter_text", "note")
    let function = FilterFunction(.url, patterns)
    let statement = try RawStatement(
      database, "SELECT id FROM remark WHERE \(name)(?, \(column)) ORDER BY id LIMIT \(Self.idLimit + 1)")
    statement.bind(1, function)
    defer { withExtendedLifetime(function) {} }
    var ids: [Int64] = []
    while try statement.step() { ids.append(statement.int(0)) }
    return ids.count > Self.idLimit ? nil : ids
  }

  /// The ids that the runs have.
  func ids(of runs: [FilterRun]) throws -> [ClosedRange<Int64>] {
    let table = RunTable(database)
    return try runs.compactMap { run in
      switch run {
      case .numbers(let numbers): try table.ids(of: numbers)
      case .last:
        try table.ids(of: session > 0 ? session...session : RunTable.newest(database)...RunTable.newest(database))
      }
    }
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
