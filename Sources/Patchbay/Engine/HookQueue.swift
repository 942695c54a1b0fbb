import Dispatch

/// The engine's own queue, for what may not happen on the queue that all sessions share: making sessions, reading
/// files, waiting. Client calls are never made here.
enum HookQueue {
  static let shared = DispatchQueue(label: "patchbay.hook", qos: .userInitiated)
}
