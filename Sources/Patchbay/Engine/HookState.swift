import Foundation
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
  let process = HarnessProcess(name: ProcessInfo.processInfo.processName, pid: getpid())

  /// The snapshot in force. While the hook is dormant this is also what makes it look for a console.
  var snapshot: HookSnapshot {
    let snapshot = current.withLock { $0 }
    guard !snapshot.active || ProcessHooks.isForked else { return snapshot }
    whenDormant()
    return current.withLock { $0 }
  }

  /// Puts another snapshot in force: requests that are decided from now on see it.
  func replace(_ snapshot: HookSnapshot) {
    current.withLock { $0 = snapshot }
  }

  /// A key for one exchange: unique in this process, rising.
  func nextKey() -> UInt64 {
    keys.add(1, ordering: .relaxed).newValue
  }
}
