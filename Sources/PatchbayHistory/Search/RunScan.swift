import GRDB

/// Goes through the runs of a slice, newest first: reads segments where there are any, else the tables.
///
/// Not `Sendable`: belongs to the reading in which it was made.
final class RunScan {
  private let condition: StoredCondition
  private let sql: FilterSQL
  /// nil where segments are of no use.
  private let segments: SegmentReader?
  private let rows: RawStatement
  private let hidden: RawStatement?
  private let cleared: Int64

  /// At most this many doubtful rows of a run are looked up one by one; with more the run is read.
  private static let lookUpLimit = 100

  /// - Parameter columns: what is read of the tables.
  init(_ condition: StoredCondition, columns: String, cleared: Int64, _ database: Database) throws {
    self.condition = condition.unshared()
    self.cleared = cleared
    sql = FilterSQL(self.condition)
    segments = condition.isKnownToSegments ? try SegmentReader(database) : nil
    let isAnyHidden = try Int.fetchOne(database, sql: "SELECT 1 FROM hidden LIMIT 1") != nil
    hidden = isAnyHidden ? try RawStatement(database, "SELECT id FROM hidden WHERE id BETWEEN ? AND ?") : nil
    rows = try RawStatement(
      database,
      """
      SELECT \(columns) FROM \(sql.tables) WHERE e.id BETWEEN ? AND ? AND \
      \(try Schema.visible(forScan: database)) AND \(sql.condition) ORDER BY e.id
      """)
    sql.bind(to: rows)
  }

  /// - Parameters:
  ///   - slice: whole runs.
  ///   - segment: gets the rows of a segment that fit.
  ///   - row: stands at a row of the tables that fits. Those of one run come in rising order.
  ///   - end: the run is done.
  func each(
    _ slice: ClosedRange<Int64>, segment: (Segment, RowBitmap) throws -> Void, row: (RawStatement) throws -> Void,
    end: () -> Void = {}
  ) throws {
    var run = RunIndex.run(of: slice.upperBound)
    while run >= RunIndex.run(of: max(slice.lowerBound, cleared + 1)) {
      if try !readSegment(run, segment, row) {
        try read((run * RunIndex.span)...((run + 1) * RunIndex.span - 1), row)
      }
      end()
      run -= 1
    }
  }

  /// False where the run has to be read of the tables.
  private func readSegment(
    _ run: Int64, _ body: (Segment, RowBitmap) throws -> Void, _ row: (RawStatement) throws -> Void
  ) throws -> Bool {
    guard let segment = try segments?.segment(of: run) else { return false }
    let found: (sure: RowBitmap, maybe: RowBitmap)
    do {
      found = try segment.rows(condition, among: try visible(segment))
    } catch is Segment.Damaged {
      return false
    }
    let doubtful = found.maybe - found.sure
    if doubtful.isEmpty {
      if !found.sure.isEmpty { try body(segment, found.sure) }
      return true
    }
    guard found.maybe.count <= Self.lookUpLimit else { return false }
    // All are looked up, so that they come in their order.
    let ids = segment.ids()
    let wanted = found.maybe.map { ids[$0] }
    for id in wanted { try read(id...id, row) }
    return true
  }

  private func visible(_ segment: Segment) throws -> RowBitmap {
    let all = RowBitmap(first: segment.numbers.count)
    guard hidden != nil || segment.first <= cleared else { return all }
    var gone = Set<Int64>()
    if let hidden {
      hidden.bind(1, segment.first)
      hidden.bind(2, segment.first + RunIndex.span - 1)
      while try hidden.step() { gone.insert(hidden.int(0)) }
      hidden.reset()
    }
    var visible = RowBitmap.none
    for (row, id) in segment.ids().enumerated() where id > cleared && !gone.contains(id) { visible.insert(row) }
    return visible
  }

  private func read(_ range: ClosedRange<Int64>, _ row: (RawStatement) throws -> Void) throws {
    rows.bind(1, max(range.lowerBound, cleared + 1))
    rows.bind(2, range.upperBound)
    defer { rows.reset() }
    while try rows.step() { try row(rows) }
  }
}
