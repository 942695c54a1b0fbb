import PatchbayWire
import Synchronization

/// The exchanges that wait for a person's decision, each with the way to let it go on.
final class HoldTable: Sendable {
  typealias Resume = @Sendable (Verdict.Decision?) -> Void

  private struct State {
    var waiting: [UInt64: Resume] = [:]
    /// Exchanges of earlier keys are not known to the console; nil while there is none.
    var firstKey: UInt64?
  }

  private let state = Mutex(State())

  func open(from key: UInt64) {
    state.withLock { $0.firstKey = key }
  }

  /// Lets it go on at once where nobody could decide.
  func add(_ key: UInt64, _ resume: @escaping Resume) {
    let taken = state.withLock { state in
      guard let first = state.firstKey, key >= first else { return false }
      state.waiting[key] = resume
      return true
    }
    if !taken { resume(nil) }
  }

  func remove(_ key: UInt64) {
    _ = state.withLock { $0.waiting.removeValue(forKey: key) }
  }

  /// A verdict for an exchange that is no longer held is ignored.
  func decide(_ verdict: Verdict) {
    state.withLock { $0.waiting.removeValue(forKey: verdict.key) }?(verdict.decision)
  }

  /// The console has gone: lets everything go on as if it had never been held, in the order in which it came.
  func releaseAll() {
    let waiting = state.withLock { state in
      defer { state = State() }
      return state.waiting
    }
    for (_, resume) in waiting.sorted(by: { $0.key < $1.key }) { resume(nil) }
  }
}
