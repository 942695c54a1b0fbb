import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the program's delegates are told and asked before there is an answer.
extension DetachedLoader {
  func askForStream(_ answer: @escaping @Sendable (InputStream?) -> Void) {
    guard let session = run.session, let delegate = run.task.delegate else { return answer(nil) }
    let task = run.task
    let recorder = run.recorder
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task) { stream in
        answer(stream.map { stream in recorder.newStream().map { NotingStream(stream, $0) } ?? stream })
      }
    }
  }

  func sent(_ count: Int64, _ total: Int64, _ expected: Int64) {
    guard let session = run.session, let delegate = run.listener else { return }
    let task = run.task
    session.delegateQueue.addOperation {
      delegate.urlSession(
        session, task: task, didSendBodyData: count, totalBytesSent: total, totalBytesExpectedToSend: expected)
    }
  }

  func redirected(
    _ response: HTTPURLResponse, to next: URLRequest, _ answer: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let response = onTheWay(response)
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
          guard let agreed else {
            self.isRefused = true
            return answer(nil)
          }
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

  /// The answer that asks for a credential, which delegates hear before they are asked.
  private func tellUnauthorized() {
    guard hearing == .nothing, let head, let loading = run.loading else { return }
    guard run.task is URLSessionDataTask else { return tellWritten() }
    guard hears != .nothing, let response = changed(head), let told = response.urlResponse() else { return }
    run.client.urlProtocol(loading, didReceive: told, cacheStoragePolicy: .notAllowed)
    if hears == .piecesBeside {
      run.tellDelegate(response.body)
    } else if !response.body.isEmpty {
      run.client.urlProtocol(loading, didLoad: response.body)
    }
  }

  func challenged(_ challenge: URLAuthenticationChallenge, _ answer: @escaping TransferEvent.ChallengeAnswer) {
    guard let session = run.session, let delegate = session.delegate as? URLSessionTaskDelegate, let queue = run.queue
    else { return answer(.performDefaultHandling, nil) }
    tellUnauthorized()
    let task = run.task
    session.delegateQueue.addOperation {
      delegate.urlSession(session, task: task, didReceive: challenge) { disposition, credential in
        // To answer a task that was cancelled meanwhile ends the process; so does to answer on its queue.
        if queue.sync(execute: { !self.isCancelled }) { answer(disposition, credential) }
      }
    }
  }
}
