import GRDB
import Synchronization

/// The texts that many exchanges share (hosts, methods, stubs, types), each stored once.
///
/// Safe from any thread. A text never changes and never goes, so that what is remembered stays true.
final class TextTable: Sendable {
  private let known = Mutex<[Int64: String]>([:])
  private static let limit = 20_000

  /// The text of that id; empty where there is none.
  func text(_ id: Int64, _ database: Database) throws -> String {
    if let text = known.withLock({ $0[id] }) { return text }
    let statement = try RawStatement(keptBy: database, "SELECT value FROM text WHERE id = ?")
    statement.bind(1, id)
    guard try statement.step() else { return "" }
    let text = statement.text(0)
    known.withLock {
      if $0.count >= Self.limit { $0.removeAll() }
      $0[id] = text
    }
    return text
  }

  func text(_ id: Int64?, _ database: Database) throws -> String? {
    guard let id else { return nil }
    return try text(id, database) as String
  }
}
