import Foundation
import GRDB
import GRDBSQLite

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
