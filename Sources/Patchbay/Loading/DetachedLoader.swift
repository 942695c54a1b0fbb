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
  /// The head as the program gets it, where that is before the body.
  private var changedHead: HTTPURLResponse?
  private var isSuspended = false
  private var isCancelled = false
  /// Pieces are handed on as they come: only the head is to be changed, and the task's callbacks take pieces.
  private let streams: Bool
  /// How it is sent: a download's body is written as it comes, for the same reason.
  private let kind: DetachedTransfer.Kind
  private var file: URL?

  init(_ run: RequestRun, changes: PassChanges) {
    self.run = run
    self.changes = changes
    var request = run.current
    if case .stream(let tee?) = request.body, let stream = request.request.httpBodyStream {
      request.request.httpBodyStream = NotingStream(stream, tee)
    }
    self.request = request
    let isAsSent = !changes.needsWholeBody && changes.pace == nil && !run.holdsResponse
    streams = isAsSent && run.takesPieces
    switch run.task {
    case is URLSessionUploadTask: kind = .upload
    case is URLSessionDownloadTask where isAsSent && request.hasNoStream: kind = .download
    default: kind = .data
    }
  }

  func start() {
    guard let queue = run.queue else { return }
    let configuration = run.session?.configuration ?? .ephemeral
    HookQueue.shared.async { [self] in
      let transfer = DetachedTransfer(
        request, as: kind, configuration: configuration,
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
    removeFile()
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
    case .written(let count, let total, let expected):
      TaskInternals.setExpectedBytes(expected, of: run.task)
      run.tellDelegate(wrote: Int(count), inAll: Int(total), of: expected)
    case .file(let location): file = location
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
    noteCredential()
    head = response
    guard streams || kind == .download else { return run.recorder.head(response) }
    let told = changed(response)?.urlResponse() ?? response
    changedHead = told
    run.recorder.head(told)
    TaskInternals.setExpectedBytes(told, of: run.task)
    guard streams, let loading = run.loading else { return }
    run.client.urlProtocol(loading, didReceive: told, cacheStoragePolicy: .notAllowed)
  }

  private func noteCredential() {
    guard let sent = transfer?.requestWithCredential else { return }
    run.current.request = sent
    run.recorder.sentAgain(run.current)
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
      return run.fail(with: outward(error) ?? FaultError.urlError(.badServerResponse, url: request.request.url))
    }
    let error = outward(error)
    if streams {
      if let error { return run.fail(with: error) }
      return run.finish(changedHead ?? head)
    }
    if kind == .download, error == nil { return handOver(changedHead ?? head, loading) }
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

  private func handOver(_ head: HTTPURLResponse, _ loading: URLProtocol) {
    guard let file, ProtocolProperties.set("temporaryFileURL", to: file, of: loading) else {
      removeFile()
      return run.fail(with: FaultError.urlError(.cannotCreateFile, url: head.url))
    }
    run.client.urlProtocol(loading, didReceive: head, cacheStoragePolicy: .notAllowed)
    run.finish(head, file: file)
  }

  private func removeFile() {
    guard let file else { return }
    self.file = nil
    HookQueue.shared.async { try? FileManager.default.removeItem(at: file) }
  }

  /// Foundation names the URL that the task began with, wherever redirects have led, unless the URL itself is wrong.
  private func outward(_ error: (any Error)?) -> (any Error)? {
    guard let error = error as? URLError, error.code != .badURL, error.code != .unsupportedURL,
      let first = run.task.originalRequest?.url,
      let own = request.request.url, own != first, error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == own
    else { return error }
    return FaultError.renamed(error, url: first)
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
    TaskInternals.setSentBytes(total, of: expected, task: run.task)
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
