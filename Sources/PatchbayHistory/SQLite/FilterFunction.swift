import GRDB
import GRDBSQLite
import PatchbayInspect

/// Patterns of a filter, handed to SQLite so that its rows are compared by the same code as values in memory.
final class FilterFunction: Sendable {
  let field: FilterField
  let patterns: [FilterText]

  init(_ field: FilterField, _ patterns: [FilterText]) {
    self.field = field
    self.patterns = patterns
  }

  // Points at a static string, which is never freed.
  nonisolated(unsafe) static let pointerType: UnsafePointer<CChar> = {
    let name: StaticString = "patchbay-function"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }()

  /// Makes the SQL functions known to a connection.
  ///
  /// - `filter_text(p, text)`: a whole text. - `filter_words(p, text)`: one of its words. -
  /// `filter_operation(p, endpoint)`. - `filter_url(p, url)`. - `filter_host(p, authority)`.
  /// - `filter_headers(p, facts)`. - `filter_body(p, charset, body)`. All give 0 or 1, never NULL.
  static func install(in database: Database) throws {
    try add("filter_text", 2, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { function in
        guard let text = text(values[1]) else { return false }
        return function.patterns.contains { $0.matches(text) }
      }
    }
    try add("filter_words", 2, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { function in
        guard let text = text(values[1]) else { return false }
        return text.split(separator: UInt8(ascii: " ")).contains { word in
          function.patterns.contains { $0.matches(UnsafeBufferPointer(rebasing: word)) }
        }
      }
    }
    try add("filter_operation", 2, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { function in
        guard let text = text(values[1]), let sign = text.firstIndex(of: UInt8(ascii: "#")) else { return false }
        return function.patterns.contains { $0.matches(UnsafeBufferPointer(rebasing: text[(sign + 1)...])) }
      }
    }
    try add("filter_url", 2, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { function in
        guard let text = text(values[1]) else { return false }
        return FilterMatching.url(text, field: function.field, function.patterns)
      }
    }
    try add("filter_host", 2, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { function in
        guard let text = text(values[1]) else { return false }
        return FilterMatching.host(String(decoding: text, as: UTF8.self), function.patterns)
      }
    }
    try add("filter_headers", 2, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { function in
        guard let facts = blob(values[1]), function.patterns.contains(where: { $0.mayMatch(partOf: facts) }) else {
          return false
        }
        return DetailBlob.anyHeader(in: facts) { line in function.patterns.contains { $0.matches(line) } }
      }
    }
    try add("filter_body", 3, to: database) { context, _, values in
      guard let values else { return sqlite3_result_int(context, 0) }
      answer(context, values) { function in
        guard let body = blob(values[2]) else { return false }
        let charset = Charset(rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int64(values[1]))) ?? .utf8
        return FilterMatching.body(body, charset, function.patterns)
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

private func answer(_ context: OpaquePointer?, _ values: Values, _ body: (FilterFunction) -> Bool) {
  guard let pointer = sqlite3_value_pointer(values[0], FilterFunction.pointerType) else {
    sqlite3_result_int(context, 0)
    return
  }
  let holds = Unmanaged<FilterFunction>.fromOpaque(pointer)._withUnsafeGuaranteedRef { body($0) }
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
