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

  /// Whether nothing is recorded, nor ever was.
  var isEmpty: Bool { next == 1 }

  /// No number of a history's is higher: calculated with, none of them ends the process.
  private static let highestID: Int64 = 1 << 53
  /// A set of texts takes a bit for each number below the highest.
  private static let highestText: Int64 = 1 << 28

  /// - Throws: `SQLITE_CORRUPT` where the file says what no history does.
  init(_ database: Database) throws {
    let chunks = try RawStatement(database, "SELECT id, visible FROM chunk ORDER BY id")
    while try chunks.step() {
      let run = try Self.number(chunks.int(0), atMost: RunIndex.run(of: Self.highestID))
      runIndex.add(Int(try Self.number(chunks.int(1), atMost: Int64(Int32.max))), run: run)
    }
    func ends(_ table: String, _ limit: Int64) throws -> Int64 {
      let ends = try RawStatement(database, "SELECT (SELECT min(id) FROM \(table)), (SELECT max(id) FROM \(table))")
      guard try ends.step() else { return 0 }
      _ = try Self.number(ends.int(0), atMost: limit)
      return try Self.number(ends.int(1), atMost: limit)
    }
    let highest = try ends("exchange", Self.highestID)
    _ = try ends("text", Self.highestText)
    _ = try ends("session", Self.highestID)
    runIndex.note(id: highest)
    let settings = try RawStatement(database, "SELECT name, value FROM setting")
    while try settings.step() {
      let value = try Self.number(settings.int(1), atMost: Self.highestID)
      switch settings.text(0) {
      case "cleared": cleared = value
      case "next": next = max(1, value)
      default: break
      }
    }
    next = max(next, highest + 1)
  }

  private static func number(_ number: Int64, atMost limit: Int64) throws -> Int64 {
    guard 0...limit ~= number else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a number is out of bounds")
    }
    return number
  }

  /// What was deleted in earlier sessions can no longer be undone and may be purged.
  ///
  /// - Parameter number: of the session, where one goes on in a new file; else the one after the newest in which
  ///   anything was recorded. Consoles in which nothing happened leave no gap in the numbers of the runs.
  init(beginningSession database: Database, number: Int64? = nil) throws {
    try self.init(database)
    session = try number ?? Self.number(RunTable.newest(database), atMost: Self.highestID) + 1
    try database.execute(sql: "DELETE FROM session WHERE id >= ?", arguments: [session])
    try database.execute(
      sql: "INSERT INTO session VALUES (?, ?)", arguments: [session, Timestamp.now.microseconds])
    // No console can undo any more what was deleted before this one.
    try database.execute(sql: "UPDATE hidden SET session = 0")
    let built = try Int64.fetchSet(database, sql: "SELECT id FROM packed")
    let runs = try Int64.fetchSet(database, sql: "SELECT id FROM chunk WHERE visible > 0")
    segments = SegmentPlan(built: built, waiting: runs.subtracting(built))
    try database.execute(sql: "UPDATE setting SET value = ? WHERE name = 'next'", arguments: [next])
  }
}
