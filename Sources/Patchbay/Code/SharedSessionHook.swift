import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Puts the hook into `URLSession.shared`, which takes its protocol classes from the registered ones when it is made.
enum SharedSessionHook {
  private static let state = Mutex(AttachState.SharedSession.unknown)

  static var current: AttachState.SharedSession { state.withLock { $0 } }

  /// Registers the class, once, and looks whether it was early enough.
  static func install() -> AttachState.SharedSession {
    state.withLock { state in
      guard state == .unknown else { return state }
      _ = URLProtocol.registerClass(PatchbayURLProtocol.self)
      let classes = URLSession.shared.configuration.protocolClasses ?? []
      state = HookInsertion.isAsked(in: classes) ? .hooked : .tooLate
      return state
    }
  }
}
