import Dispatch
import PatchbayStubs
import Synchronization

/// What `patchbay run` promises to each process of its command: that the console's stubs will come, and what becomes of
/// a request that none of them takes. It stands in the environment, so that the hook knows it before the program's first
/// request and without a socket.
struct StubPromise: Sendable {
  /// Where it stands.
  enum Stand: Hashable, Sendable {
    /// The stubs are on their way.
    case open
    /// They have come.
    case kept
    /// The time is up; they may come yet.
    case late
    /// There is no console to get them from, and why, in a clause.
    case broken(String)
  }

  /// What becomes of a request that no stub takes: what the console said last, and what `run` was started with before.
  var unmatched: StubSet.Unmatched
  var stand = Stand.open

  /// The promise that this process was started with; nil for one that `run` did not start, or that has its hook from
  /// `patchbay attach`.
  static var ofEnvironment: StubPromise? {
    guard PreloadEntry.rendezvous == nil else { return nil }
    return LinkAddress.variable("PATCHBAY_UNMATCHED").flatMap(StubSet.Unmatched.init).map { StubPromise(unmatched: $0) }
  }

  /// As long is waited for the stubs from the first request on. A console on two cores with load 60 needs up to 3 s.
  static let patience = DispatchTimeInterval.seconds(5)

  /// Whether requests wait although no stubs are known.
  var keepsWaiting: Bool {
    switch stand {
    case .open: true
    case .kept: false
    case .late, .broken: unmatched == .hold
    }
  }

  /// Why there are no stubs, as the beginning of a sentence; nil while nobody knows that there are none.
  var reason: String? {
    switch stand {
    case .open, .kept: nil
    case .late: "the console sent no stubs within 5 s"
    case .broken(let clause): clause
    }
  }
}

/// Where requests wait, without a thread, until there is something by which they can be decided. Opened once; whoever
/// comes later goes on at once.
final class WaitingRoom: Sendable {
  private struct State {
    var waiting: [UInt64: @Sendable () -> Void] = [:]
    var lastTicket: UInt64 = 0
    var isOpen = false
  }

  private let state = Mutex(State())
  private let onFirst: @Sendable (WaitingRoom) -> Void

  /// - Parameter onFirst: Called when the first one begins to wait.
  init(onFirst: @escaping @Sendable (WaitingRoom) -> Void = { _ in }) { self.onFirst = onFirst }

  /// Waits; `goOn` is called once, on any thread.
  ///
  /// - Returns: What it is known by; nil where the room is open, and `goOn` was called.
  func enter(_ goOn: @escaping @Sendable () -> Void) -> UInt64? {
    let ticket: UInt64? = state.withLock { state in
      guard !state.isOpen else { return nil }
      state.lastTicket += 1
      state.waiting[state.lastTicket] = goOn
      return state.lastTicket
    }
    guard let ticket else {
      goOn()
      return nil
    }
    if ticket == 1 { onFirst(self) }
    return ticket
  }

  /// It does not wait any more.
  func leave(_ ticket: UInt64) { state.withLock { _ = $0.waiting.removeValue(forKey: ticket) } }

  /// Lets everybody go on, in the order in which they came.
  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for (_, goOn) in waiting.sorted(by: { $0.key < $1.key }) { goOn() }
  }
}
