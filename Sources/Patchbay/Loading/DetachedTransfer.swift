import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request in a session of the hook's own, which is gone when the request has ended. Its events come on a queue of
/// the session.
final class DetachedTransfer: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, @unchecked Sendable {
  // The task and the session are set before anything is called and not changed afterwards.
  typealias ChallengeAnswer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  enum Event: Sendable {
    case redirect(HTTPURLResponse, URLRequest, @Sendable (URLRequest?) -> Void)
    case challenge(URLAuthenticationChallenge, ChallengeAnswer)
    /// The body's stream is wanted: the program's delegate has it.
    case stream(@Sendable (InputStream?) -> Void)
    case sent(Int64, total: Int64, expected: Int64)
    case head(HTTPURLResponse)
    case data(Data)
    /// Bytes of a download.
    case written(Int64, total: Int64, expected: Int64)
    /// A download is there, and whoever hears this has to remove it.
    case file(URL)
    /// With the response as the task has it.
    case end(HTTPURLResponse?, (any Error)?)
  }

  private let report: @Sendable (Event) -> Void
  private var session: URLSession?
  private var task: URLSessionTask?

  /// How the body of the request goes out, and that of the answer comes in.
  enum Kind {
    case data
    case upload
    case download
  }

  /// Not to be called on the queue that all sessions share.
  init(
    _ snapshot: RequestSnapshot, as kind: Kind, configuration: URLSessionConfiguration,
    report: @escaping @Sendable (Event) -> Void
  ) {
    self.report = report
    super.init()
    // The request has its cookies, if it is to have any: the program's session has put them in, or the redirect.
    let session = NestedSession.make(like: configuration, delegate: self) { $0.httpShouldSetCookies = false }
    self.session = session
    var request = snapshot.request
    switch snapshot.body {
    case .none where kind == .download: task = session.downloadTask(with: request)
    case .none: task = session.dataTask(with: request)
    case .data(let data) where kind == .upload:
      request.httpBodyStream = nil
      task = session.uploadTask(with: request, from: data)
    case .data(let data):
      // Foundation gives a body that comes with its request a type, an upload none.
      request.httpBody = data
      task = kind == .download ? session.downloadTask(with: request) : session.dataTask(with: request)
    case .file(let url): task = session.uploadTask(with: request, fromFile: url)
    case .stream:
      let hasStream = request.httpBodyStream != nil
      task = hasStream ? session.dataTask(with: request) : session.uploadTask(withStreamedRequest: request)
    }
    session.finishTasksAndInvalidate()
  }

  /// The request as it went out after a challenge, if there was one.
  var requestWithCredential: URLRequest? { task.flatMap { TaskInternals.requestWithCredential(of: $0) } }

  func resume() { onOwnQueue { $0.resume() } }
  func suspend() { onOwnQueue { $0.suspend() } }
  func cancel() { onOwnQueue { $0.cancel() } }

  /// A task's methods wait for the queue that all sessions share, on which the caller may be.
  private func onOwnQueue(_ call: @escaping @Sendable (URLSessionTask) -> Void) {
    HookQueue.shared.async { [self] in
      if let task { call(task) }
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse { report(.head(response)) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    report(.data(data))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard let queue = TaskInternals.workQueue(of: task) else { return completionHandler(nil) }
    // The transfer begins inside the answer, and libcurl must not be called from anywhere else.
    report(
      .stream { stream in
        nonisolated(unsafe) let stream = stream  // Handed over.
        queue.async { completionHandler(stream) }
      })
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    report(.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend))
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    report(.written(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite))
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    report(.file(location))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    report(.end(task.response as? HTTPURLResponse, error))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    report(.redirect(response, request, completionHandler))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    report(.challenge(challenge, completionHandler))
  }
}
