import CHookSessions
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Where the hook stands among a session's classes when nobody put it there by hand: behind the program's own, which
/// keep what they take, and before the first of Foundation's.
enum HookInsertion {
  /// The configuration with the hook in it; the same object if it is asked there already.
  static func inserted(into configuration: URLSessionConfiguration) -> URLSessionConfiguration {
    var classes = configuration.protocolClasses ?? []
    guard !isAsked(in: classes), let copy = configuration.copy() as? URLSessionConfiguration else {
      return configuration
    }
    classes.removeAll { $0 is PatchbayURLProtocol.Type }
    if classes.isEmpty { classes = registered }
    let index = classes.firstIndex { BuiltInClass.isBuiltIn($0) } ?? classes.endIndex
    copy.protocolClasses = classes[..<index] + [PatchbayURLProtocol.self] + classes[index...]
    return copy
  }

  /// Whether the hook is among these classes and comes to be asked: behind Foundation's own, where it stands when it was
  /// registered after the process's first session, it never is.
  static func isAsked(in classes: [AnyClass]) -> Bool {
    guard let hook = classes.firstIndex(where: { $0 is PatchbayURLProtocol.Type }) else { return false }
    return !classes[..<hook].contains { BuiltInClass.isBuiltIn($0) }
  }

  /// The program's own classes that a session without classes asks: those that were registered before the process's
  /// first session, which registers Foundation's behind them. `shared` has a copy of that list.
  private static var registered: [AnyClass] {
    let all = URLSession.shared.configuration.protocolClasses ?? []
    return all.prefix { !BuiltInClass.isBuiltIn($0) }.filter { !($0 is PatchbayURLProtocol.Type) }
  }
}

extension URLSessionConfiguration {
  /// A copy with Patchbay's hook in front of its protocol classes, and the process attached to a console if one is
  /// there (see ``Patchbay/attach()``).
  ///
  /// ```swift
  /// let session = URLSession(configuration: .ephemeral.patched())
  /// ```
  public func patched() -> URLSessionConfiguration {
    Hook.current.link.begin(.configuration)
    return patched(by: PatchbayURLProtocol.self)
  }

  func patched(by protocolClass: PatchbayURLProtocol.Type) -> URLSessionConfiguration {
    let patched = (copy() as? URLSessionConfiguration) ?? self
    let others = (patched.protocolClasses ?? []).filter { !($0 is PatchbayURLProtocol.Type) }
    patched.protocolClasses = [protocolClass] + others
    return patched
  }
}

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
