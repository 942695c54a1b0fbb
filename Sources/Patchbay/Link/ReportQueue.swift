import Foundation
import PatchbayStubs
import PatchbayWire
import Synchronization

/// What waits to be sent to the console. The request's path only appends a value under the lock; the link's thread
/// takes everything and encodes it. Bounded in bytes: bodies are shed before facts, and what is shed is counted.
final class ReportQueue: Sendable {
  struct Limits: Sendable {
    /// Bytes of bodies that may wait. A single body may be larger when no other waits.
    var bodies = 64 << 20
    /// Bytes of all the rest that may wait, as they are estimated by `ReportQueue.facts`.
    var facts = 24 << 20
    /// Bytes that may wait in the socket when the process ends, where the system allows that many.
    var socket = Int.max
  }

  struct Batch: Sendable {
    var reports: [ExchangeReport] = []
    var messages: [HookMessage] = []
    /// Where the reports of exchanges that have not ended stand.
    fileprivate var open: [UInt64: Int] = [:]
    /// To be given back by `release` once encoded.
    var bodyBytes = 0
    var factBytes = 0

    var isEmpty: Bool { reports.isEmpty && messages.isEmpty }

    /// Says to whoever waits for an answer that it has not come yet.
    func wasRead() {
      for index in open.values { reports[index].wasRead() }
    }

    /// A report of an exchange of which something waits already becomes part of that, where it may.
    fileprivate mutating func add(_ report: consuming ExchangeReport) {
      if report.start == nil, let index = open[report.key], reports[index].merge(report) {
        factBytes -= ReportQueue.facts
        if report.end != nil { open[report.key] = nil }
        return
      }
      if report.end == nil {
        open[report.key] = reports.count
      } else if report.start == nil {
        open[report.key] = nil
      }
      reports.append(report)
    }
  }

  private struct State {
    var batch = Batch()
    var takenBodies = 0
    var takenFacts = 0
    /// Counts what was shed, whole exchanges too.
    var shedder = BodyShedder()
    /// Exchanges of which the start was shed, so that the rest of them goes too.
    var shedKeys: Set<UInt64> = []
    /// Keys from here on are reported; older exchanges began before the link. nil while there is no link.
    var firstKey: UInt64?
    var sleeping = false
  }

  private let state = Mutex(State())
  let limits: Limits
  private let wake: @Sendable () -> Void

  /// - Parameter wake: Called, outside the lock, when something is appended while the thread sleeps.
  init(limits: Limits = Limits(), wake: @escaping @Sendable () -> Void) {
    self.limits = limits
    self.wake = wake
  }

  /// From now on exchanges with that key and later ones are taken. Nothing changes where some are taken already.
  ///
  /// The key is made in the same step: of an exchange that has a later one nothing can have been left out before.
  func open(from key: @autoclosure () -> UInt64) {
    state.withLock { state in
      guard state.firstKey == nil else { return }
      state = State()
      state.firstKey = key()
    }
  }

  /// The link is gone: forgets everything and takes nothing.
  func close() {
    state.withLock { $0 = State() }
  }

  func append(_ report: consuming ExchangeReport) {
    var given: ExchangeReport? = report
    let mustWake = state.withLock { state in
      guard let report = given.take(), let first = state.firstKey, report.key >= first,
        let report = Self.admit(report, &state, limits)
      else { return false }
      state.batch.add(report)
      defer { state.sleeping = false }
      return state.sleeping
    }
    if mustWake { wake() }
  }

  func append(_ message: HookMessage) {
    let mustWake = state.withLock { state in
      guard state.firstKey != nil, state.batch.messages.count < 1000 else { return false }
      state.batch.messages.append(message)
      defer { state.sleeping = false }
      return state.sleeping
    }
    if mustWake { wake() }
  }

  /// Everything that waits; nil where that is nothing, and then the next `append` wakes the thread.
  func takeOrSleep() -> Batch? {
    state.withLock { state in
      guard !state.batch.isEmpty else {
        state.sleeping = true
        return nil
      }
      state.sleeping = false
      let batch = state.batch
      state.batch = Batch()
      state.takenBodies += batch.bodyBytes
      state.takenFacts += batch.factBytes
      return batch
    }
  }

  /// The bytes of a batch have left the queue's account.
  func release(_ batch: Batch) {
    state.withLock { state in
      state.takenBodies = max(0, state.takenBodies - batch.bodyBytes)
      state.takenFacts = max(0, state.takenFacts - batch.factBytes)
    }
  }

  /// What was shed since the link began.
  var shed: Shed { state.withLock { $0.shedder.shed } }

  /// Counts what was shed after it had left the queue.
  func add(_ shed: Shed) {
    guard shed != Shed() else { return }
    state.withLock { $0.shedder.shed += shed }
  }

  /// The exchange of each report that waits.
  var waiting: [UInt64] { state.withLock { $0.batch.reports.map(\.key) } }

  /// An estimate of what one report takes beside its bodies.
  fileprivate static let facts = 1024

  private static func admit(
    _ report: consuming ExchangeReport, _ state: inout State, _ limits: Limits
  ) -> ExchangeReport? {
    if state.shedKeys.contains(report.key) {
      if report.end != nil { state.shedKeys.remove(report.key) }
      state.shedder.shed.bytes += UInt64(report.data?.count ?? 0)
      return nil
    }
    if report.start != nil && state.batch.factBytes + state.takenFacts + facts > limits.facts {
      if report.end == nil { state.shedKeys.insert(report.key) }
      state.shedder.shed.exchanges += 1
      state.shedder.shed.bytes += UInt64(report.bodyBytes)
      return nil
    }
    var bodies = report.bodyBytes
    let waiting = state.batch.bodyBytes + state.takenBodies
    let isFull = bodies > 0 && waiting > 0 && waiting + bodies > limits.bodies
    if isFull || !state.shedder.isIdle {
      state.shedder.cut(&report, dropsBodies: isFull)
      bodies = report.bodyBytes
    }
    state.batch.bodyBytes += bodies
    state.batch.factBytes += facts
    return report
  }
}

extension ExchangeReport {
  /// Bytes of bodies that it keeps in memory.
  fileprivate var bodyBytes: Int {
    var count = data?.count ?? 0
    if case .data(let body)? = start?.request.body { count += body.count }
    if let body = answer?.edited?.body { count += body.count }
    if case .data(let body)? = sent?.body { count += body.count }
    return count
  }
}
