import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Lets the class that would have taken the request load it, inside the program's own task: timeouts, redirects,
/// cookies, caches, challenges, progress, files of downloads and all faults are Foundation's own. Looks on, and tells
/// the recorder.
final class NativeLoader: @unchecked Sendable {
  // Everything is used on the task's work queue only, except what says otherwise.
  let task: URLSessionTask
  let session: URLSession?
  let recorder: ExchangeRecorder
  var outer: any URLProtocolClient
  private let cached: CachedURLResponse?
  weak var host: (any NativeLoaderHost)?
  var inner: URLProtocol?
  var tap: CallbackTap?
  var standIn: DelegateStandIn?
  var takeover: Takeover?
  private var isStopped = false
  var isEnded = false
  /// The listeners are put in when the request turns out to be slow.
  private var listensLate = false
  /// When the transfer began that runs now, in microseconds after the request's start.
  var transferBegan: Int64 = 0
  var isFromCache = false
  /// The framework has been left to ask for a credential.
  var isChallenged = false
  /// The answer that asked for it.
  var challenge: URLResponse?
  /// What was sent before that: the host goes with the object that the framework lets go of.
  var sent: RequestSnapshot?
  /// The framework's own object loads, with the credential, and no longer one of ours.
  var isAdopted = false

  struct Takeover {
    var request: URLRequest
    var match: RuleMatch
  }

  init(
    task: URLSessionTask, session: URLSession?, client: any URLProtocolClient, cached: CachedURLResponse?,
    recorder: ExchangeRecorder, host: any NativeLoaderHost
  ) {
    self.task = task
    self.session = session
    self.recorder = recorder
    self.host = host
    self.cached = cached
    outer = client
  }

  /// Tells that the request is on its way. What a quick answer says is known at its end, however it ends.
  func tellBeginning() {
    guard CurlTransfer.keepsHeads, let queue = TaskInternals.workQueue(of: task) else {
      recorder.flush()
      return
    }
    listensLate = recorder.flush { queue.async { self.listenNow() } }
  }

  func start() {
    isStopped = false
    guard recorder.listens, inner == nil, let queue = TaskInternals.workQueue(of: task) else { return startNow() }
    let ready = TapRows.prepare { queue.async { self.startNow() } }
    if ready { startNow() }
  }

  private func startNow() {
    guard !isStopped, !isEnded else { return }
    if inner == nil {
      guard let request = task.originalRequest, let type = BuiltInClass.loading(request, in: session) else {
        let url = task.originalRequest?.url
        return failed(FaultError.urlError(.unsupportedURL, url: url, message: "unsupported URL"), from: nil)
      }
      inner = type.init(task: task, cachedResponse: cached, client: NativeClient(self))
      watchRedirects()
      if recorder.listens { transferBegan = recorder.elapsed }
    }
    inner?.startLoading()
    // On a connection that is there already all of it may have happened by now, and a challenge taken the place of `inner`.
    guard !isEnded, inner != nil, recorder.listens, tap == nil else { return }
    // The pieces of a body go by, and are told as they come; the head is only wanted while the rest is not there yet.
    if !listensLate || CallbackTap.hearsPieces(of: task, in: session) { listen() }
  }

  private func listenNow() {
    listensLate = false
    guard !isStopped, !isEnded, let inner, tap == nil, takeover == nil, !isFromCache else { return }
    tellHeadSoFar(of: inner)
    if !recorder.hasHead { listen() }
  }

  func listen() {
    guard let session else { return }
    tap = CallbackTap(task: task, session: session, recorder: recorder)
    tap?.install()
  }

  /// Suspended, or cancelled by the program; the framework reports a cancellation by itself.
  func stop() {
    isStopped = true
    guard !isEnded else { return }
    if task.state != .suspended {
      if let inner, takeover == nil {
        tellHeadSoFar(of: inner)
        countBody(of: inner)
      }
      end(.cancelled, task.error)
      inner?.stopLoading()
      inner = nil
    } else {
      inner?.stopLoading()
    }
  }
}

/// Whoever runs a native loader.
protocol NativeLoaderHost: AnyObject {
  /// The object that the framework knows.
  var loading: URLProtocol? { get }
  /// The request that is being worked on. On the task's work queue.
  var current: RequestSnapshot { get }
  /// The stub that takes the request that a redirect leads to. Any thread.
  func match(redirect request: URLRequest) -> RuleMatch?
  /// A stub answers from here on; the loader has let go of the task.
  func takeOver(_ request: URLRequest, _ match: RuleMatch)
  /// The exchange has ended.
  func ended()
}
