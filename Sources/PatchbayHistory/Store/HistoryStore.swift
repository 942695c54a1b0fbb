import Dispatch
import Foundation
import GRDB
import PatchbayInspect
import PatchbaySystem
import PatchbayWire
import Synchronization

/// Recorded exchanges, in a file or in memory.
///
/// Safe from any thread. What is recorded is written within 100 ms, off the caller's path; until then only
/// `exchange(_:)` and `summaries(ids:)` know it. One process at a time may write a file, others may read it.
package final class HistoryStore: Sendable {
  /// Where the history is.
  package enum Place: Hashable, Sendable {
    case file(String)
    case memory
  }

  package enum Access: Hashable, Sendable {
    case write
    /// Sees what there is, changes nothing, and may do so while a console has it open.
    case read
  }

  package var place: Place { database.isInFile || database.isReadOnly ? .file(path) : .memory }
  package let retention: Retention
  /// The session of work that this opening began; 0 where it only reads.
  package var session: Int64 { opening.withLock { $0.session } }
  /// What the person should be told. For one reader.
  package let events: AsyncStream<HistoryEvent>

  let database: HistoryDatabase
  /// What begins anew when the file is lost; changed on `worker` only.
  let opening: Mutex<Opening>
  let tell: AsyncStream<HistoryEvent>.Continuation
  let ids: Mutex<Int64>
  let queue = Mutex(WriteQueue())
  let runIndex: Mutex<RunIndex>
  /// All up to this id are hidden; changed on `worker` only.
  let cleared: Mutex<Int64>
  let segments: SegmentKeeper
  /// Writes, one thing after the other.
  let worker = DispatchQueue(label: "patchbay.history.write", qos: .userInitiated)
  let isReadOnly: Bool

  /// Opens it, and makes it where it is missing.
  ///
  /// - Throws: a sentence. The caller may go on with `.memory`, which does not fail for any reason outside.
  package static func open(
    _ place: Place, retention: Retention? = nil, access: Access = .write
  ) throws(HistoryError) -> HistoryStore {
    try open(place, retention: retention, access: access, pageLimit: nil)
  }

  package static func open(
    _ place: Place, retention: Retention? = nil, access: Access = .write, pageLimit: Int?
  ) throws(HistoryError) -> HistoryStore {
    guard case .file(var path) = place else {
      return try HistoryStore(retention ?? .memory, try HistoryDatabase(), nil)
    }
    if access == .read {
      do throws(HistoryError) {
        guard let status = Path.status(path, following: true) else { throw HistoryError(.missing, path: path) }
        // A pipe would hold SQLite for ever.
        guard status.isFile else { throw HistoryError(.cannotOpen, path: path, detail: "it is no file") }
        return try HistoryStore(retention ?? Retention(), try .reading(path), nil)
      } catch {
        var error = error
        error.isReading = true
        throw error
      }
    }
    // One history under two names would have two writers, and its log lies beside the file and not beside a link.
    path = OutputFile.place(of: path) ?? path
    var file = try HistoryFile(claiming: path)
    do {
      let database = try HistoryDatabase(path: path, isReadOnly: false, pageLimit: pageLimit)
      file.closeToOthers(path)
      return try HistoryStore(retention ?? Retention(), database, file)
    } catch {
      file.giveBack(path)
      throw error
    }
  }

  struct Opening {
    var file: HistoryFile?
    var session: Int64
    var writer: ExchangeWriter?
    /// How many new exchanges were written since then.
    var written = 0
    /// How many of the person's exchanges lie in files that were lost, and why.
    var lost = 0
    var loss: HistoryError?
  }

  private init(
    _ retention: Retention, _ database: HistoryDatabase, _ file: HistoryFile?
  ) throws(HistoryError) {
    self.retention = retention
    self.database = database
    (events, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(100))
    isReadOnly = database.isReadOnly
    let start =
      try isReadOnly
      ? database.readNow { try OpeningState($0) } : database.write { try OpeningState(beginningSession: $0) }
    ids = Mutex(start.next)
    runIndex = Mutex(start.runIndex)
    cleared = Mutex(start.cleared)
    segments = SegmentKeeper(database, worker: worker, plan: start.segments)
    let writer = try isReadOnly ? nil : database.write { try ExchangeWriter($0, session: start.session) }
    opening = Mutex(Opening(file: file, session: start.session, writer: writer))
    if file?.isClosedToOthers == true { tell.yield(.closedToOthers(path: database.path)) }
    let deleted = start.cleared
    if !isReadOnly { worker.async { self.purge(through: deleted) } }
    scheduleSegments()
  }

  /// No exchange has this id or a higher one, nor ever had.
  package var nextID: Int64 { ids.withLock { $0 } }

  /// Takes ids for that many new exchanges; the first of them.
  package func reserveIDs(_ count: Int) -> Int64 {
    ids.withLock { next in
      defer { next += Int64(count) }
      return next
    }
  }

  /// How many exchanges there are to see.
  package var count: Int { runIndex.withLock { $0.total } }

  /// Writes what waits, and closes. Nothing may be asked of it afterwards. What could not be written is the last of
  /// the `events`.
  package func close() async {
    guard !queue.withLock({ $0.isClosed }) else { return }
    do throws(HistoryError) {
      try await flush()
    } catch {
      let count = queue.withLock { $0.pending.count + $0.writing.count }
      if count > 0 { tell.yield(.lost(exchanges: count, error)) }
    }
    await segments.build(below: newestRun, within: .milliseconds(200))
    segments.close()
    let waiters = queue.withLock { queue in
      queue.isClosed = true
      defer { queue.waiters = [] }
      return queue.waiters
    }
    for waiter in waiters { waiter.resume() }
    await withCheckedContinuation { continuation in
      worker.async {
        self.end()
        continuation.resume()
      }
    }
    tell.finish()
  }

  /// On `worker`.
  private func end() {
    var opening = opening.withLock { $0 }
    do throws(HistoryError) {
      try database.look()
      database.withConnection { opening.writer?.finish() }
      try? database.checkpoint(.truncate)
      try? database.close()
    } catch {
      try? database.close()
      opening.lost += opening.written
      opening.loss = error
    }
    if opening.lost > 0 || (opening.loss != nil && !database.isInFile && opening.written > 0), let loss = opening.loss {
      tell.yield(.lost(exchanges: opening.lost + (database.isInFile ? 0 : opening.written), loss))
    }
    opening.file?.release()
  }

  var path: String { database.path }

  func scheduleSegments() { segments.schedule(below: newestRun) }

  private var newestRun: Int64 { RunIndex.run(of: runIndex.withLock { $0.highest }) }
}
