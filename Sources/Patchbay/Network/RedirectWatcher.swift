import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Takes the place of a task's delegate while the built-in class loads, to hear of redirects. Everything else goes to
/// the delegate that was there. Called on the session's delegate queue.
///
/// The program finds its own delegate in the task; see ``DelegateOverride``. Where it would find this object, its own is
/// lent back for the time of a callback.
final class RedirectWatcher: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
  // `loader` is only called for what it says may come from any thread; the delegate is the program's to guard.
  private let loader: NativeLoader
  private let delegate: (any URLSessionTaskDelegate)?

  init(_ loader: NativeLoader, instead delegate: (any URLSessionTaskDelegate)?) {
    self.loader = loader
    self.delegate = delegate
  }

  /// Whether Foundation is to find this when it asks the task whom to call. On the task's work queue.
  var isWanted: Bool { delegate != nil || loader.mustBeAsked() }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    loader.sawRedirect(response)
    guard let delegate else {
      let next = Cookies.added(to: request, by: session.configuration)
      return loader.redirect(to: next, completionHandler)
    }
    loader.lendBack()
    delegate.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request) {
      self.loader.turned(request, into: $0)
      self.loader.redirect(to: $0, completionHandler)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let delegate else { return completionHandler(.performDefaultHandling, nil) }
    delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard let delegate else { return completionHandler(nil) }
    delegate.urlSession(session, task: task) { [loader] in completionHandler($0.map(loader.noting)) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    delegate?.urlSession(
      session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
      totalBytesExpectedToSend: totalBytesExpectedToSend)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    delegate?.urlSession(session, task: task, didCompleteWithError: error)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    delegate?.urlSession(session, task: task, didFinishCollecting: metrics)
  }
}
