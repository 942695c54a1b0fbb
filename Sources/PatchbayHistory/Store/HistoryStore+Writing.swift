import Dispatch
import GRDB
import PatchbayWire
import Synchronization

extension HistoryStore {
  /// Queues exchanges to be written; a later state of one replaces an earlier one. Returns at once.
  ///
  /// Nothing is dropped as long as the disk can be written. A mark that the person has set stays.
  ///
  /// - Returns: false when so much waits that the caller should `await room()` before it records more.
  @discardableResult package func record(_ exchanges: [Exchange]) -> Bool {
    guard !exchanges.isEmpty, !isReadOnly else { return true }
    // What is imported belongs to the run that imports it; what is live was told so by the server.
    if exchanges.contains(where: { $0.run == nil }) {
      let run = session
      return record(
        exchanges.map {
          var exchange = $0
          if exchange.run == nil { exchange.run = run }
          return exchange
        })
    }
    let highest = exchanges.reduce(0) { max($0, $1.id) }
    ids.withLock { $0 = max($0, highest + 1) }
    let (hasRoom, shed, planned) = queue.withLock { queue in
      guard !queue.isClosed else { return (true, false, nil as WriteQueue.Plan?) }
      let before = queue.shedBodies + queue.shedExchanges
      queue.add(exchanges)
      return (!queue.isOverBound, queue.shedBodies + queue.shedExchanges > before, queue.planned())
    }
    if shed { tellShed() }
    if let planned { drain(planned) }
    return hasRoom
  }

  /// Returns when there is room for more.
  package func room() async {
    await withCheckedContinuation { continuation in
      let isFree = queue.withLock { queue in
        if queue.hasRoom { return true }
        queue.waiters.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// Returns when all that was recorded before is in the file.
  ///
  /// - Throws: why it could not be written; it is kept and tried again.
  package func flush() async throws(HistoryError) {
    try await onWorker { _ in }
  }

  /// Does something on the writing side, after all that was recorded before.
  func onWorker<Value: Sendable>(
    _ body: @escaping @Sendable (HistoryStore) throws(HistoryError) -> Value
  ) async throws(HistoryError) -> Value {
    let result: Result<Value, HistoryError> = await withCheckedContinuation { continuation in
      worker.async {
        do throws(HistoryError) {
          guard !self.queue.withLock({ $0.isClosed }) else { throw HistoryError(.closed, path: self.path) }
          try self.drain()
          continuation.resume(returning: .success(try body(self)))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  private static let batch = 4_096
  private static let retry: DispatchTimeInterval = .seconds(1)

  /// Writes after the pause, unless exchanges come thick then.
  private func drain(_ planned: WriteQueue.Plan) {
    guard planned.pause > .zero else { return worker.async { self.drainAndTell() } }
    worker.asyncAfter(deadline: .now() + .microseconds(Int(planned.pause / .microseconds(1)))) {
      if let next = self.queue.withLock({ $0.planned(after: planned.number) }) { self.drain(next) }
    }
  }

  /// Writing failed; it is tried again, once however often it failed meanwhile.
  private func drainLater(_ plan: Int) {
    worker.asyncAfter(deadline: .now() + Self.retry) {
      if self.queue.withLock({ $0.plan == plan }) { self.drainAndTell() }
    }
  }

  private func drainAndTell() {
    // It was scheduled before the history was closed.
    guard !queue.withLock({ $0.isClosed }) else { return }
    do {
      try drain()
    } catch {
      let wasFailing = queue.withLock { queue in
        defer { queue.isFailing = true }
        return queue.isFailing
      }
      if !wasFailing { tell.yield(.failed(error)) }
      wake()
    }
  }

  /// Writes all that waits; where the file is lost, to what takes its place. On `worker`.
  private func drain() throws(HistoryError) {
    do {
      try drainNow()
    } catch  where error.isLoss {
      try beginAnew(after: error)
      try drainNow()
    }
    // Whoever wrote it: there is room again.
    let (hadFailed, planned) = queue.withLock { queue in
      let hadFailed = queue.isFailing
      queue.isFailing = false
      // What came since was not planned while it failed.
      return (hadFailed, queue.planned())
    }
    if hadFailed { tell.yield(.recovered) }
    if let planned { drain(planned) }
  }

  /// Looks whether the file is still what it was, and begins anew where it is not. To be called when something happened
  /// at its path.
  package func look() {
    worker.async {
      guard !self.isReadOnly, !self.queue.withLock({ $0.isClosed }) else { return }
      do throws(HistoryError) {
        try self.database.look()
      } catch {
        try? self.beginAnew(after: error)
      }
    }
  }

  /// Goes on in a new file at the path, or in memory. On `worker`.
  func beginAnew(after loss: HistoryError) throws(HistoryError) {
    let before = opening.withLock { $0 }
    before.file?.release()
    var file: HistoryFile?
    var why: HistoryError?
    do throws(HistoryError) {
      // What is left of one that was cut is not to be lost, too.
      guard loss.kind != .cut else { throw loss }
      database.removeRemains()
      file = try HistoryFile(claiming: path)
      try database.connectAnew(inMemory: false)
      // Somebody's exchanges, which have the numbers of ours.
      guard try database.write({ try OpeningState($0).isEmpty }) else { throw loss }
      file?.closeToOthers(path)
    } catch {
      file?.giveBack(path)
      file = nil
      why = error
      try database.connectAnew(inMemory: true)
    }
    let start = try database.write { try OpeningState(beginningSession: $0, number: before.session) }
    let writer = try database.write { try ExchangeWriter($0, session: start.session) }
    opening.withLock { opening in
      opening = Opening(
        file: file, session: start.session, writer: writer, lost: before.lost + before.written, loss: loss)
    }
    // The statements of before belong to connections that stay.
    Self.abandoned.withLock { $0.append(before.writer) }
    runIndex.withLock { $0 = start.runIndex }
    cleared.withLock { $0 = start.cleared }
    segments.begin(start.segments)
    let next = ids.withLock { next in
      next = max(next, start.next)
      return next
    }
    let first = start.runIndex.total > 0 ? 0 : queue.withLock { $0.lowest } ?? next
    tell.yield(.lostFile(loss, exchanges: before.written, below: first, inMemory: why))
  }

  private static let abandoned = Mutex<[ExchangeWriter?]>([])

  private func drainNow() throws(HistoryError) {
    while true {
      let batch = queue.withLock { $0.beginWriting() }
      guard !batch.isEmpty else { break }
      wake()
      do {
        var rest = batch[...]
        while !rest.isEmpty {
          let part = rest.prefix(Self.batch)
          try commit(part)
          queue.withLock { $0.finish(part) }
          rest = rest.dropFirst(part.count)
        }
      } catch {
        drainLater(queue.withLock { $0.giveBack() })
        throw error
      }
    }
    try retire()
    scheduleSegments()
  }

  private func commit(_ part: ArraySlice<Exchange>) throws(HistoryError) {
    guard let writer = opening.withLock({ $0.writer }) else { return }
    let highest = runIndex.withLock { $0.highest }
    let cleared = cleared.withLock { $0 }
    let exchanges = Array(part)
    let runs = Set(exchanges.map { RunIndex.run(of: $0.id) })
    do {
      let outcome = try database.write { database in
        try segments.drop(runs, database)
        return try writer.write(exchanges, highest: highest, cleared: cleared)
      }
      segments.dropped(runs, again: true)
      opening.withLock { $0.written += outcome.added.values.reduce(0, +) }
      runIndex.withLock { runIndex in
        runIndex.note(id: outcome.highest)
        for (run, count) in outcome.added { runIndex.add(count, run: run) }
      }
    } catch {
      // Of a file that is lost nothing is asked any more.
      if !error.isLoss { writer.forget() }
      throw error
    }
  }

  /// Lets those go on that wait for room.
  private func wake() {
    let waiters = queue.withLock { queue -> [CheckedContinuation<Void, Never>] in
      guard queue.hasRoom else { return [] }
      defer { queue.waiters = [] }
      return queue.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  private func tellShed() {
    let (bodies, exchanges) = queue.withLock { ($0.shedBodies, $0.shedExchanges) }
    tell.yield(.shed(bodies: bodies, exchanges: exchanges))
  }
}
