import CHookSessions
import Foundation

/// Leaves the sessions made on this thread alone: those that the hook makes for itself. The preload library, if there
/// is one, is told too.
enum PreloadBypass {
  private typealias Call = @convention(c) () -> Void

  private static let beginCall = symbol("patchbay_preload_bypass_begin")
  private static let endCall = symbol("patchbay_preload_bypass_end")

  static func begin() {
    patchbay_sessions_bypass_begin()
    beginCall?()
  }

  static func end() {
    endCall?()
    patchbay_sessions_bypass_end()
  }

  private static func symbol(_ name: String) -> Call? {
    guard let found = dlsym(UnsafeMutableRawPointer(bitPattern: 0), name) else { return nil }
    return unsafeBitCast(found, to: Call.self)
  }
}
