import Dispatch
import Synchronization

/// What a session knows, behind its lock.
struct PtyState: Sendable {
  var screen: VTScreen
  var output: [UInt8] = []
  var exit: ExitStatus?
  private var waiters: [any PtyWaiting] = []
  /// When the first bytes came that nobody has looked at, and how often bytes came at all: a frame comes in several
  /// pieces, and half of one is no screen.
  private var unseenSince: ContinuousClock.Instant?
  private var arrivals = 0
  /// A program that never stops to write is looked at all the same.
  private static let longest: Duration = .milliseconds(150)

  init(screen: VTScreen) {
    self.screen = screen
  }

  mutating func received(_ bytes: ArraySlice<UInt8>) {
    output.append(contentsOf: bytes)
    screen.feed(bytes)
    arrivals += 1
    unseenSince = unseenSince ?? .now
  }

  /// What `look(after:)` is to be told a moment later.
  var arrival: Int { arrivals }

  /// A moment after that arrival: looks at the screen if nothing came since.
  mutating func look(after arrival: Int) {
    guard let since = unseenSince, arrival == arrivals || ContinuousClock.now - since > Self.longest else { return }
    wake()
  }

  mutating func ended(_ status: ExitStatus) {
    exit = status
    wake()
    for waiter in waiters {
      waiter.fail(.ended(status, waitingFor: waiter.what, screen: screen.text))
    }
    waiters = []
  }

  mutating func add(_ waiter: any PtyWaiting) {
    if unseenSince == nil, waiter.resumes(self) { return }
    if let exit { return waiter.fail(.ended(exit, waitingFor: waiter.what, screen: screen.text)) }
    waiters.append(waiter)
  }

  mutating func giveUp(_ waiter: any PtyWaiting) {
    guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return }
    waiters.remove(at: index)
    waiter.fail(.timedOut(waitingFor: waiter.what, screen: screen.text))
  }

  private mutating func wake() {
    unseenSince = nil
    let state = self
    waiters.removeAll { $0.resumes(state) }
  }
}

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
