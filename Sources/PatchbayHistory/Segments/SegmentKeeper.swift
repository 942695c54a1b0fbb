import Dispatch
import Foundation
import GRDB
import PatchbayInspect
import PatchbayWire
import Synchronization

/// Builds and drops column segments: for each run of 1,024 ids the rows once more, column by column, so that a search or
/// the statistics read a few contiguous bytes a row and not rows of 100 bytes, header blobs of 240, and B-trees.
///
/// Segments hold nothing that the tables do not have. They are built in the background for runs that are no longer the
/// newest, and dropped when a row of the run is written again or removed; marks, and what is hidden, are not in them.
/// A run without one is read of the tables, so that a search needs none to be right.
///
/// Why not indexes: measured on 22 November 2026 with 1,000,000 exchanges of 1 KiB bodies on 2 shared cores (SQLite
/// 3.40; a filter that fits nothing, so that all is looked at; the promise is 100 ms to first rows, 50,000 written a second):
///
///     asked                        segments   tables as they are   covering index      FTS5 trigram
///     status:404                      14 ms          62 ms            0 ms
///     nowhere (in the URL)            20 ms         144 ms          117 ms             not for regexes, globs, "-"
///     header:"x-request-id: none"     45 ms         302 ms          none possible      not for regexes, globs, "-"
///     statistics of all               89 ms         432 ms          268 ms in SQL, and without percentiles
///     room on disk                   136 MB           0             125 MB             58 B a URL, 219 B a row's headers
///     writing the narrow row alone     4.7 us         4.7 us        25.6 us with URL, 46 us with that for statistics
///     filling it                     in background                                     141,000 URLs or 39,000 headers a second
///
/// At 50,000 a second a row has 20 us for everything: indexes on the columns and the URL take them alone, and neither
/// they nor trigrams answer what is negated, a regular expression, or the headers. Bodies are searched in the tables
/// (0.7 to 0.9 s without a hit); trigrams of 1 KiB bodies fill at 32,000 a second on a whole core.
///
/// Safe from any thread. In the file the tables are `pack` and `packed`, from a time when segments were called so.
final class SegmentKeeper: Sendable {
  private let database: HistoryDatabase
  /// On which all is written. `builder` may wait for it, never the other way round.
  private let worker: DispatchQueue
  private let builder = DispatchQueue(label: "patchbay.history.segments", qos: .utility)
  private let plan: Mutex<SegmentPlan>

  private static let delay: DispatchTimeInterval = .seconds(1)
  /// At most this many runs are written in one transaction.
  private static let batch = 16

  init(_ database: HistoryDatabase, worker: DispatchQueue, plan: SegmentPlan) {
    self.database = database
    self.worker = worker
    self.plan = Mutex(plan)
  }

  /// Sees to it that runs which have been written, and are below the newest, get their segments soon. Nothing is scheduled
  /// where there is nothing to do.
  func schedule(below newest: Int64) {
    guard !database.isReadOnly else { return }
    plan.withLock { $0.newest = newest }
    schedule()
  }

  private func schedule() {
    let mustSchedule = plan.withLock { plan in
      guard !plan.isScheduled, plan.hasWork else { return false }
      plan.isScheduled = true
      return true
    }
    guard mustSchedule else { return }
    builder.asyncAfter(deadline: .now() + Self.delay) {
      self.build(below: self.plan.withLock { $0.newest }, until: nil)
      self.plan.withLock { $0.isScheduled = false }
      self.schedule()
    }
  }

  /// Builds what waits below that run, within that time. Returns when it is done.
  func build(below newest: Int64, within time: Duration?) async {
    guard !database.isReadOnly else { return }
    await withCheckedContinuation { continuation in
      builder.async {
        self.build(below: newest, until: time.map { .now + $0 })
        continuation.resume()
      }
    }
  }

  /// The tables are others now.
  func begin(_ next: SegmentPlan) {
    plan.withLock { plan in
      var next = next
      next.newest = plan.newest
      next.isScheduled = plan.isScheduled
      next.isClosed = plan.isClosed
      plan = next
    }
  }

  /// Nothing more is built; what is being built is given up.
  func close() { plan.withLock { $0.isClosed = true } }

  /// Drops the segments of runs of which rows are written or removed, within the caller's transaction.
  func drop(_ runs: Set<Int64>, _ database: Database) throws {
    for run in runs where plan.withLock({ $0.isBuilt(run) }) {
      try database.execute(sql: "DELETE FROM pack WHERE id BETWEEN ? AND ?", arguments: [run * 4, run * 4 + 3])
      try database.execute(sql: "DELETE FROM packed WHERE id = ?", arguments: [run])
    }
  }

  /// To be called when that transaction was committed.
  ///
  /// - Parameter again: they are to be built again.
  func dropped(_ runs: Set<Int64>, again: Bool) { plan.withLock { $0.drop(runs, again: again) } }

  /// On `builder`.
  private func build(below newest: Int64, until deadline: ContinuousClock.Instant?) {
    while !plan.withLock({ $0.isClosed }) {
      if let deadline, .now >= deadline { return }
      var built: [Int64: [Data]] = [:]
      while built.count < Self.batch, let run = plan.withLock({ $0.next(below: newest) }) {
        guard let parts = try? database.readNow({ try SegmentBuilder.parts(of: run, $0) }) else { continue }
        built[run] = parts
      }
      guard !built.isEmpty else { return }
      worker.sync { self.write(built) }
    }
  }

  /// On `worker`, so that nothing is written to the runs meanwhile.
  private func write(_ built: [Int64: [Data]]) {
    let fresh = plan.withLock { plan in built.filter { plan.finish($0.key) } }
    do {
      try database.write { database in
        for (run, parts) in fresh {
          try database.execute(sql: "INSERT OR REPLACE INTO packed VALUES (?)", arguments: [run])
          for (part, data) in zip(SegmentReader.Part.allCases, parts) {
            try database.execute(
              sql: "INSERT OR REPLACE INTO pack VALUES (?, ?)", arguments: [part.id(run: run), data])
          }
        }
      }
    } catch {
      plan.withLock {
        $0.drop(Set(fresh.keys), again: false)
        $0.isOff = true
      }
    }
  }
}

extension HistoryStore {
  /// Builds the segments of all that was recorded, of the newest run too: for tests.
  package func buildSegments() async throws(HistoryError) {
    try await flush()
    await segments.build(below: .max, within: nil)
  }

  /// How many runs have a segment.
  package func segmentCount() async throws -> Int {
    try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM pack WHERE id % 4 = 0") ?? 0 }
  }
}

/// Which runs have segments, and which wait for one. A value: its owner guards it.
struct SegmentPlan: Sendable {
  private var built: Set<Int64>
  private var waiting: Set<Int64>
  private var building: Set<Int64> = []
  /// Only runs below it are built: the newest is still being written.
  var newest: Int64 = 0
  var isScheduled = false
  /// Segments are only a help: where they cannot be written, this session goes on without.
  var isOff = false
  var isClosed = false

  init(built: Set<Int64> = [], waiting: Set<Int64> = []) {
    self.built = built
    self.waiting = waiting
  }

  func isBuilt(_ run: Int64) -> Bool { built.contains(run) }

  var hasWork: Bool { !isOff && !isClosed && waiting.contains { $0 < newest } }

  /// Rows of these runs were written or removed: what segments they had are gone.
  mutating func drop(_ runs: Set<Int64>, again: Bool) {
    built.subtract(runs)
    building.subtract(runs)
    if again { waiting.formUnion(runs) } else { waiting.subtract(runs) }
  }

  /// The newest that waits below that run.
  mutating func next(below newest: Int64) -> Int64? {
    guard !isOff, let run = waiting.lazy.filter({ $0 < newest }).max() else { return nil }
    waiting.remove(run)
    building.insert(run)
    return run
  }

  /// Whether nothing has dropped the run since it was taken.
  mutating func finish(_ run: Int64) -> Bool {
    guard building.remove(run) != nil else { return false }
    built.insert(run)
    return true
  }
}

/// Makes the segment of a run of its rows.
private struct SegmentBuilder {
  private static let columns = SegmentNumbers.Column.allCases
  /// A run with more text than this (bytes) gets no segment: reading it would take more memory than is sensible.
  private static let textLimit = 8 << 20

  /// The parts of the segment; nil where the run cannot have one.
  static func parts(of run: Int64, _ database: Database) throws -> [Data]? {
    let names = columns.map { "e." + $0.sql }.joined(separator: ", ")
    let statement = try RawStatement(
      keptBy: database,
      """
      SELECT \(names), e.url, d.facts FROM exchange e LEFT JOIN detail d ON d.id = e.id
      WHERE e.id BETWEEN ? AND ? ORDER BY e.id
      """)
    let first = run * RunIndex.span
    statement.bind(1, first)
    statement.bind(2, first + RunIndex.span - 1)
    var numbers = [[Int64]](repeating: [], count: columns.count)
    for column in numbers.indices { numbers[column].reserveCapacity(Int(RunIndex.span)) }
    var urls = SegmentTextsBuilder()
    var headers = SegmentHeadersBuilder()
    var row: Int64 = 0
    var budget = YieldBudget(milliseconds: 100)
    while try statement.step() {
      for column in numbers.indices {
        let value = statement.optionalInt(Int32(column))
        if value == SegmentNumbers.null { return nil }
        numbers[column].append(value ?? SegmentNumbers.null)
      }
      // Of a run without gaps this is the same number for all rows.
      numbers[0][Int(row)] -= first + row
      urls.append(statement.bytes(Int32(columns.count)).bindMemory(to: UInt8.self))
      let facts = statement.bytes(Int32(columns.count + 1)).bindMemory(to: UInt8.self)
      _ = DetailBlob.anyHeader(in: facts) { line in
        headers.append(line)
        return false
      }
      headers.endRow()
      row += 1
      budget.step()
      guard urls.bytes.count <= textLimit, headers.size <= textLimit else { return nil }
    }
    return row == 0 ? nil : [SegmentNumbers.encoded(numbers), urls.data, headers.data]
  }
}
