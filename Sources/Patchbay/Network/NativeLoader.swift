import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Whoever runs a native loader.
protocol NativeLoaderHost: LoaderHost {
  /// The exchange has ended.
  func ended()
}

/// Lets the class that would have taken the request load it, inside the program's own task: timeouts, redirects,
/// cookies, caches, challenges, progress, files of downloads and all faults are Foundation's own. Looks on, and tells
/// the recorder.
final class NativeLoader: @unchecked Sendable {
  // Everything is used on the task's work queue only, except what says otherwise.
  private let task: URLSessionTask
  private let session: URLSession?
  private let recorder: ExchangeRecorder
  private var outer: any URLProtocolClient
  private let cached: CachedURLResponse?
  private weak var host: (any NativeLoaderHost)?
  private var inner: URLProtocol?
  private var interceptor: CallbackInterceptor?
  private var delegateOverride: DelegateOverride?
  private var takeover: Takeover?
  /// What takes the request to which a redirect leads, where that was asked before the redirect is.
  private var foreseen: StubDecider.Outcome?
  private var isStopped = false
  private var isEnded = false
  /// The listeners are put in when the request turns out to be slow.
  private var listensLate = false
  /// When the transfer began that runs now, in microseconds after the request's start.
  private var transferBegan: Int64 = 0
  private var isFromCache = false
  /// Read on any thread.
  private let credential = Mutex(Credential.none)
  /// The answer that asked for a credential.
  private var challenge: URLResponse?
  /// What was sent before that: the host goes with the object that the framework lets go of.
  private var sent: RequestSnapshot?

  /// How far the framework is with a credential that an answer asks for.
  private enum Credential {
    case none
    /// The framework has been left to ask for one.
    /// - Parameter adopted: Once more: its own object has been loading already.
    case asked(adopted: Bool)
    /// The framework's own object loads, with the credential, and no longer one of ours.
    case adopted
  }

  private var isChallenged: Bool { credential.withLock { if case .asked = $0 { true } else { false } } }

  private var isAdopted: Bool {
    credential.withLock {
      switch $0 {
      case .none, .asked(adopted: false): false
      case .adopted, .asked(adopted: true): true
      }
    }
  }

  /// A stub answers where a redirect leads.
  private struct Takeover {
    var request: URLRequest
    var outcome: StubDecider.Outcome
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
    let ready = InterceptorRows.prepare { queue.async { self.startNow() } }
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
    guard !isEnded, inner != nil, recorder.listens, interceptor == nil else { return }
    // The pieces of a body go by, and are told as they come; the head is only wanted while the rest is not there yet.
    if !listensLate || CallbackInterceptor.hearsPieces(of: task, in: session) { listen() }
  }

  private func listenNow() {
    listensLate = false
    guard !isStopped, !isEnded, let inner, interceptor == nil, takeover == nil, !isFromCache else { return }
    tellHeadSoFar(of: inner)
    if !recorder.hasHead { listen() }
  }

  private func listen() {
    guard let session else { return }
    interceptor = CallbackInterceptor(task: task, session: session, recorder: recorder)
    interceptor?.install()
  }

  /// Suspended, or cancelled by the program; the framework reports a cancellation by itself.
  func stop() {
    isStopped = true
    guard !isEnded else { return }
    if isChallenged, task.state == .suspended { return findAdopted() }
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

  // MARK: What the built-in class says

  func received(_ response: URLResponse, policy: URLCache.StoragePolicy, from loading: URLProtocol) {
    guard takeover == nil, !isEnded else { return }
    recorder.head(response)
    let isInterim = (response as? HTTPURLResponse)?.isInterim == true
    // A redirect may follow an interim head while its callback is still on its way.
    if !isInterim { restoreDelegate() }
    if let interceptor, !interceptor.expectsHead, !isFromCache { return }
    if isInterim, !DelegateOverride.isHidden { session?.delegateQueue.addOperation { self.lendBack() } }
    forward { $0.urlProtocol(loading, didReceive: response, cacheStoragePolicy: policy) }
    if isInterim { watchRedirectsAgain() }
    guard interceptor == nil, !isEnded else { return }
    // On a connection that is there already the answer may come before anyone listens; its body follows at once.
    let comesInPieces = !isFromCache && recorder.listens && CallbackInterceptor.hearsPieces(of: task, in: session)
    if isAdopted || comesInPieces { listen() }
  }

  func loaded(_ data: Data, from loading: URLProtocol) {
    guard takeover == nil, !isEnded else { return }
    // The delegate has had the pieces one by one. Where the next transfer of a redirect began while our row stood in the
    // registry, the built-in class has gathered them as well.
    // A redirect that the program refuses is the one answer that comes this way alone.
    let status = (TaskInternals.response(of: task) as? HTTPURLResponse)?.statusCode ?? 0
    if interceptor?.seesBody == true, !isFromCache, !(300..<400).contains(status) { return }
    tellHead(before: loading)
    recorder.piece(data, soon: true)
    forward(andListen: interceptor?.seesBody == true) { $0.urlProtocol(loading, didLoad: data) }
  }

  func usesCache(_ response: CachedURLResponse, from loading: URLProtocol) {
    isFromCache = true
    recorder.answeredFromCache()
    forward { $0.urlProtocol(loading, cachedResponseIsValid: response) }
  }

  func finished(_ loading: URLProtocol) {
    guard !isEnded else { return }
    if let takeover {
      release()
      BodyInterceptor.shared.forget(task)
      isEnded = true
      inner = nil
      host?.takeOver(takeover.request, takeover.outcome)
      return
    }
    tellHead(before: loading)
    if ChallengeSuppression.leadsToOne(TaskInternals.response(of: task)) { return challenged(loading) }
    end(.responded, nil, file: DownloadedFile.location(of: loading, task: task))
    outer.urlProtocolDidFinishLoading(loading)
    inner = nil
  }

  func failed(_ error: any Error, from loading: URLProtocol?) {
    guard !isEnded else { return }
    if let loading {
      tellHead(of: loading, cutBy: error)
      countBody(of: loading)
    } else {
      TaskInternals.setError(error, of: task)
    }
    end(task.state == .canceling ? .cancelled : .failed, error)
    if let loading = loading ?? host?.loading { outer.urlProtocol(loading, didFailWithError: error) }
    inner = nil
  }

  /// Calls the framework's client with the task's callbacks as the program made them.
  func forward(andListen listens: Bool = true, _ call: (any URLProtocolClient) -> Void) {
    interceptor?.remove()
    call(outer)
    if listens, !isEnded { interceptor?.install() }
  }

  // MARK: Heads that nobody listened for

  // An answer that comes quickly is told of when it has ended, which costs the request nothing on its way.

  /// The head of an answer that has come as a whole, unless it was told when it came.
  private func tellHead(before end: URLProtocol) {
    let response = TaskInternals.response(of: task)
    recorder.head(response, soon: true, age: { CurlTransfer(of: end)?.sinceFirstByte ?? 0 })
  }

  /// The head of an answer of which the rest is still to come, or will not come.
  private func tellHeadSoFar(of loading: URLProtocol) {
    guard recorder.listens, !recorder.hasHead, let transfer = CurlTransfer(of: loading),
      let firstByte = transfer.firstByte, let response = TransferResponse.response(of: loading),
      !RedirectRule.follows(response.statusCode)
    else { return }
    recorder.head(response, age: { self.recorder.elapsed - self.transferBegan - firstByte })
  }

  /// The head of an answer that has broken off.
  private func tellHead(of loading: URLProtocol, cutBy error: any Error) {
    guard recorder.listens, !recorder.hasHead, takeover == nil, let transfer = CurlTransfer(of: loading),
      let head = transfer.head(isCut: (error as? URLError)?.code == .unknown), !RedirectRule.follows(head.status)
    else { return }
    recorder.head(head.status, .list(head.headers), soon: true, age: transfer.sinceFirstByte ?? 0)
  }

  /// What came of a body that breaks off before the program is given any of it: nobody keeps it, so it is only counted.
  private func countBody(of loading: URLProtocol) {
    guard recorder.listens, recorder.hasHead, takeover == nil, interceptor?.seesBody != true,
      let received = CurlTransfer(of: loading)?.received, received > 0
    else { return }
    recorder.counted(received)
  }

  // MARK: Challenges

  /// The framework asks for a credential now. With one it puts an object of its own in the place of the hook's, which
  /// begins anew; without, the task ends as it is.
  private func challenged(_ loading: URLProtocol) {
    release()
    interceptor = nil
    inner = nil
    credential.withLock { $0 = .asked(adopted: false) }
    challenge = task.response
    sent = host?.current ?? sent
    outer.urlProtocolDidFinishLoading(loading)
  }

  /// The framework suspends the task, puts its own object in the hook's place at once, and resumes it: found here, that
  /// object has not begun yet. A program that suspends its task while it is asked looks the same; then its release tells.
  private func findAdopted(tries: Int = 200) {
    guard isChallenged, !isEnded else { return }
    if let next = TaskInternals.loading(of: task), BuiltInClass.isBuiltIn(type(of: next)) {
      return goOnAfterChallenge()
    }
    guard tries > 0, let queue = TaskInternals.workQueue(of: task) else { return }
    queue.async { self.findAdopted(tries: tries - 1) }
  }

  /// The framework has let go of the hook's object, or of the one that it had put in its place. Any thread.
  ///
  /// - Returns: Whether that was to be expected.
  @discardableResult
  func wasReleased(adopted: Bool) -> Bool {
    let state = credential.withLock { $0 }
    switch state {
    case .none: return false
    case .adopted: return !adopted
    case .asked(adopted: true) where !adopted: return true
    case .asked(let wasAdopted):
      guard wasAdopted == adopted, let queue = TaskInternals.workQueue(of: task) else { return false }
      queue.async { self.goOnAfterChallenge() }
      return true
    }
  }

  private func goOnAfterChallenge() {
    guard isChallenged, !isEnded else { return }
    let next = TaskInternals.loading(of: task)
    // One that went before has been let go of late; this one is still to go.
    if next?.client is NativeClient { return }
    let answer = TaskInternals.response(of: task)
    let isNext = answer !== challenge
    guard let next, BuiltInClass.isBuiltIn(type(of: next)), let client = next.client else {
      let outcome: Exchange.Outcome = task.error == nil ? .responded : task.state == .canceling ? .cancelled : .failed
      // The next answer has come and gone before the one that asked was let go of.
      if isNext, outcome == .responded {
        tellNext()
        recorder.head(answer)
        // Nobody listened to its body. Foundation on Linux counts none of it either, so that its length is what was said.
        recorder.counted(max(task.countOfBytesReceived, answer?.expectedContentLength ?? 0))
      }
      credential.withLock { $0 = .none }
      return end(outcome, task.error)
    }
    credential.withLock { $0 = .adopted }
    outer = client
    inner = next
    next.client = NativeClient(self, adopted: true)
    tellNext()
    guard let answer, isNext else { return watchRedirects() }
    // On a busy machine the next answer's head has come already, and with it the program's callback.
    recorder.head(answer)
    guard ChallengeSuppression.leadsToOne(answer) else { return listen() }
    // Refused once more. If all of that answer came before, the framework asks again by now, past the listeners: it must
    // find the program's own callbacks, and lets go of this object when it goes on.
    credential.withLock { $0 = .asked(adopted: true) }
    challenge = answer
  }

  /// Forgets what was told of the answer that asked, and tells what is sent now.
  private func tellNext() {
    recorder.restart()
    if var sent, let request = TaskInternals.requestWithCredential(of: task) {
      sent.request = request
      recorder.sentAgain(sent)
    }
  }

  /// The body stream that the program's delegate gives, noted while it is read. Any thread.
  func noting(_ stream: InputStream) -> InputStream {
    guard let capture = recorder.newStream() else { return stream }
    return CapturingStream(stream, capture)
  }

  // MARK: Redirects

  private func watchRedirects() {
    guard delegateOverride == nil else { return }
    let delegate = task.delegate
    // A main queue that is busy would hold up a redirect that nobody needs to be asked about; but a completion handler
    // is called on it in any case.
    let isMain = session?.delegateQueue === OperationQueue.main
    if delegate == nil, isMain, TaskInternals.completesInline(task) { return }
    delegateOverride = DelegateOverride(RedirectWatcher(self, instead: delegate), for: task)
  }

  /// Any thread.
  func sawRedirect(_ response: HTTPURLResponse) {
    let url = response.url?.absoluteString ?? ""
    recorder.redirected(RedirectHop(status: response.statusCode, url: url, headers: response.headerFields))
  }

  /// Any thread.
  func turned(_ proposed: URLRequest, into agreed: URLRequest?) { recorder.turned(proposed, into: agreed) }

  /// After the callbacks that are on their way.
  private func watchRedirectsAgain() {
    guard let session, let queue = TaskInternals.workQueue(of: task) else { return }
    session.delegateQueue.addOperation {
      queue.async { if !self.isEnded, !self.recorder.hasHead, self.delegateOverride == nil { self.watchRedirects() } }
    }
  }

  /// Gives the task its own delegate for the time of a callback: at once where the program would see it. On the session's
  /// delegate queue.
  func lendBack() {
    guard let queue = TaskInternals.workQueue(of: task) else { return }
    if DelegateOverride.isHidden { queue.async { self.restoreDelegate() } } else { queue.sync { restoreDelegate() } }
  }

  /// Goes on to where the program agreed to go, unless a stub takes that request. Any thread.
  func redirect(to request: URLRequest?, _ next: @escaping @Sendable (URLRequest?) -> Void) {
    guard let queue = TaskInternals.workQueue(of: task) else { return next(request) }
    queue.async {
      // To answer a task that was cancelled meanwhile ends the process.
      guard !self.isEnded, TaskInternals.state(of: self.task) != .canceling else { return }
      let foreseen = self.foreseen
      self.foreseen = nil
      if let request, let outcome = foreseen ?? self.host?.stubs(forRedirect: request) {
        self.takeover = Takeover(request: request, outcome: outcome)
        return next(nil)
      }
      self.beginAnew()
      if request != nil, self.delegateOverride == nil { self.watchRedirects() }
      next(request)
      queue.async { if !self.isEnded { self.interceptor?.install() } }
    }
  }

  /// The transfer of a redirect's target begins, for which the task's callbacks are the program's own.
  private func beginAnew() {
    interceptor?.remove()
    transferBegan = recorder.elapsed
  }

  /// Foundation is about to ask the delegate of a task that has none. Told of nobody it follows a redirect at once, on
  /// the work queue; somebody is asked on the session's delegate queue, behind what runs there, which may wait for just
  /// this task. So only where a stub takes the request that follows. On the task's work queue.
  func mustBeAsked() -> Bool {
    guard let inner, let queue = TaskInternals.workQueue(of: task), let host,
      let (hasEnded, response) = TransferResponse.completed(of: inner)
    else { return true }
    guard hasEnded, let response, let request = task.currentRequest,
      let location = response.value(forHTTPHeaderField: "Location"),
      let next = RedirectRequest.next(response.statusCode, to: location, from: request)
    else { return false }
    // What stands without a slash before it Foundation takes for another path than RFC 3986 does: then it says itself where
    // it goes.
    guard location.hasPrefix("/") || URL(string: location)?.host != nil else { return true }
    foreseen = host.stubs(forRedirect: session.map { Cookies.added(to: next, by: $0.configuration) } ?? next)
    guard foreseen == nil else { return true }
    sawRedirect(response)
    beginAnew()
    queue.async { if !self.isEnded { self.interceptor?.install() } }
    return false
  }

  // MARK: The end

  private func end(_ outcome: Exchange.Outcome, _ error: (any Error)?, file: URL? = nil) {
    release()
    isEnded = true
    let recorder = recorder
    let report: @Sendable () -> Void = { recorder.end(outcome, error: error) }
    if let file, recorder.listens {
      DownloadedFile.report(file, to: recorder, then: report)
    } else if let interceptor, interceptor.seesBody, let session, outcome != .cancelled {
      // After the pieces that are still on their way to the delegate.
      let task = task
      session.delegateQueue.addOperation {
        report()
        BodyInterceptor.shared.forget(task)
      }
    } else {
      report()
      BodyInterceptor.shared.forget(task)
    }
    host?.ended()
  }

  /// Puts everything back as the program made it.
  private func release() {
    interceptor?.remove()
    restoreDelegate()
  }

  /// No redirect follows the head of an answer: from there on the program's callbacks find the task's delegate as it was.
  private func restoreDelegate() {
    delegateOverride?.remove()
    delegateOverride = nil
  }
}

/// What the built-in class reports to: passes everything on to the loader, on the task's work queue. The loader's guard
/// is its guard.
private final class NativeClient: NSObject, URLProtocolClient, @unchecked Sendable {
  private let loader: NativeLoader
  private let isAdopted: Bool

  /// - Parameter adopted: It stands between the framework and an object of the framework's own.
  init(_ loader: NativeLoader, adopted: Bool = false) {
    self.loader = loader
    isAdopted = adopted
  }

  deinit {
    if isAdopted { loader.wasReleased(adopted: true) }
  }

  func urlProtocol(_ loading: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy: URLCache.StoragePolicy)
  {
    loader.received(response, policy: cacheStoragePolicy, from: loading)
  }

  func urlProtocol(_ loading: URLProtocol, didLoad data: Data) {
    loader.loaded(data, from: loading)
  }

  func urlProtocolDidFinishLoading(_ loading: URLProtocol) {
    loader.finished(loading)
  }

  func urlProtocol(_ loading: URLProtocol, didFailWithError error: any Error) {
    loader.failed(error, from: loading)
  }

  func urlProtocol(_ loading: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
    loader.usesCache(cachedResponse, from: loading)
  }

  func urlProtocol(_ loading: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
    loader.forward { $0.urlProtocol(loading, didReceive: challenge) }
  }

  func urlProtocol(_ loading: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
    loader.forward { $0.urlProtocol(loading, didCancel: challenge) }
  }

  func urlProtocol(_ loading: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
    #if !canImport(FoundationNetworking)
      loader.forward { $0.urlProtocol(loading, wasRedirectedTo: request, redirectResponse: redirectResponse) }
    #endif
  }
}
