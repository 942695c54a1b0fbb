import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestRun {
  /// Answers with what a stub (or a person) says.
  func respond(_ canned: CannedResponse, by: Exchange.Answerer) {
    guard let url = current.request.url else { return fail(with: FaultError.urlError(.badURL, url: nil)) }
    let response = ResolvedResponse(canned, url: url, method: current.method)
    guard let delay = canned.delay?.drawn, delay > 0 else { return answer(response) }
    recorder.flush()
    wait(delay) { self.answer(response) }
  }

  /// Lets the harness's own code answer, away from the queue that all sessions share.
  func respond(by code: @escaping @Sendable (URLRequest) throws -> CannedResponse, _ match: RuleMatch) {
    recorder.answered(by: match.by, stub: match.name)
    guard let queue else { return sendWithout(match) }
    var request = current.request
    if request.httpBody == nil, let body = current.body.bytes(limit: .max)?.data { request.httpBody = body }
    step += 1
    let due = step
    stage = .waiting {}
    DispatchQueue.global(qos: .userInitiated).async { [request] in
      let result = Result { try code(request) }
      queue.async { [self] in
        guard !isEnded, step == due || task.state != .canceling else { return }
        let proceed = { [self] in
          switch result {
          case .success(let canned): respond(canned, by: match.by)
          case .failure(let error): fail(with: error)
          }
        }
        if task.state == .suspended { stage = .waiting(then: proceed) } else { proceed() }
      }
    }
  }

  private func sendWithout(_ match: RuleMatch) {
    decide(from: match.next)
  }

  /// Makes the request fail as a stub says.
  func fail(_ fault: Fault) {
    let error = FaultError.error(fault.error, url: current.request.url)
    let act: () -> Void = { [self] in
      guard let partial = fault.after, let url = current.request.url else { return fail(with: error) }
      var response = ResolvedResponse(partial.response, url: url, method: current.method)
      if let bytes = partial.bytes { response.body = response.body.prefix(max(0, bytes)) }
      deliver(response, failing: error)
    }
    let delay = (fault.delay?.drawn ?? 0) + (fault.after?.response.delay?.drawn ?? 0)
    guard delay > 0 else { return act() }
    recorder.flush()
    wait(delay, then: act)
  }

  /// Holds the response if that is wanted, follows it if it is a redirect, and delivers it.
  func answer(_ response: ResolvedResponse) {
    if holdsResponse {
      holdsResponse = false
      return hold(response) { self.answer($0) }
    }
    ResponseCookies.store(response.headers, for: response.url, by: session?.configuration)
    if let next = RedirectRequest.next(after: response, from: current.request) { return follow(response, to: next) }
    deliver(response)
  }

  // MARK: Redirects

  private func follow(_ response: ResolvedResponse, to next: URLRequest) {
    recorder.redirected(
      RedirectHop(status: response.status, url: response.url.absoluteString, headers: response.headers))
    guard hops < RedirectRequest.limit else {
      return fail(with: FaultError.urlError(.httpTooManyRedirects, url: current.request.url))
    }
    guard let session, let queue, let delegate = task.delegate, let head = response.urlResponse() else {
      return goOn(to: session.map { RequestCookies.added(to: next, by: $0.configuration) } ?? next)
    }
    step += 1
    let due = step
    stage = .waiting {}
    let task = task
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task, willPerformHTTPRedirection: head, newRequest: next) { agreed in
        queue.async { [self] in
          guard step == due, !isEnded else { return }
          if let agreed { goOn(to: agreed) } else { deliver(response) }
        }
      }
    }
  }

  private func goOn(to request: URLRequest) {
    hops += 1
    current = RequestSnapshot(request: request, sessionHeaders: current.sessionHeaders)
    isForeign = true
    TaskInternals.setCurrentRequest(request, of: task)
    decide(from: 0)
  }

  // MARK: The end

  func deliver(_ response: ResolvedResponse, failing error: (any Error)? = nil) {
    stage = .answering
    Delivery(self, response, failing: error).start()
  }

  /// The good end, after everything has been handed over.
  ///
  /// - Parameter file: A download of which nothing has been told yet.
  func finish(_ head: HTTPURLResponse, file: URL? = nil) {
    guard let loading, !isEnded else { return }
    stage = .ended
    if let file, recorder.listens {
      DownloadedFile.report(file, to: recorder) { [recorder] in recorder.end(.responded) }
    } else {
      recorder.end(.responded)
    }
    if ChallengeBypass.isNeeded(for: head) {
      ChallengeBypass.finish(task, in: session, response: head) { client.urlProtocolDidFinishLoading(loading) }
    } else {
      client.urlProtocolDidFinishLoading(loading)
    }
  }

  func fail(with error: any Error) {
    guard !isEnded, let loading else { return }
    stage = .ended
    recorder.end(.failed, error: error)
    TaskInternals.setError(error, of: task)
    client.urlProtocol(loading, didFailWithError: error)
  }
}
