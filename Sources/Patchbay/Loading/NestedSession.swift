import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Makes sessions that the hook itself keeps out of.
enum NestedSession {
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
    PreloadBypass.begin()
    defer { PreloadBypass.end() }
    return URLSession(configuration: copy, delegate: delegate, delegateQueue: queue)
  }
}
