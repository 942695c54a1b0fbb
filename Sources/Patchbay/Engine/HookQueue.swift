import Dispatch

/// The engine's own queue, for what may not happen on the queue that all sessions share: making sessions, reading
/// files, waiting. Client calls are never made here.
enum HookQueue {
  static let shared = DispatchQueue(label: "patchbay.hook", qos: .userInitiated)

  /// Waits until everything put there so far is done, or until then.
  static func settle(before deadline: DispatchTime) {
    let done = DispatchSemaphore(value: 0)
    shared.async { done.signal() }
    _ = done.wait(timeout: deadline)
  }
}
