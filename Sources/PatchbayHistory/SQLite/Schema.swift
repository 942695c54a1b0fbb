import GRDB
import PatchbayWire

/// The tables, as named steps that are taken once each, in order.
enum Schema {
  /// Marks a file as ours: "PBAY".
  static let applicationID = 0x5042_4159

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 exchanges, details, bodies") { database in
      try database.execute(
        sql: """
          CREATE TABLE text (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);
          CREATE TABLE exchange (
            id INTEGER PRIMARY KEY,
            started INTEGER NOT NULL, method INTEGER NOT NULL, host INTEGER NOT NULL, endpoint INTEGER NOT NULL,
            status INTEGER, outcome INTEGER, sent INTEGER NOT NULL, received INTEGER NOT NULL,
            duration INTEGER, process INTEGER NOT NULL, pid INTEGER NOT NULL, phase INTEGER NOT NULL,
            answerer INTEGER NOT NULL, stub INTEGER, type INTEGER, request_type INTEGER,
            error_domain INTEGER, error_code INTEGER, error_name INTEGER,
            size INTEGER NOT NULL, head INTEGER, held INTEGER NOT NULL, hops INTEGER NOT NULL,
            flags INTEGER NOT NULL, charsets INTEGER NOT NULL, replay_of INTEGER, session INTEGER NOT NULL,
            url TEXT NOT NULL
          );
          CREATE TABLE detail (id INTEGER PRIMARY KEY, facts BLOB NOT NULL);
          -- The request's body has the id 2n, the response's 2n + 1.
          CREATE TABLE body (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
          CREATE TABLE mark (id INTEGER PRIMARY KEY);
          -- Deleted, but not yet gone, so that it can be undone.
          CREATE TABLE hidden (id INTEGER PRIMARY KEY, session INTEGER NOT NULL);
          -- How many visible exchanges there are in each run of 1,024 ids.
          CREATE TABLE chunk (id INTEGER PRIMARY KEY, visible INTEGER NOT NULL);
          CREATE TABLE session (id INTEGER PRIMARY KEY, started INTEGER NOT NULL);
          -- `cleared`: all up to this id are hidden. `next`: no id below it is given again.
          CREATE TABLE setting (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
          INSERT INTO setting VALUES ('cleared', 0), ('next', 1);
          """)
    }
    migrator.registerMigration("2 packs of runs, for searches") { database in
      try database.execute(
        sql: """
          -- Runs of 1,024 ids once more, column by column. `id`: four times the run, plus the part.
          CREATE TABLE pack (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
          -- The runs that have one.
          CREATE TABLE packed (id INTEGER PRIMARY KEY);
          """)
    }
    migrator.registerMigration("3 tags and notes") { database in
      try database.execute(sql: remarks(isTemporary: false))
    }
    return migrator
  }

  /// What a person said of exchanges. `tags`: with spaces between them. A file of an earlier version that is only read
  /// has an empty table of its own beside it, so that nothing else need know.
  static func remarks(isTemporary: Bool) -> String {
    "CREATE \(isTemporary ? "TEMP " : "")TABLE remark (id INTEGER PRIMARY KEY, tags TEXT NOT NULL, note TEXT)"
  }

  /// The condition that the exchange `e` is to be seen.
  static let visible = "NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.id = e.id)"

  /// The same for a scan of many rows: nothing is asked of each where nothing is hidden at this moment.
  static func visible(forScan database: Database) throws -> String {
    try Int.fetchOne(database, sql: "SELECT 1 FROM hidden LIMIT 1") == nil ? "1" : visible
  }
}

/// What is read when a history is opened: little, however large it is.
struct OpeningState {
  var runIndex = RunIndex()
  var cleared: Int64 = 0
  var next: Int64 = 1
  var session: Int64 = 0
  var segments = SegmentPlan()

  init(_ database: Database) throws {
    for row in try Row.fetchAll(database, sql: "SELECT id, visible FROM chunk ORDER BY id") {
      runIndex.add(row[1], run: row[0])
    }
    let highest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM exchange") ?? 0
    runIndex.note(id: highest)
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
  ///
  /// - Parameter number: of the session, where one goes on in a new file; else the one after the newest in which
  ///   anything was recorded. Consoles in which nothing happened leave no gap in the numbers of the runs.
  init(beginningSession database: Database, number: Int64? = nil) throws {
    try self.init(database)
    session = try number ?? RunTable.newest(database) + 1
    try database.execute(sql: "DELETE FROM session WHERE id >= ?", arguments: [session])
    try database.execute(
      sql: "INSERT INTO session VALUES (?, ?)", arguments: [session, Timestamp.now.microseconds])
    let built = try Int64.fetchSet(database, sql: "SELECT id FROM packed")
    let runs = try Int64.fetchSet(database, sql: "SELECT id FROM chunk WHERE visible > 0")
    segments = SegmentPlan(built: built, waiting: runs.subtracting(built))
    try database.execute(sql: "UPDATE setting SET value = ? WHERE name = 'next'", arguments: [next])
  }
}
