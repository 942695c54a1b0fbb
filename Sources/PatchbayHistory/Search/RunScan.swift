import GRDB

/// Goes through the runs of a slice, newest first: of packs where there are any, else of the tables.
///
/// Not `Sendable`: belongs to the reading in which it was made.
final class RunScan {
  private let condition: SearchCondition
  private let packs: PackReader?
  private let rows: RawStatement
  private let hidden: RawStatement?
  private let cleared: Int64

  /// So many doubtful rows of a run are looked up one by one at most.
  private static let lookUpLimit = 100

  /// - Parameter columns: what is read of the tables.
  init(_ condition: SearchCondition, columns: String, cleared: Int64, _ database: Database) throws {
    self.condition = condition.unshared()
    self.cleared = cleared
    packs = condition.packs == nil ? nil : try PackReader(database)
    let isAnyHidden = try Int.fetchOne(database, sql: "SELECT 1 FROM hidden LIMIT 1") != nil
    hidden = isAnyHidden ? try RawStatement(database, "SELECT id FROM hidden WHERE id BETWEEN ? AND ?") : nil
    rows = try RawStatement(
      database,
      """
      SELECT \(columns) FROM \(condition.sql.tables) WHERE e.id BETWEEN ? AND ? AND \
      \(try Schema.visible(forScan: database)) AND \(condition.sql.condition) ORDER BY e.id
      """)
    self.condition.sql.bind(to: rows)
  }

  /// - Parameters:
  ///   - slice: whole runs.
  ///   - packed: gets the rows of a pack that fit.
  ///   - row: stands at a row of the tables that fits. Those of one run come in rising order.
  ///   - end: the run is done.
  func each(
    _ slice: ClosedRange<Int64>, packed: (PackRun, PackBits) throws -> Void, row: (RawStatement) throws -> Void,
    end: () -> Void = {}
  ) throws {
    var run = Census.run(of: slice.upperBound)
    while run >= Census.run(of: max(slice.lowerBound, cleared + 1)) {
      if try !readPack(run, packed: packed, row: row) {
        try read((run * Census.span)...((run + 1) * Census.span - 1), row)
      }
      end()
      run -= 1
    }
  }

  /// False where the run has to be read of the tables.
  private func readPack(
    _ run: Int64, packed: (PackRun, PackBits) throws -> Void, row: (RawStatement) throws -> Void
  ) throws -> Bool {
    guard let condition = condition.packs, let pack = try packs?.run(run) else { return false }
    let found: (sure: PackBits, maybe: PackBits)
    do {
      found = try pack.rows(condition, among: try visible(pack))
    } catch is PackRun.Damaged {
      return false
    }
    let doubtful = found.maybe - found.sure
    if doubtful.isEmpty {
      if !found.sure.isEmpty { try packed(pack, found.sure) }
      return true
    }
    guard found.maybe.count <= Self.lookUpLimit else { return false }
    // All are looked up, so that they come in their order.
    let ids = pack.ids()
    let wanted = found.maybe.map { ids[$0] }
    for id in wanted { try read(id...id, row) }
    return true
  }

  private func visible(_ pack: PackRun) throws -> PackBits {
    let all = PackBits(first: pack.numbers.count)
    guard hidden != nil || pack.first <= cleared else { return all }
    var gone = Set<Int64>()
    if let hidden {
      hidden.bind(1, pack.first)
      hidden.bind(2, pack.first + Census.span - 1)
      while try hidden.step() { gone.insert(hidden.int(0)) }
      hidden.reset()
    }
    var visible = PackBits.none
    for (row, id) in pack.ids().enumerated() where id > cleared && !gone.contains(id) { visible.insert(row) }
    return visible
  }

  private func read(_ range: ClosedRange<Int64>, _ row: (RawStatement) throws -> Void) throws {
    rows.bind(1, max(range.lowerBound, cleared + 1))
    rows.bind(2, range.upperBound)
    defer { rows.reset() }
    while try rows.step() { try row(rows) }
  }
}
