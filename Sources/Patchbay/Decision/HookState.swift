import Foundation
import PatchbayStubs
import PatchbayWire
import Synchronization

/// The process's one hook: the snapshot in force, and the keys of exchanges.
final class HookState: Sendable {
  static let shared = HookState(whenDormant: Hook.knock)

  private let current = Mutex(HookSnapshot.dormant)
  private let keys = Atomic<UInt64>(0)

  private let whenDormant: @Sendable () -> Void

  init(whenDormant: @escaping @Sendable () -> Void = {}) {
    self.whenDormant = whenDormant
  }

  /// The process's name as stubs and reports have it.
  var process: HarnessProcess { HarnessProcess(name: name, pid: getpid()) }
  private let name = ProcessInfo.processInfo.processName

  /// The snapshot in force. While the hook is dormant this is also what makes it look for a console.
  var snapshot: HookSnapshot {
    let snapshot = current.withLock { $0 }
    guard !snapshot.active || ProcessHooks.isForked else { return snapshot }
    whenDormant()
    return current.withLock { $0 }
  }

  /// Puts another snapshot in force: requests that are decided from now on see it.
  ///
  /// - Returns: The one before, with closures of the program's in it: they are to go where nothing is locked, since what
  ///   they hold may call back as it goes.
  func replace(_ snapshot: HookSnapshot) -> HookSnapshot {
    current.withLock { current in
      defer { current = snapshot }
      return current
    }
  }

  /// A key for one exchange: unique in this process, rising.
  func nextKey() -> UInt64 {
    keys.add(1, ordering: .relaxed).newValue
  }
}

/// Everything that a request is decided by, immutable, and a class so that handing it to a request is one retain.
/// ``HookController`` replaces it whole at each change.
final class HookSnapshot: Sendable {
  /// False is dormant: no console and no stubs in code, so nothing is taken.
  let active: Bool
  let settings: HookSettings
  /// The hosts of the settings, made ready: `canInit` looks at them for every request.
  let hosts: [(glob: Glob, degree: HookSettings.Degree)]
  /// The stubs in force; nil is none.
  let stubs: StubDecider?
  /// Names the state of the stubs; goes into each report.
  let revision: UInt64
  /// What becomes of a request that no stub takes.
  let unmatched: StubSet.Unmatched
  /// Where every request is held, before any stub is asked; nil is nowhere.
  let holdAll: Action.HoldPoint?
  /// Why nothing is known of the console's stubs, where it should be; the beginning of a sentence.
  let withoutStubs: String?
  /// Where reports go; nil while nobody listens.
  let sink: (any ExchangeSink)?
  /// Where requests wait that nothing and nobody can decide yet; nil where none waits for that.
  let room: WaitingRoom?
  /// The stubs are not known yet, so that every request waits in the room.
  let awaitsStubs: Bool
  /// Where a request that no stub takes fails because the program's code says so.
  let strictness: CodeStubs.Strictness
  /// A body that a rule patches has to be whole in the program's memory, which is not ours. Larger ones go out as they are.
  let largestPatched: Int

  static let dormant = HookSnapshot(active: false)

  init(
    active: Bool, settings: HookSettings = HookSettings(), stubs: StubDecider? = nil, revision: UInt64 = 0,
    unmatched: StubSet.Unmatched = .pass, holdAll: Action.HoldPoint? = nil, withoutStubs: String? = nil,
    sink: (any ExchangeSink)? = nil, room: WaitingRoom? = nil, awaitsStubs: Bool = false,
    strictness: CodeStubs.Strictness = CodeStubs.Strictness(), largestPatched: Int = 64 << 20
  ) {
    self.active = active
    self.settings = settings
    hosts = settings.hosts.map { (Glob($0.host.lowercased().utf8), $0.degree) }
    self.stubs = stubs
    self.revision = revision
    self.unmatched = unmatched
    self.holdAll = holdAll
    self.withoutStubs = withoutStubs
    self.sink = sink
    self.room = room
    self.awaitsStubs = awaitsStubs
    self.strictness = strictness
    self.largestPatched = largestPatched
  }
}
