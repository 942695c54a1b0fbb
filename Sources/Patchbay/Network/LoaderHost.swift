import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Whoever has a request sent: what its loader asks and tells, on the task's work queue except where it says otherwise.
///
/// There are two loaders. ``NativeLoader`` has the class load that Foundation would have taken, which keeps everything as
/// it is without the hook; ``DetachedLoader`` sends a request that is not the task's own any more, or whose answer is to
/// be changed, in a session of the hook's.
protocol LoaderHost: AnyObject {
  /// The object that the framework knows; nil once it has let go of it.
  var loading: URLProtocol? { get }
  /// The request that is being worked on.
  var current: RequestSnapshot { get }
  /// What the stubs say of the request that a redirect leads to; nil where none takes it. Any thread.
  func stubs(forRedirect request: URLRequest) -> StubDecider.Outcome?
  /// A stub answers from here on; the loader has let go of the task.
  func takeOver(_ request: URLRequest, _ outcome: StubDecider.Outcome)
}
