import Foundation
import PatchbayTestSupport
import PatchbayWire

@testable import Patchbay

/// Keeps what the engine tells, put together by exchange, and sees that it keeps its word.
final class RecordingSink: ExchangeSink {
  struct Told: Sendable {
    var start: ExchangeUpdate.Start?
    var answer: ExchangeUpdate.Answer?
    var sent: RecordedRequest?
    var hops: [RedirectHop] = []
    var held: [ExchangeUpdate.Held] = []
    var head: ExchangeUpdate.Head?
    var data = Data()
    var end: ExchangeUpdate.End?
    /// Reports that came after the end, or a second end.
    var late = 0
  }

  private struct State {
    var told: [UInt64: Told] = [:]
    var order: [UInt64] = []
    var holds: [UInt64: @Sendable (Verdict.Decision?) -> Void] = [:]
    var unheld: [UInt64] = []
    var notices: [String] = []
    /// What comes of each hold, as soon as it is told of.
    var decidesAtOnce: Verdict.Decision?

    /// Those that wait, and of which it was told, which comes a moment later.
    var holding: [UInt64] {
      holds.keys.filter { key in told[key]?.held.last.map { $0 != .released } ?? false }
    }
  }

  private let state = SeenLock(State())
  private let unread = SeenLock<[ExchangeReport]>([])
  /// Whether it reads what it is told at once, as a link does soon; one that does not hears of heads at the end.
  private let reads: Bool

  init(reads: Bool = true) { self.reads = reads }

  /// Reads what it has been told, as a link does.
  func read() {
    let reports = unread.withLock { unread in
      defer { unread = [] }
      return unread
    }
    for report in reports { report.wasRead() }
  }

  func report(_ report: ExchangeReport) {
    if report.start?.recorder != nil {
      if reads { DispatchQueue.global().async { report.wasRead() } } else { unread.withLock { $0.append(report) } }
    }
    let update = report.update(bodyLimit: 1 << 20)
    state.withLock { state in
      if state.told[update.key] == nil { state.order.append(update.key) }
      var told = state.told[update.key] ?? Told()
      if told.end != nil { told.late += 1 }
      told.start = update.start ?? told.start
      told.answer = update.answer ?? told.answer
      told.sent = update.sent ?? told.sent
      if let turn = update.turn { told.hops.turn(to: turn) }
      told.hops += update.hops
      if let held = update.held { told.held.append(held) }
      if update.head != nil { told.data = Data() }
      told.head = update.head ?? told.head
      told.data += update.data ?? Data()
      told.end = update.end ?? told.end
      state.told[update.key] = told
    }
    guard let held = update.held, held != .released, let decision = state.withLock({ $0.decidesAtOnce }) else { return }
    decide(decision, key: update.key)
  }

  /// Decides each hold from within the report of it, sooner than any person.
  func decideAtOnce(_ decision: Verdict.Decision) { state.withLock { $0.decidesAtOnce = decision } }

  func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void) {
    state.withLock { $0.holds[key] = resume }
  }

  func unhold(_ key: UInt64) {
    state.withLock {
      $0.holds[key] = nil
      $0.unheld.append(key)
    }
  }

  func notice(_ sentence: String) {
    state.withLock { $0.notices.append(sentence) }
  }

  /// All exchanges in the order in which they were first told of.
  var exchanges: [Told] { state.withLock { state in state.order.compactMap { state.told[$0] } } }

  var notices: [String] { state.withLock { $0.notices } }
  var unheld: Int { state.withLock { $0.unheld.count } }

  /// Waits until that many exchanges have ended, and gives them all.
  func ended(_ count: Int = 1) async throws -> [Told] {
    try await until { self.exchanges.filter { $0.end != nil }.count >= count }
    return exchanges
  }

  /// Waits for a held exchange and decides it.
  func decide(_ decision: Verdict.Decision?) async throws {
    try await until { self.isHolding }
    let resume = state.withLock { state in state.holding.first.flatMap { state.holds.removeValue(forKey: $0) } }
    resume?(decision)
  }

  /// Decides one of those that are held.
  func decide(_ decision: Verdict.Decision?, key: UInt64) {
    let resume = state.withLock { $0.holds.removeValue(forKey: key) }
    resume?(decision)
  }

  /// The keys of those that are held.
  var holding: [UInt64] { state.withLock { $0.holding } }
  var isHolding: Bool { !holding.isEmpty }
}

/// Waits for a condition; a test that waits longer than that has failed.
func until(within limit: Duration = Patience.usual, _ condition: @Sendable () async throws -> Bool) async throws {
  let end = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < end else { throw WaitedTooLong() }
    try await Task.sleep(for: .milliseconds(1))
  }
}

struct WaitedTooLong: Error {}
