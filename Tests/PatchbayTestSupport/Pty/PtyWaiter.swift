import Synchronization

/// Somebody who waits for a session's screen or end.
protocol PtyWaiting: AnyObject, Sendable {
  var what: String { get }
  /// Resumes the waiter if its condition holds, and says whether it did.
  func resumes(_ state: PtyState) -> Bool
  func fail(_ error: PtyError)
}

final class PtyWaiter<Value: Sendable>: PtyWaiting {
  let what: String
  private let condition: @Sendable (PtyState) -> Value?
  private let continuation = Mutex<CheckedContinuation<Value, any Error>?>(nil)

  init(what: String, condition: @escaping @Sendable (PtyState) -> Value?) {
    self.what = what
    self.condition = condition
  }

  func start(_ continuation: CheckedContinuation<Value, any Error>) {
    self.continuation.withLock { $0 = continuation }
  }

  func resumes(_ state: PtyState) -> Bool {
    guard let value = condition(state) else { return false }
    take()?.resume(returning: value)
    return true
  }

  func fail(_ error: PtyError) {
    take()?.resume(throwing: error)
  }

  private func take() -> CheckedContinuation<Value, any Error>? {
    continuation.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
  }
}
