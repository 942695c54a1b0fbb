import Dispatch
import GRDB

extension HistoryStore {
  /// Removes the oldest exchanges that are beyond what is kept. On `worker`, after each writing.
  func retire() throws(HistoryError) {
    let excess = count - retention.count
    // A little more than needed at once, so that not each batch pays for a removal.
    if excess > 0 { try retire(excess + min(1_000, retention.count / 100), why: .count) }
    while try size() > retention.bytes {
      let step = max(64, min(2_000, count / 20))
      guard try retire(step, why: .size) > 0 else { return }
    }
  }

  /// Bytes of the file that are in use.
  private func size() throws(HistoryError) -> Int64 {
    try database.write { database in
      let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      let free = try Int64.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
      return (pages - free) * (try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
    }
  }

  /// - Returns: how many rows went, hidden ones included.
  @discardableResult private func retire(_ wanted: Int, why: HistoryEvent.Limit) throws(HistoryError) -> Int {
    var gone = 0
    var visible = 0
    while gone < wanted {
      let step = min(2_000, wanted - gone)
      let watermark = cleared.withLock { $0 }
      let removed = try remove(
        """
        SELECT id FROM exchange WHERE id <= \(watermark)
        OR id NOT IN (SELECT id FROM mark) AND id NOT IN (SELECT id FROM remark) ORDER BY id LIMIT \(step)
        """)
      gone += removed.rows
      visible += removed.visible
      if removed.rows < step { break }
    }
    if visible > 0 { tell.yield(.retired(exchanges: visible, why: why)) }
    return gone
  }

  /// Removes, bit by bit, what was deleted in earlier sessions. On `worker`.
  func purge(through watermark: Int64) {
    guard !queue.withLock({ $0.isClosed }) else { return }
    do {
      let removed = try remove(
        """
        SELECT id FROM (SELECT id FROM exchange WHERE id <= \(watermark) LIMIT 2000)
        UNION SELECT id FROM (SELECT id FROM hidden WHERE session < \(session) LIMIT 2000) LIMIT 2000
        """)
      if removed.rows > 0 { worker.async { self.purge(through: watermark) } }
    } catch  where error.isLoss {
      // What was deleted is gone with it.
      do throws(HistoryError) { try beginAnew(after: error) } catch { tell.yield(.failed(error)) }
    } catch {
      tell.yield(.failed(error))
    }
  }

  /// Removes the exchanges whose ids the query gives, and counts those that were to be seen.
  private func remove(_ query: String) throws(HistoryError) -> (rows: Int, visible: Int) {
    let watermark = cleared.withLock { $0 }
    let next = nextID
    let removed = try database.write { database -> (rows: Int, visible: [Int64: Int], runs: Set<Int64>) in
      let ids = try Int64.fetchAll(database, sql: query)
      guard !ids.isEmpty else { return (0, [:], []) }
      let runs = Set(ids.map { RunIndex.run(of: $0) })
      try segments.drop(runs, database)
      let isHidden = try RawStatement(database, "SELECT 1 FROM hidden WHERE id = ?")
      let statements = try [
        "DELETE FROM exchange WHERE id = ?", "DELETE FROM detail WHERE id = ?", "DELETE FROM hidden WHERE id = ?",
        "DELETE FROM mark WHERE id = ?", "DELETE FROM remark WHERE id = ?",
      ].map { try RawStatement(database, $0) }
      let bodies = try RawStatement(database, "DELETE FROM body WHERE id BETWEEN ? AND ?")
      var visible: [Int64: Int] = [:]
      for id in ids {
        isHidden.bind(1, id)
        if try !isHidden.step(), id > watermark { visible[RunIndex.run(of: id), default: 0] += 1 }
        isHidden.reset()
        for statement in statements {
          statement.bind(1, id)
          try statement.run()
        }
        bodies.bind(1, id * 2)
        bodies.bind(2, id * 2 + 1)
        try bodies.run()
      }
      for (run, count) in visible {
        try database.execute(sql: "UPDATE chunk SET visible = visible - ? WHERE id = ?", arguments: [count, run])
      }
      try database.execute(sql: "DELETE FROM chunk WHERE visible <= 0")
      try database.execute(sql: "UPDATE setting SET value = max(value, ?) WHERE name = 'next'", arguments: [next])
      return (ids.count, visible, runs)
    }
    segments.dropped(removed.runs, again: false)
    runIndex.withLock { for (run, count) in removed.visible { $0.add(-count, run: run) } }
    return (removed.rows, removed.visible.values.reduce(0, +))
  }
}

/// How much history is kept. The oldest goes first; what the person marked, tagged or noted stays.
package struct Retention: Hashable, Sendable {
  /// Exchanges at most.
  package var count: Int
  /// Bytes of the file at most.
  package var bytes: Int64

  package init(count: Int = 1_000_000, bytes: Int64 = 8 << 30) {
    self.count = max(1, count)
    self.bytes = max(1 << 20, bytes)
  }

  /// For a history in memory.
  package static let memory = Retention(count: 1_000_000, bytes: 96 << 20)
}
