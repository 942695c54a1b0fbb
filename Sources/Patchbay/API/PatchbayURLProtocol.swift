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
  private var run: RequestRun?

  /// The scope that this class is the mark of; nil for all sessions.
  class var scope: SessionScope.Mark? { nil }

  /// What this class decides by.
  class var snapshot: HookSnapshot { HookState.shared.snapshot }

  /// Whether the hook takes the request: a look into the local snapshot, which asks nobody.
  public override class func canInit(with request: URLRequest) -> Bool {
    Admission.takes(request, by: snapshot)
  }

  /// Never called by Foundation on Linux.
  public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// Called by Foundation, on the task's work queue; again after a suspension.
  public override func startLoading() {
    // A cancel may overtake the start; the framework has ended the task then, and must not hear of it again.
    guard let task else { return }
    let state = TaskInternals.state(of: task)
    guard state != .canceling, state != .completed else { return }
    if run == nil { run = RequestRun(self, type(of: self).snapshot) }
    run?.start(self)
  }

  /// Called by Foundation when the task is cancelled or suspended.
  public override func stopLoading() {
    run?.stop()
  }

  deinit {
    run?.abandon()
  }
}
