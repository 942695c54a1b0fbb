import Foundation
import GRDB
import PatchbayInspect
import PatchbayWire

extension HistoryStore {
  /// Rows by position, newest first; fewer at the end.
  ///
  /// - Parameter position: 0 is the newest exchange.
  package func page(from position: Int, count: Int) async throws -> [ExchangeSummary] {
    guard count > 0, let place = runIndex.withLock({ $0.place(of: max(0, position)) }) else { return [] }
    let cleared = cleared.withLock { $0 }
    return try await database.read { [texts = database.texts] database in
      let statement = try RawStatement(
        database,
        """
        SELECT \(RowReader.columns) FROM exchange e WHERE e.id <= ? AND e.id > ? AND \(Schema.visible)
        ORDER BY e.id DESC LIMIT ? OFFSET ?
        """)
      for (index, value) in [place.highest, cleared, Int64(count), Int64(place.offset)].enumerated() {
        statement.bind(Int32(index + 1), value)
      }
      let reader = RowReader(database: database, texts: texts)
      var rows: [ExchangeSummary] = []
      while try statement.step() { rows.append(try reader.summary(statement)) }
      return rows
    }
  }

  /// The ids in a range of positions, newest first.
  package func ids(from position: Int, count: Int) async throws -> [Int64] {
    guard count > 0, let place = runIndex.withLock({ $0.place(of: max(0, position)) }) else { return [] }
    let cleared = cleared.withLock { $0 }
    return try await database.read { database in
      try Int64.fetchAll(
        database,
        sql: """
          SELECT e.id FROM exchange e WHERE e.id <= ? AND e.id > ? AND \(Schema.visible)
          ORDER BY e.id DESC LIMIT ? OFFSET ?
          """, arguments: [place.highest, cleared, count, place.offset])
    }
  }

  /// At which position an exchange stands, or would stand: how many newer ones there are.
  package func position(of id: Int64) async throws -> Int {
    let run = RunIndex.run(of: id)
    let newer = runIndex.withLock { $0.count(afterRun: run) }
    let cleared = cleared.withLock { $0 }
    return try await database.read { database in
      let sql = "SELECT count(*) FROM exchange e WHERE e.id > ? AND e.id < ? AND \(Schema.visible)"
      return newer
        + (try Int.fetchOne(
          database, sql: sql, arguments: [max(id, cleared), (run + 1) * RunIndex.span]) ?? 0)
    }
  }

  /// Rows by id, in the order asked for; those that are not there are left out. Deleted ones are found too.
  package func summaries(ids: [Int64]) async throws -> [ExchangeSummary] {
    let waiting = queue.withLock { queue in
      Dictionary(uniqueKeysWithValues: Set(ids).compactMap { id in queue[id].map { (id, $0.summary) } })
    }
    return try await database.read { [texts = database.texts] database in
      let statement = try RawStatement(
        keptBy: database, "SELECT \(RowReader.columns) FROM exchange e WHERE e.id = ?")
      let reader = RowReader(database: database, texts: texts)
      var rows: [ExchangeSummary] = []
      rows.reserveCapacity(ids.count)
      for id in ids {
        if let row = waiting[id] {
          rows.append(row)
          continue
        }
        statement.bind(1, id)
        if try statement.step() { rows.append(try reader.summary(statement)) }
        statement.reset()
      }
      return rows
    }
  }

  /// The whole exchange; nil where there is none of that id.
  ///
  /// - Parameter bodies: false leaves them out, for one whose bodies are large and read in pieces.
  package func exchange(_ id: Int64, bodies: Bool = true) async throws -> Exchange? {
    try await exchanges(ids: [id], bodies: bodies).first
  }

  /// Whole exchanges in the order asked for; those that are not there are left out.
  package func exchanges(ids: [Int64], bodies: Bool = true) async throws -> [Exchange] {
    let waiting = queue.withLock { queue in
      Dictionary(uniqueKeysWithValues: Set(ids).compactMap { id in queue[id].map { (id, $0) } })
    }
    return try await database.read { [texts = database.texts] database in
      let statement = try RawStatement(
        keptBy: database, "SELECT \(RowReader.columns) FROM exchange e WHERE e.id = ?")
      let reader = RowReader(database: database, texts: texts)
      return try ids.compactMap { id in
        if let exchange = waiting[id] { return exchange }
        statement.bind(1, id)
        defer { statement.reset() }
        return try statement.step() ? try reader.exchange(statement, bodies: bodies) : nil
      }
    }
  }

  /// Which body.
  package enum Side: Int64, Hashable, Sendable {
    case request = 0
    case response = 1
  }

  /// A piece of a body, read without the rest of it; nil where there is none.
  ///
  /// - Parameter range: byte offsets; what lies beyond the end is left out.
  package func body(_ id: Int64, _ side: Side, range: Range<Int>) async throws -> Data? {
    let waiting = queue.withLock { $0[id] }
    if let waiting {
      let body = side == .request ? waiting.request.body : waiting.response?.body
      return body.map { $0.dropFirst(range.lowerBound).prefix(range.count) }.map { Data($0) }
    }
    return try await database.read { try BlobPiece.read($0, row: id * 2 + side.rawValue, range: range) }
  }
}
