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
  private var isFromCache = false
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
      if let inner, takeover == nil { tellHeadSoFar(of: inner) }
      end(.cancelled, task.error)
      inner?.stopLoading()
      inner = nil
    } else {
      inner?.stopLoading()
    }
  }

  // MARK: From the built-in class

  func received(_ response: URLResponse, policy: URLCache.StoragePolicy, from loading: URLProtocol) {
    guard takeover == nil, !isEnded else { return }
    recorder.head(response)
    let isInterim = (response as? HTTPURLResponse)?.isInterim == true
    // A redirect may follow an interim head while its callback is still on its way.
    if !isInterim { restoreDelegate() }
    if let tap, !tap.expectsHead, !isFromCache { return }
    if isInterim, !DelegateStandIn.isHidden { session?.delegateQueue.addOperation { self.lendBack() } }
    forward { $0.urlProtocol(loading, didReceive: response, cacheStoragePolicy: policy) }
    if isInterim { watchRedirectsAgain() }
    guard tap == nil, !isEnded else { return }
    // On a connection that is there already the answer may come before anyone listens; its body follows at once.
    let comesInPieces = !isFromCache && recorder.listens && CallbackTap.hearsPieces(of: task, in: session)
    if isAdopted || comesInPieces { listen() }
  }

  func loaded(_ data: Data, from loading: URLProtocol) {
    guard takeover == nil, !isEnded else { return }
    // The delegate has had the pieces one by one. Where the next transfer of a redirect began while our row stood in the
    // registry, the built-in class has gathered them as well.
    // A redirect that the program refuses is the one answer that comes this way alone.
    let status = (TaskInternals.response(of: task) as? HTTPURLResponse)?.statusCode ?? 0
    if tap?.seesBody == true, !isFromCache, !(300..<400).contains(status) { return }
    tellHead(before: loading)
    recorder.piece(data, soon: true)
    forward(andListen: tap?.seesBody == true) { $0.urlProtocol(loading, didLoad: data) }
  }

  func usesCache(_ response: CachedURLResponse, from loading: URLProtocol) {
    isFromCache = true
    forward { $0.urlProtocol(loading, cachedResponseIsValid: response) }
  }

  func finished(_ loading: URLProtocol) {
    guard !isEnded else { return }
    if let takeover {
      release()
      isEnded = true
      inner = nil
      host?.takeOver(takeover.request, takeover.match)
      return
    }
    tellHead(before: loading)
    if ChallengeBypass.leadsToOne(TaskInternals.response(of: task)) { return challenged(loading) }
    end(.responded, nil, file: DownloadedFile.location(of: loading, task: task))
    outer.urlProtocolDidFinishLoading(loading)
    inner = nil
  }

  func failed(_ error: any Error, from loading: URLProtocol?) {
    guard !isEnded else { return }
    if let loading { tellHead(of: loading, cutBy: error) } else { TaskInternals.setError(error, of: task) }
    end(task.state == .canceling ? .cancelled : .failed, error)
    if let loading = loading ?? host?.loading { outer.urlProtocol(loading, didFailWithError: error) }
    inner = nil
  }

  /// Calls the framework's client with the task's callbacks as the program made them.
  func forward(andListen listens: Bool = true, _ call: (any URLProtocolClient) -> Void) {
    tap?.remove()
    call(outer)
    if listens, !isEnded { tap?.install() }
  }

  // MARK: The end

  func end(_ outcome: Exchange.Outcome, _ error: (any Error)?, file: URL? = nil) {
    release()
    isEnded = true
    let recorder = recorder
    let report: @Sendable () -> Void = { recorder.end(outcome, error: error) }
    if let file, recorder.listens {
      DownloadedFile.report(file, to: recorder, then: report)
    } else if let tap, tap.seesBody, let session, outcome != .cancelled {
      // After the pieces that are still on their way to the delegate.
      let task = task
      session.delegateQueue.addOperation {
        report()
        BodyTap.shared.forget(task)
      }
    } else {
      report()
      BodyTap.shared.forget(task)
    }
    host?.ended()
  }

  /// Puts everything back as the program made it.
  func release() {
    tap?.remove()
    restoreDelegate()
  }

  /// No redirect follows the head of an answer: from there on the program's callbacks find the task's delegate as it was.
  func restoreDelegate() {
    standIn?.remove()
    standIn = nil
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
