import GRDB
import PatchbayWire

/// What is read when a history is opened: little, however large it is.
struct Start {
  var census = Census()
  var cleared: Int64 = 0
  var next: Int64 = 1
  var session: Int64 = 0
  var packs = PackPlan()

  init(_ database: Database) throws {
    for row in try Row.fetchAll(database, sql: "SELECT id, visible FROM chunk ORDER BY id") {
      census.add(row[1], run: row[0])
    }
    let highest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM exchange") ?? 0
    census.note(id: highest)
    for row in try Row.fetchAll(database, sql: "SELECT name, value FROM setting") {
      switch row[0] as String {
      case "cleared": cleared = row[1]
      case "next": next = row[1]
      default: break
      }
    }
    next = max(next, highest + 1)
  }

  /// What was deleted in earlier sessions can no longer be undone and may be purged.
  init(beginningSession database: Database) throws {
    try self.init(database)
    try database.execute(
      sql: "INSERT INTO session (started) VALUES (?)", arguments: [Timestamp.now.microseconds])
    session = database.lastInsertedRowID
    let packed = try Int64.fetchSet(database, sql: "SELECT id FROM packed")
    let runs = try Int64.fetchSet(database, sql: "SELECT id FROM chunk WHERE visible > 0")
    packs = PackPlan(packed: packed, waiting: runs.subtracting(packed))
    try database.execute(sql: "UPDATE setting SET value = ? WHERE name = 'next'", arguments: [next])
  }
}
