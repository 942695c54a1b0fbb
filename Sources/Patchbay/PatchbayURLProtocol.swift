import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The hook: the class that takes a session's requests. Put it into a configuration by
/// `configuration.protocolClasses = [PatchbayURLProtocol.self] + (configuration.protocolClasses ?? [])`.
///
/// Foundation makes one object for each task and calls it on the task's work queue. With no console and no stubs in
/// code it takes nothing, and requests go their usual way.
public class PatchbayURLProtocol: URLProtocol {
  /// Whether the hook takes the request: a look into the local snapshot, which asks nobody.
  public override class func canInit(with request: URLRequest) -> Bool {
    guard let scheme = request.url?.scheme?.lowercased(), scheme == "http" || scheme == "https" else { return false }
    return HookState.shared.snapshot.active
  }
}
