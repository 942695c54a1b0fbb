import CHookSessions
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Makes the hook's own sessions, which it keeps out of.
enum OwnSessions {
  /// A session with a configuration of its own. Not to be called on the queue that all sessions share.
  static func make(
    like configuration: URLSessionConfiguration = .ephemeral, delegate: (any URLSessionDelegate)? = nil,
    queue: OperationQueue? = nil, change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    // A session without classes of its own takes the registered ones, which the hook is one of: `URLSession.shared` of
    // a program that attached lists nothing but the hook.
    let others = (copy.protocolClasses ?? []).filter { !($0 is PatchbayURLProtocol.Type) }
    copy.protocolClasses = others.isEmpty ? URLSessionConfiguration.ephemeral.protocolClasses : others
    change(copy)
    return withoutInsertion { URLSession(configuration: copy, delegate: delegate, delegateQueue: queue) }
  }

  // MARK: Both who put the hook into sessions

  private typealias Call = @convention(c) () -> Void

  private static let preloadBegins = symbol("patchbay_preload_bypass_begin")
  private static let preloadEnds = symbol("patchbay_preload_bypass_end")

  /// Neither this library nor the preload library, if there is one, puts the hook into a session that this thread makes
  /// meanwhile.
  private static func withoutInsertion(_ make: () -> URLSession) -> URLSession {
    patchbay_sessions_bypass_begin()
    preloadBegins?()
    defer {
      preloadEnds?()
      patchbay_sessions_bypass_end()
    }
    return make()
  }

  private static func symbol(_ name: String) -> Call? {
    guard let found = dlsym(UnsafeMutableRawPointer(bitPattern: 0), name) else { return nil }
    return unsafeBitCast(found, to: Call.self)
  }
}

/// The engine's own queue, for what may not happen on the queue that all sessions share: making sessions, reading
/// files, waiting. Client calls are never made here.
enum HookQueue {
  static let shared = DispatchQueue(label: "patchbay.hook", qos: .userInitiated)

  /// For what may block as long as it likes: a queue of its own each time, for which Dispatch has a thread at once. Its
  /// common queues, and concurrent ones, start a further thread only a second after all that there are were blocked, and
  /// none beyond a limit, which the program may have used up. On Linux at most 255 of a class of service have a thread, so
  /// that it is another class than that of the shared queue and of Foundation's, which go on where so many block.
  static func apart(_ work: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "patchbay.hook.apart", qos: .utility).async(execute: work)
  }

  /// Waits until everything put there so far is done, or until then.
  static func settle(before deadline: DispatchTime) {
    let done = DispatchSemaphore(value: 0)
    shared.async { done.signal() }
    _ = done.wait(timeout: deadline)
  }
}
