import GRDB
import GRDBSQLite
import PatchbayInspect

/// Patterns of a filter, handed to SQLite so that its rows are compared by the same code as values in memory.
final class Probe: Sendable {
  let field: FilterField
  let patterns: [FilterText]

  init(_ field: FilterField, _ patterns: [FilterText]) {
    self.field = field
    self.patterns = patterns
  }

  /// The same, for one reader alone.
  func unshared() -> Probe { Probe(field, patterns.map { $0.unshared() }) }

  // Points at a static string, which is never freed.
  nonisolated(unsafe) static let pointerType: UnsafePointer<CChar> = {
    let name: StaticString = "patchbay-probe"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }()

  /// Makes the SQL functions known to a connection.
  ///
  /// - `probe(p, text)`: a whole text. - `probe_url(p, url)`. - `probe_host(p, authority)`.
  /// - `probe_headers(p, facts)`. - `probe_body(p, charset, body)`. All give 0 or 1, never NULL.
  static func install(in database: Database) throws {
    try add("probe", 2, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { probe in
        guard let text = text(values[1]) else { return false }
        return probe.patterns.contains { $0.matches(text) }
      }
    }
    try add("probe_url", 2, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { probe in
        guard let text = text(values[1]) else { return false }
        return FilterMatching.url(text, field: probe.field, probe.patterns)
      }
    }
    try add("probe_host", 2, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { probe in
        guard let text = text(values[1]) else { return false }
        return FilterMatching.host(String(decoding: text, as: UTF8.self), probe.patterns)
      }
    }
    try add("probe_headers", 2, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { probe in
        guard let facts = blob(values[1]), probe.patterns.contains(where: { $0.mayMatch(partOf: facts) }) else {
          return false
        }
        return Facts.anyHeader(in: facts) { line in probe.patterns.contains { $0.matches(line) } }
      }
    }
    try add("probe_body", 3, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { probe in
        guard let body = blob(values[2]) else { return false }
        let charset = Charset(rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int64(values[1]))) ?? .utf8
        return FilterMatching.body(body, charset, probe.patterns)
      }
    }
  }

  private typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private static func add(_ name: String, _ count: Int32, to database: Database, _ function: Function) throws {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    let code = sqlite3_create_function_v2(database.sqliteConnection, name, count, flags, nil, function, nil, nil, nil)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }
}

private typealias Values = UnsafeMutablePointer<OpaquePointer?>

private func answer(_ context: OpaquePointer?, _ values: Values, _ body: (Probe) -> Bool) {
  guard let pointer = sqlite3_value_pointer(values[0], Probe.pointerType) else {
    sqlite3_result_int(context, 0)
    return
  }
  let holds = Unmanaged<Probe>.fromOpaque(pointer)._withUnsafeGuaranteedRef { body($0) }
  sqlite3_result_int(context, holds ? 1 : 0)
}

private func text(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
  guard sqlite3_value_type(value) != SQLITE_NULL, let base = sqlite3_value_text(value) else { return nil }
  return UnsafeBufferPointer(start: base, count: Int(sqlite3_value_bytes(value)))
}

private func blob(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
  guard sqlite3_value_type(value) != SQLITE_NULL else { return nil }
  let base = sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
  return UnsafeBufferPointer(start: base, count: Int(sqlite3_value_bytes(value)))
}
