import GRDB
import PatchbayInspect

extension HistoryStore {
  /// Marks, tags, notes, deletes or clears, or takes that back.
  ///
  /// What was deleted is gone only with the next console that opens the file, or when the retention needs the room.
  ///
  /// - Returns: the change that undoes this one. It names only what really changed.
  package func apply(_ change: HistoryChange) async throws(HistoryError) -> HistoryChange {
    try await onWorker { (store) throws(HistoryError) in
      switch change {
      case .mark(let ids):
        let changed = try store.each(ids, "INSERT OR IGNORE INTO mark SELECT id FROM exchange WHERE id = ?")
        return .unmark(changed)
      case .unmark(let ids): return .mark(try store.each(ids, "DELETE FROM mark WHERE id = ?"))
      case .remark(let remarks): return .remark(try store.set(remarks))
      case .delete(let ids): return .restore(try store.delete(ids))
      case .restore(let ids): return .delete(try store.restore(ids))
      case .clear: return .unclear(through: try store.clear(through: store.runIndex.withLock { $0.highest }))
      case .unclear(let watermark): return try store.unclear(to: watermark)
      }
    }
  }

  /// Runs the statement for each id; those for which it changed something.
  private func each(_ ids: [Int64], _ sql: String) throws(HistoryError) -> [Int64] {
    try database.write { database in
      let statement = try RawStatement(database, sql)
      return try ids.filter {
        statement.bind(1, $0)
        try statement.run()
        return database.changesCount > 0
      }
    }
  }

  /// - Returns: what was said of them before, of those that are recorded.
  private func set(_ remarks: [Int64: Remark]) throws(HistoryError) -> [Int64: Remark] {
    try database.write { database in
      let old = try RawStatement(
        database,
        "SELECT r.tags, r.note FROM exchange e LEFT JOIN remark r ON r.id = e.id WHERE e.id = ?")
      let set = try RawStatement(database, "INSERT OR REPLACE INTO remark VALUES (?, ?, ?)")
      let unset = try RawStatement(database, "DELETE FROM remark WHERE id = ?")
      var before: [Int64: Remark] = [:]
      for (id, remark) in remarks {
        old.bind(1, id)
        guard try old.step() else {
          old.reset()
          continue
        }
        before[id] = Remark(tags: [old.text(0)], note: old.optionalText(1))
        old.reset()
        guard !remark.isEmpty else {
          unset.bind(1, id)
          try unset.run()
          continue
        }
        set.bind(1, id)
        set.bind(2, remark.tags.joined(separator: " "))
        set.bind(3, remark.note)
        try set.run()
      }
      return before
    }
  }

  private func delete(_ ids: [Int64]) throws(HistoryError) -> [Int64] {
    let watermark = cleared.withLock { $0 }
    return try change(
      ids.filter { $0 > watermark }, "INSERT OR IGNORE INTO hidden SELECT id, \(session) FROM exchange WHERE id = ?",
      by: -1)
  }

  private func restore(_ ids: [Int64]) throws(HistoryError) -> [Int64] {
    try change(ids, "DELETE FROM hidden WHERE id = ?", by: 1)
  }

  private func change(_ ids: [Int64], _ sql: String, by step: Int) throws(HistoryError) -> [Int64] {
    let watermark = cleared.withLock { $0 }
    let (changed, runs) = try database.write { database -> ([Int64], [Int64: Int]) in
      let statement = try RawStatement(database, sql)
      let changed = try ids.filter {
        statement.bind(1, $0)
        try statement.run()
        return database.changesCount > 0
      }
      var runs: [Int64: Int] = [:]
      for id in changed where id > watermark { runs[RunIndex.run(of: id), default: 0] += step }
      try Self.add(runs, to: database)
      return (changed, runs)
    }
    runIndex.withLock { for (run, count) in runs { $0.add(count, run: run) } }
    return changed
  }

  /// - Returns: the watermark before.
  private func clear(through watermark: Int64) throws(HistoryError) -> Int64 {
    let runs = try database.write { database -> [Int64: Int] in
      try database.execute(sql: "DELETE FROM chunk")
      let runs = try Self.runs(after: watermark, through: .max, database)
      try Self.add(runs, to: database)
      try database.execute(sql: "UPDATE setting SET value = ? WHERE name = 'cleared'", arguments: [watermark])
      return runs
    }
    runIndex.withLock { runIndex in
      runIndex.removeAll()
      for (run, count) in runs { runIndex.add(count, run: run) }
    }
    return cleared.withLock { value in
      defer { value = watermark }
      return value
    }
  }

  private func unclear(to watermark: Int64) throws(HistoryError) -> HistoryChange {
    let now = cleared.withLock { $0 }
    guard watermark < now else { return .unclear(through: try clear(through: watermark)) }
    let runs = try database.write { database -> [Int64: Int] in
      let runs = try Self.runs(after: watermark, through: now, database)
      try Self.add(runs, to: database)
      try database.execute(sql: "UPDATE setting SET value = ? WHERE name = 'cleared'", arguments: [watermark])
      return runs
    }
    runIndex.withLock { for (run, count) in runs { $0.add(count, run: run) } }
    cleared.withLock { $0 = watermark }
    return .unclear(through: now)
  }

  /// How many visible exchanges each run has within these ids, counted from the rows.
  private static func runs(after low: Int64, through high: Int64, _ database: Database) throws -> [Int64: Int] {
    let sql = """
      SELECT id / \(RunIndex.span), count(*) FROM exchange e WHERE id > ? AND id <= ? AND \(Schema.visible) GROUP BY 1
      """
    var runs: [Int64: Int] = [:]
    let rows = try Row.fetchCursor(database, sql: sql, arguments: [low, high])
    while let row = try rows.next() { runs[row[0]] = row[1] }
    return runs
  }

  private static func add(_ runs: [Int64: Int], to database: Database) throws {
    for (run, count) in runs {
      try database.execute(
        sql: "INSERT INTO chunk VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET visible = visible + excluded.visible",
        arguments: [run, count])
    }
  }
}

/// A change of the history that can be undone as long as the console runs.
package enum HistoryChange: Hashable, Sendable {
  case mark([Int64])
  case unmark([Int64])
  /// Tags and notes as they are from now on; empty ones are taken away.
  case remark([Int64: Remark])
  case delete([Int64])
  /// Brings back what was deleted.
  case restore([Int64])
  /// Hides all that is recorded so far.
  case clear
  /// Takes back a clearing: only what came before was hidden then.
  case unclear(through: Int64)
}
