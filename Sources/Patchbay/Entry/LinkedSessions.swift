import CHookSessions
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Puts the hook into the sessions of a program that links it, when it makes them. Where FoundationNetworking is linked
/// into the program too (a static Swift runtime), and on other systems than Linux, this does nothing.
enum LinkedSessions {
  static func begin() {
    patchbay_sessions_begin { configuration in
      guard let configuration else { return nil }
      let object = Unmanaged<URLSessionConfiguration>.fromOpaque(configuration).takeUnretainedValue()
      return Unmanaged.passRetained(HookInsertion.inserted(into: object)).toOpaque()
    }
  }
}
