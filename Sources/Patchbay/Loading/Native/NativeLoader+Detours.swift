import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What comes between a request and its answer: challenges, streams that are asked for, redirects.
extension NativeLoader {
  // MARK: Challenges

  /// The framework asks for a credential now. With one it puts an object of its own in the place of the hook's, which
  /// begins anew; without, the task ends as it is.
  func challenged(_ loading: URLProtocol) {
    release()
    tap = nil
    inner = nil
    isChallenged = true
    challenge = task.response
    sent = host?.current ?? sent
    outer.urlProtocolDidFinishLoading(loading)
  }

  /// The framework has let go of the hook's object, or of the one that it had put in its place. Any thread.
  ///
  /// - Returns: Whether that was to be expected.
  @discardableResult
  func wasReleased(adopted: Bool) -> Bool {
    guard isChallenged, adopted == isAdopted, let queue = TaskInternals.workQueue(of: task) else { return false }
    queue.async { self.goOnAfterChallenge() }
    return true
  }

  private func goOnAfterChallenge() {
    guard isChallenged, !isEnded else { return }
    let next = TaskInternals.loading(of: task)
    // One that went before has been let go of late; this one is still to go.
    if next?.client is NativeClient { return }
    isChallenged = false
    guard let next, BuiltInClass.isBuiltIn(type(of: next)), let client = next.client else {
      let outcome: Exchange.Outcome = task.error == nil ? .responded : task.state == .canceling ? .cancelled : .failed
      return end(outcome, task.error)
    }
    isAdopted = true
    outer = client
    inner = next
    next.client = NativeClient(self, adopted: true)
    recorder.restart()
    if var sent, let request = TaskInternals.requestWithCredential(of: task) {
      sent.request = request
      recorder.sentAgain(sent)
    }
    guard let response = task.response, response !== challenge else { return watchRedirects() }
    // On a busy machine the next answer's head has come already, and with it the program's callback.
    recorder.head(response)
    guard ChallengeBypass.leadsToOne(response) else { return listen() }
    // Refused once more. If all of that answer came before, the framework asks again by now, past the listeners: it must
    // find the program's own callbacks, and lets go of this object when it goes on.
    isChallenged = true
    challenge = response
  }

  /// The body stream that the program's delegate gives, noted while it is read. Any thread.
  func noting(_ stream: InputStream) -> InputStream {
    guard let tee = recorder.newStream() else { return stream }
    return NotingStream(stream, tee)
  }

  // MARK: Redirects

  func watchRedirects() {
    guard standIn == nil else { return }
    let delegate = task.delegate
    // A main queue that is busy would hold up a redirect that nobody needs to be asked about; but a completion handler
    // is called on it in any case.
    let isMain = session?.delegateQueue === OperationQueue.main
    if delegate == nil, isMain, TaskInternals.completesInline(task) { return }
    standIn = DelegateStandIn(RedirectWatcher(self, instead: delegate), for: task)
  }

  /// Any thread.
  func sawRedirect(_ response: HTTPURLResponse) {
    let url = response.url?.absoluteString ?? ""
    recorder.redirected(RedirectHop(status: response.statusCode, url: url, headers: response.headerFields))
  }

  /// After the callbacks that are on their way.
  func watchRedirectsAgain() {
    guard let session, let queue = TaskInternals.workQueue(of: task) else { return }
    session.delegateQueue.addOperation {
      queue.async { if !self.isEnded, !self.recorder.hasHead, self.standIn == nil { self.watchRedirects() } }
    }
  }

  /// Gives the task its own delegate for the time of a callback: at once where the program would see it. On the session's
  /// delegate queue.
  func lendBack() {
    guard let queue = TaskInternals.workQueue(of: task) else { return }
    if DelegateStandIn.isHidden { queue.async { self.restoreDelegate() } } else { queue.sync { restoreDelegate() } }
  }

  /// Goes on to where the program agreed to go, unless a stub takes that request. Any thread.
  func redirect(to request: URLRequest?, _ next: @escaping @Sendable (URLRequest?) -> Void) {
    guard let queue = TaskInternals.workQueue(of: task) else { return next(request) }
    if let request, let match = host?.match(redirect: request) {
      queue.async { self.takeover = Takeover(request: request, match: match) }
      return next(nil)
    }
    queue.async {
      self.tap?.remove()
      self.transferBegan = self.recorder.elapsed
      if request != nil, !self.isEnded, self.standIn == nil { self.watchRedirects() }
    }
    next(request)
    queue.async { if !self.isEnded { self.tap?.install() } }
  }
}
