import Foundation
import PatchbayStubs
import PatchbayWire
import Synchronization

/// What was asked, in order, for tests to look at. Keeps the reports as they came and makes exchanges of them when it
/// is read. Bounded: the oldest go first.
final class ExchangeLog: Sendable {
  private struct Entry {
    var number: Int64
    var scope: SessionScope.Mark?
    /// Only its scope still knows of it.
    var isForgotten = false
    var reports: [ExchangeReport]
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    /// Keys in order of their start; those before `first` are gone.
    var order: [UInt64] = []
    var first = 0
    var count: Int64 = 0
  }

  private let state = Mutex(State())
  private let limit: Int

  init(limit: Int = 10_000) {
    self.limit = limit
  }

  func note(_ report: ExchangeReport) {
    var report = report
    if report.start != nil {
      report.start?.recorder = nil
      report.start?.request.letGoOfStream()
    }
    if report.sent != nil { report.sent?.letGoOfStream() }
    state.withLock { state in
      if let start = report.start {
        state.count += 1
        state.entries[report.key] = Entry(number: state.count, scope: start.scope, reports: [report])
        state.order.append(report.key)
        trim(&state)
      } else {
        state.entries[report.key]?.reports.append(report)
      }
    }
  }

  private func trim(_ state: inout State) {
    while state.order.count - state.first > limit {
      state.entries[state.order[state.first]] = nil
      state.first += 1
    }
    guard state.first > limit else { return }
    state.order.removeFirst(state.first)
    state.first = 0
  }

  /// All that is kept, oldest first; of one scope's sessions, or of all.
  func exchanges(of scope: SessionScope.Mark? = nil) -> [Exchange] {
    let entries = state.withLock { state in
      state.order[state.first...].compactMap { state.entries[$0] }
        .filter { scope == nil ? !$0.isForgotten : $0.scope == scope }
    }
    return entries.compactMap { Self.exchange($0) }
  }

  /// What was asked so far is known to the scopes that it belongs to, and to nobody else.
  func forget() {
    state.withLock { state in
      for key in state.order[state.first...] {
        if state.entries[key]?.scope == nil { state.entries[key] = nil } else { state.entries[key]?.isForgotten = true }
      }
      state.order = state.order[state.first...].filter { state.entries[$0] != nil }
      state.first = 0
    }
  }

  private static func exchange(_ entry: Entry) -> Exchange? {
    var builder: ExchangeBuilder?
    for report in entry.reports {
      let update = report.update(bodyLimit: .max)
      if let start = update.start {
        builder = ExchangeBuilder(id: entry.number, process: HookState.shared.process, start: start)
      }
      builder?.apply(update)
    }
    builder?.updateBody()
    return builder?.exchange
  }
}
