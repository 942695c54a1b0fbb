import Foundation
import GRDB
import GRDBSQLite
import PatchbayInspect

/// A prepared statement without GRDB's boxes, for the paths where each nanosecond is paid a million times.
///
/// Not `Sendable`: belongs to the connection that made it, on whose queue alone it may be used.
final class RawStatement {
  /// Gone after `finish`; SQLite answers the use of it with an error.
  private var handle: OpaquePointer?
  private let connection: OpaquePointer
  /// Who owns the handle where it is kept for the next time.
  private let kept: Statement?

  init(_ database: Database, _ sql: String, isLongLived: Bool = false) throws {
    guard let connection = database.sqliteConnection else { throw DatabaseError(message: "the database is closed") }
    var handle: OpaquePointer?
    let flags: UInt32 = isLongLived ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil)
    guard code == SQLITE_OK, let handle else { throw Self.error(connection, sql) }
    self.handle = handle
    self.connection = connection
    kept = nil
  }

  /// One that the connection keeps, because preparing it costs more than running it. Only one of the same text may be in
  /// use at a time.
  init(keptBy database: Database, _ sql: String) throws {
    guard let connection = database.sqliteConnection else { throw DatabaseError(message: "the database is closed") }
    let statement = try database.cachedStatement(sql: sql)
    kept = statement
    handle = statement.sqliteStatement
    self.connection = connection
  }

  deinit { finish() }

  /// Gives its memory back, or the statement to the connection; it cannot be used afterwards.
  func finish() {
    if kept == nil {
      sqlite3_finalize(handle)
    } else if handle != nil {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    handle = nil
  }

  /// Whether there is a row.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = Self.error(connection, nil)
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Runs a statement that gives no rows, and makes it ready for the next time.
  func run() throws {
    defer { sqlite3_reset(handle) }
    guard sqlite3_step(handle) == SQLITE_DONE else { throw Self.error(connection, nil) }
  }

  func reset() { sqlite3_reset(handle) }

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  func bind(_ index: Int32, _ value: Int64?) {
    if let value {
      sqlite3_bind_int64(handle, index, value)
    } else {
      sqlite3_bind_null(handle, index)
    }
  }

  /// The text is copied.
  func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text(handle, index, $0.baseAddress ?? Self.nothing, Int32($0.count), Self.transient)
      }
    }
  }

  func bind(_ index: Int32, _ text: String?) {
    if let text {
      bind(index, text) as Void
    } else {
      sqlite3_bind_null(handle, index)
    }
  }

  /// Runs it with these bytes, which are not copied.
  func run(_ index: Int32, _ bytes: UnsafeRawBufferPointer) throws {
    if let base = bytes.baseAddress, !bytes.isEmpty {
      sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), nil)
    } else {
      sqlite3_bind_zeroblob(handle, index, 0)
    }
    try run()
  }

  /// Hands a value to one of our SQL functions; it must live as long as the statement is used.
  func bind(_ index: Int32, _ function: FilterFunction) {
    sqlite3_bind_pointer(handle, index, Unmanaged.passUnretained(function).toOpaque(), FilterFunction.pointerType, nil)
  }

  func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func optionalInt(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
  }

  func text(_ column: Int32) -> String {
    guard let base = sqlite3_column_text(handle, column) else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
  }

  func optionalText(_ column: Int32) -> String? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : text(column)
  }

  /// Hands over the bytes of a text, which live no longer than the call.
  func withText(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    let base = sqlite3_column_text(handle, column)
    body(UnsafeBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))))
  }

  /// In place, good until the next step; empty where it is NULL.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    guard let base = sqlite3_column_blob(handle, column) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }

  func data(_ column: Int32) -> Data? {
    guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    guard let base = sqlite3_column_blob(handle, column) else { return Data() }
    return Data(bytes: base, count: Int(sqlite3_column_bytes(handle, column)))
  }

  private static func error(_ connection: OpaquePointer, _ sql: String?) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
      message: String(cString: sqlite3_errmsg(connection)), sql: sql)
  }

  /// SQLite's sign for "copy it".
  private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
  // Points at a static string, which is never freed.
  nonisolated(unsafe) private static let nothing: UnsafePointer<CChar> = {
    let empty: StaticString = ""
    return UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self)
  }()
}

/// Reads a part of a large body in place.
enum BlobPiece {
  static func read(_ database: Database, row: Int64, range: Range<Int>) throws -> Data? {
    var handle: OpaquePointer?
    defer { sqlite3_blob_close(handle) }
    let code = sqlite3_blob_open(database.sqliteConnection, "main", "body", "data", row, 0, &handle)
    if code == SQLITE_ERROR { return nil }
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    let length = Int(sqlite3_blob_bytes(handle))
    let wanted = range.clamped(to: 0..<length)
    guard !wanted.isEmpty else { return Data() }
    var data = Data(count: wanted.count)
    let result = data.withUnsafeMutableBytes {
      sqlite3_blob_read(handle, $0.baseAddress, Int32(wanted.count), Int32(wanted.lowerBound))
    }
    guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    return data
  }
}
