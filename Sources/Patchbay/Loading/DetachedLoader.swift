import Dispatch
import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends a request that is not the task's own any more, or whose answer is to be changed, in a session of the hook's
/// that is configured like the program's. Used on the task's work queue only; the session itself calls back on the
/// hook's queue.
final class DetachedLoader: @unchecked Sendable {
  private let run: RequestRun
  private let changes: PassChanges
  private let request: RequestSnapshot
  private var transfer: DetachedTransfer?
  private var body = Data()
  private var head: HTTPURLResponse?
  private var isSuspended = false
  private var isCancelled = false
  /// Pieces are handed on as they come: only the head is to be changed, and the task's callbacks take pieces.
  private let streams: Bool

  init(_ run: RequestRun, changes: PassChanges) {
    self.run = run
    self.changes = changes
    var request = run.current
    if case .stream(let tee?) = request.body, let stream = request.request.httpBodyStream {
      request.request.httpBodyStream = NotingStream(stream, tee)
    }
    self.request = request
    streams = !changes.needsWholeBody && changes.pace == nil && !run.holdsResponse && run.takesPieces
  }

  func start() {
    guard let queue = run.queue else { return }
    let configuration = run.session?.configuration ?? .ephemeral
    HookQueue.shared.async { [self] in
      let transfer = DetachedTransfer(
        request, configuration: configuration,
        // Weak, so that a session that does not come to its end holds nothing of the program's.
        report: { [weak self] event in
          let loader = self
          queue.async { loader?.received(event) }
        })
      queue.async { [self] in
        guard !isCancelled else { return transfer.cancel() }
        self.transfer = transfer
        if !isSuspended { transfer.resume() }
      }
    }
  }

  func resume() {
    isSuspended = false
    transfer?.resume()
  }

  func suspend() {
    isSuspended = true
    transfer?.suspend()
  }

  func cancel() {
    isCancelled = true
    transfer?.cancel()
  }

  private func received(_ event: DetachedTransfer.Event) {
    guard !isCancelled, !run.isEnded else { return }
    switch event {
    case .redirect(let response, let next, let answer): redirected(response, to: next, answer)
    case .challenge(let challenge, let answer): challenged(challenge, answer)
    case .stream(let answer): askForStream(answer)
    case .sent(let count, let total, let expected): sent(count, total, expected)
    case .head(let response): begin(response)
    case .data(let data):
      run.recorder.piece(data)
      if streams, let loading = run.loading {
        run.client.urlProtocol(loading, didLoad: data)
      } else {
        body.append(data)
      }
    case .end(let response, let error): finish(response, error)
    }
  }

  private func begin(_ response: HTTPURLResponse) {
    guard !response.isInterim else { return }
    // Another answer may have come before, to which a credential was the reply.
    if head != nil {
      body = Data()
      run.recorder.restart()
    }
    head = response
    run.recorder.head(response)
    guard streams, let loading = run.loading, let head = changed(response)?.urlResponse() else { return }
    if head !== response { run.recorder.head(head) }
    TaskInternals.setExpectedBytes(head, of: run.task)
    run.client.urlProtocol(loading, didReceive: head, cacheStoragePolicy: .notAllowed)
  }

  private func changed(_ head: HTTPURLResponse) -> ResolvedResponse? {
    guard let url = head.url else { return nil }
    var notices: [String] = []
    let response = ResolvedResponse(head, url: url, body: body).changed(by: changes, notices: &notices)
    for notice in notices { run.snapshot.sink?.notice("\(url): \(notice)") }
    return response
  }

  private func finish(_ last: HTTPURLResponse?, _ error: (any Error)?) {
    // The head of a redirect that is not followed comes only with the end.
    if head == nil, error == nil, let last { begin(last) }
    guard let head, let loading = run.loading else {
      return run.fail(with: error ?? FaultError.urlError(.badServerResponse, url: request.request.url))
    }
    if streams {
      if let error { return run.fail(with: error) }
      run.stage = .ended
      run.recorder.end(.responded)
      return run.client.urlProtocolDidFinishLoading(loading)
    }
    guard let response = changed(head) else {
      return run.fail(with: FaultError.urlError(.badServerResponse, url: request.request.url))
    }
    if let error {
      // Who takes pieces has them when the body breaks off.
      return run.takesPieces ? run.deliver(response, failing: error) : run.fail(with: error)
    }
    guard run.holdsResponse else { return run.deliver(response) }
    run.holdsResponse = false
    run.hold(response) { self.run.deliver($0) }
  }

  private func askForStream(_ answer: @escaping @Sendable (InputStream?) -> Void) {
    guard let session = run.session, let delegate = run.task.delegate else { return answer(nil) }
    let task = run.task
    let recorder = run.recorder
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task) { stream in
        answer(stream.map { stream in recorder.newStream().map { NotingStream(stream, $0) } ?? stream })
      }
    }
  }

  private func sent(_ count: Int64, _ total: Int64, _ expected: Int64) {
    guard let session = run.session, let delegate = run.task.delegate else { return }
    run.hasToldWhatWasSent = true
    let task = run.task
    session.delegateQueue.addOperation {
      delegate.urlSession(
        session, task: task, didSendBodyData: count, totalBytesSent: total, totalBytesExpectedToSend: expected)
    }
  }

  private func redirected(
    _ response: HTTPURLResponse, to next: URLRequest, _ answer: @escaping @Sendable (URLRequest?) -> Void
  ) {
    run.recorder.redirected(
      RedirectHop(
        status: response.statusCode, url: response.url?.absoluteString ?? "", headers: response.headerFields))
    guard let session = run.session, let delegate = run.task.delegate, let queue = run.queue else {
      return redirect(to: run.session.map { RequestCookies.added(to: next, by: $0.configuration) } ?? next, answer)
    }
    let task = run.task
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: next) { agreed in
        queue.async {
          // To answer a task that was cancelled meanwhile ends the process.
          guard !self.isCancelled else { return }
          guard let agreed else { return answer(nil) }
          self.redirect(to: agreed, answer)
        }
      }
    }
  }

  private func redirect(to next: URLRequest, _ answer: @escaping @Sendable (URLRequest?) -> Void) {
    guard !isCancelled else { return }
    guard !run.isEnded else { return answer(nil) }
    if let match = run.match(redirect: next) {
      // Not by a cancel, which might overtake the answer; nothing more is heard of it.
      isCancelled = true
      answer(nil)
      return run.takeOver(next, match)
    }
    TaskInternals.setCurrentRequest(next, of: run.task)
    answer(next)
  }

  private func challenged(_ challenge: URLAuthenticationChallenge, _ answer: @escaping DetachedTransfer.ChallengeAnswer)
  {
    guard let session = run.session, let delegate = session.delegate as? URLSessionTaskDelegate else {
      return answer(.performDefaultHandling, nil)
    }
    let task = run.task
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: answer)
    }
  }
}
