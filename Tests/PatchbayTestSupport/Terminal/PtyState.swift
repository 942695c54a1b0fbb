import Dispatch
import Synchronization

/// What a session knows, behind its lock.
struct PtyState: Sendable {
  var screen: VTScreen
  var output: [UInt8] = []
  var exit: ExitStatus?
  private var waiters: [any PtyWaiting] = []
  /// What was shown since the last key, and since what was awaited last, while nobody waited, the newest last: a sentence
  /// that is shown for some seconds may have gone when a busy machine lets the test ask for it.
  private var missed: [VTScreen] = []
  private static let mostMissed = 100
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
    for waiter in waiters where !answersLate(waiter) {
      waiter.fail(.ended(status, waitingFor: waiter.what, screen: screen.text))
    }
    waiters = []
  }

  /// A key is pressed: what was shown before does not come of it.
  mutating func pressed() { missed = [] }

  mutating func add(_ waiter: any PtyWaiting) {
    if unseenSince == nil, answers(waiter) { return }
    if let exit {
      if answersLate(waiter) { return }
      return waiter.fail(.ended(exit, waitingFor: waiter.what, screen: screen.text))
    }
    waiters.append(waiter)
  }

  /// It has waited long enough.
  mutating func giveUp(_ waiter: any PtyWaiting) {
    guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return }
    waiters.remove(at: index)
    if answersLate(waiter) { return }
    waiter.fail(.timedOut(waitingFor: waiter.what, screen: screen.text))
  }

  private mutating func wake() {
    unseenSince = nil
    if waiters.isEmpty { missed = missed.suffix(Self.mostMissed - 1) + [screen] }
    for waiter in waiters where answers(waiter) { waiters.removeAll { $0 === waiter } }
  }

  /// Lets it go on if its condition holds. What is awaited next may be as old as the first screen for which it held.
  private mutating func answers(_ waiter: any PtyWaiting) -> Bool {
    guard waiter.holds(self) else { return false }
    missed.append(screen)
    forget(before: waiter)
    return waiter.resumes(self)
  }

  /// Lets it go on if what it waits for was there, and had gone before it began to wait.
  private mutating func answersLate(_ waiter: any PtyWaiting) -> Bool {
    forget(before: waiter)
    return missed.first.map { waiter.resumes(showing($0)) } ?? false
  }

  /// Forgets what was missed before the first screen that would have answered it.
  private mutating func forget(before waiter: any PtyWaiting) {
    if let first = missed.firstIndex(where: { waiter.holds(showing($0)) }) { missed.removeFirst(first) }
  }

  private func showing(_ screen: VTScreen) -> PtyState {
    var state = self
    state.screen = screen
    return state
  }
}

/// Somebody who waits for a session's screen or end.
protocol PtyWaiting: AnyObject, Sendable {
  var what: String { get }
  func holds(_ state: PtyState) -> Bool
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

  func holds(_ state: PtyState) -> Bool { condition(state) != nil }

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
