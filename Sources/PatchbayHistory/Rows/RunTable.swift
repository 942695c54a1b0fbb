import GRDB
import PatchbayWire

/// A console's life on one history: what was recorded from its start to its end.
package struct HistoryRun: Hashable, Sendable, Identifiable {
  /// From 1, as `run:` names it.
  package var id: Int64
  package var startedAt: Timestamp
  /// The program that asked first.
  package var process: HarnessProcess
  /// The ids of what was recorded, without gaps of other runs.
  package var ids: ClosedRange<Int64>
}

/// Where the runs of a history begin and end. Each row names its run, and the numbers rise with the ids, so that it is
/// found with some twenty looks at single rows, however many there are, and without an index.
struct RunTable {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// The run of the newest row; 0 where there is none.
  static func newest(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT session FROM exchange ORDER BY id DESC LIMIT 1") ?? 0
  }

  /// The ids of all rows of these runs; nil where there are none.
  func ids(of runs: ClosedRange<Int64>) throws -> ClosedRange<Int64>? {
    guard let first = try firstID(atLeast: runs.lowerBound) else { return nil }
    guard runs.upperBound < .max, let next = try firstID(atLeast: runs.upperBound + 1) else { return first...Int64.max }
    return first < next ? first...(next - 1) : nil
  }

  /// Oldest first.
  func all() throws -> [HistoryRun] {
    let rows = try RawStatement(
      database,
      """
      SELECT e.id, e.session, e.started, t.value, e.pid, s.started FROM exchange e LEFT JOIN text t ON t.id = e.process
      LEFT JOIN session s ON s.id = e.session WHERE e.id >= ? ORDER BY e.id LIMIT 1
      """)
    var runs: [HistoryRun] = []
    var next: Int64 = 0
    while true {
      rows.bind(1, next)
      defer { rows.reset() }
      guard try rows.step() else { return runs }
      let (id, run) = (rows.int(0), rows.int(1))
      let end = try run < .max ? firstID(atLeast: run + 1) : nil
      // A request can begin before what is told of it: the earlier moment counts.
      let started = min(rows.int(2), rows.optionalInt(5) ?? .max)
      runs.append(
        HistoryRun(
          id: run, startedAt: NumberLimits.moment(started),
          process: HarnessProcess(name: rows.text(3), pid: Int32(clamping: rows.int(4))),
          ids: id...(end.map { $0 - 1 } ?? .max))
      )
      guard let end, end > id else { return runs }
      next = end
    }
  }

  /// The lowest id of a run of that number or a higher one; nil where there is none.
  private func firstID(atLeast run: Int64) throws -> Int64? {
    let row = try RawStatement(database, "SELECT id, session FROM exchange WHERE id >= ? ORDER BY id LIMIT 1")
    func look(_ id: Int64) throws -> (id: Int64, run: Int64)? {
      row.bind(1, id)
      defer { row.reset() }
      return try row.step() ? (row.int(0), row.int(1)) : nil
    }
    guard let highest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM exchange"),
      let newest = try look(highest), newest.run >= run
    else { return nil }
    var low = try look(.min)?.id ?? highest
    var high = highest
    while low < high {
      let middle = low + (high - low) / 2
      guard let found = try look(middle) else { break }
      if found.run >= run { high = middle } else { low = found.id + 1 }
    }
    return try look(low)?.id
  }
}

extension HistoryStore {
  /// The runs of which anything is recorded, oldest first; what waits to be written is not counted.
  package func runs() async throws -> [HistoryRun] {
    try await database.read { try RunTable($0).all() }
  }

  /// How many exchanges of a run are to be seen.
  package func count(of run: HistoryRun) async throws -> Int {
    let newer = run.ids.upperBound == .max ? 0 : try await position(of: run.ids.upperBound)
    return max(0, try await position(of: run.ids.lowerBound - 1) - newer)
  }
}
