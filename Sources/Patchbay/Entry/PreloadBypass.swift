import Foundation

/// Tells the preload library, if there is one, to leave the sessions made on this thread alone.
enum PreloadBypass {
  private typealias Call = @convention(c) () -> Void

  private static let beginCall = symbol("patchbay_preload_bypass_begin")
  private static let endCall = symbol("patchbay_preload_bypass_end")

  static func begin() { beginCall?() }
  static func end() { endCall?() }

  private static func symbol(_ name: String) -> Call? {
    guard let found = dlsym(UnsafeMutableRawPointer(bitPattern: 0), name) else { return nil }
    return unsafeBitCast(found, to: Call.self)
  }
}
