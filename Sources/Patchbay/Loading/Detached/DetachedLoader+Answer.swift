import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The answer, changed on its way to the program.
extension DetachedLoader {
  func begin(_ response: HTTPURLResponse) {
    guard !response.isInterim else { return tell(response) }
    // Another answer may have come before, to which a credential was the reply.
    if let head {
      _ = onTheWay(head)
      body = Data()
      run.recorder.restart()
    }
    noteCredential()
    head = response
    guard hearing != .nothing || kind == .download else { return run.recorder.head(response) }
    tell(note(response))
  }

  private func note(_ response: HTTPURLResponse) -> HTTPURLResponse {
    head = response
    let told = changed(response)?.urlResponse() ?? response
    changedHead = told
    run.recorder.head(told)
    return told
  }

  /// The head, for those who hear of it before the end.
  private func tell(_ head: HTTPURLResponse) {
    guard hears != .nothing, let loading = run.loading else { return }
    run.client.urlProtocol(loading, didReceive: head, cacheStoragePolicy: .notAllowed)
    // Foundation gives the pieces to the session's delegate, also where the task has its own.
    guard hearing == .pieces, !head.isInterim, let session = run.session, let task = run.task as? URLSessionDataTask,
      let delegate = session.delegate as? any URLSessionDataDelegate
    else { return }
    outlet.open(to: PieceOutlet.Target(session: session, task: task, delegate: delegate, recorder: run.recorder))
  }

  private func noteCredential() {
    guard let sent = transfer?.requestWithCredential else { return }
    run.current.request = sent
    run.recorder.sentAgain(run.current)
  }

  func loaded(_ data: Data) {
    run.recorder.piece(data)
    // Foundation gives the body of a redirect to who takes pieces, and to nobody else.
    guard !isRefused || run.takesPieces else { return }
    switch hearing {
    case .nothing: body.append(data)
    case .piecesBeside:
      body.append(data)
      run.tellDelegate(data)
    case .pieces:
      if let loading = run.loading { run.client.urlProtocol(loading, didLoad: data) }
    }
  }

  func changed(_ head: HTTPURLResponse) -> ResolvedResponse? {
    guard let url = head.url else { return nil }
    var notices: [String] = []
    let response = ResolvedResponse(head, url: url, body: body).changed(by: changes, notices: &notices)
    if !run.holdsResponse { keepCookies(of: response) }
    for notice in notices { run.snapshot.sink?.notice("\(url): \(notice)") }
    return response
  }

  func finish(_ last: HTTPURLResponse?, _ error: (any Error)?) {
    if (error as? URLError)?.code == .cancelled { return cancelled(last) }
    // The head of a redirect that leads nowhere comes only with the end, and nobody is told of it.
    let leadsNowhere = head == nil && error == nil
    if leadsNowhere, let last { TaskInternals.setResponse(note(last), of: run.task) }
    guard let head, let loading = run.loading else {
      return run.fail(with: outward(error) ?? FaultError.urlError(.badServerResponse, url: request.request.url))
    }
    let error = outward(error)
    if hearing != .nothing || leadsNowhere && run.task is URLSessionDataTask && !run.holdsResponse {
      if let error { return run.fail(with: error) }
      if hearing == .piecesBeside, !body.isEmpty { run.client.urlProtocol(loading, didLoad: body) }
      return run.finish(changedHead ?? head)
    }
    if kind == .download, error == nil { return handOver(changedHead ?? head, loading) }
    guard var response = changed(head) else {
      return run.fail(with: FaultError.urlError(.badServerResponse, url: request.request.url))
    }
    if response.body.count == body.count { response.expected = run.task.countOfBytesExpectedToReceive }
    if let error {
      if run.holdsResponse { keepCookies(of: response) }
      // Who takes pieces has them when the body breaks off.
      if hears != .nothing { return run.deliver(response, failing: error) }
      tellWritten()
      return run.fail(with: error)
    }
    guard run.holdsResponse else { return run.deliver(response) }
    run.holdsResponse = false
    run.hold(response) {
      self.keepCookies(of: $0)
      self.run.deliver($0)
    }
  }

  /// What has come of a download of which there will be no file.
  func tellWritten() {
    guard !body.isEmpty else { return }
    run.tellDelegate(wrote: body.count, inAll: body.count, of: run.task.countOfBytesExpectedToReceive)
  }

  /// The program has cancelled a challenge, which for Foundation is to cancel the task.
  private func cancelled(_ last: HTTPURLResponse?) {
    if let last { TaskInternals.setResponse(note(last), of: run.task) }
    let task = run.task
    HookQueue.shared.async { task.cancel() }
  }

  private func handOver(_ head: HTTPURLResponse, _ loading: URLProtocol) {
    guard let file, ProtocolProperties.set("temporaryFileURL", to: file, of: loading) else {
      removeFile()
      return run.fail(with: FaultError.urlError(.cannotCreateFile, url: head.url))
    }
    run.client.urlProtocol(loading, didReceive: head, cacheStoragePolicy: .notAllowed)
    run.finish(head, file: file)
  }

  /// Foundation names the URL that the task began with, wherever redirects have led, unless the URL itself is wrong.
  private func outward(_ error: (any Error)?) -> (any Error)? {
    guard let error = error as? URLError, error.code != .badURL, error.code != .unsupportedURL,
      let first = run.task.originalRequest?.url,
      let own = request.request.url, own != first, error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == own
    else { return error }
    return FaultError.renamed(error, url: first)
  }
}
