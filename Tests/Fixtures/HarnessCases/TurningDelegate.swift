import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tells each callback by name, and answers as it is told.
final class TurningDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
  struct Answers: Sendable {
    var disposition = URLSession.ResponseDisposition.allow
    /// Answers from another queue, after a while.
    var isLate = false
    /// Leaves the response without an answer.
    var isSilent = false
    /// Cancels the task in that callback, when it comes first.
    var cancelsIn = ""
    /// Invalidates the session there.
    var invalidatesIn = ""
  }

  private let context: HarnessContext
  private let answers: Answers
  private let ended = Mutex(0)
  private let cancelled = Mutex(false)

  init(_ context: HarnessContext, _ answers: Answers = Answers()) {
    self.context = context
    self.answers = answers
  }

  func ends(_ count: Int = 1) async {
    while ended.withLock({ $0 }) < count { try? await Task.sleep(for: .milliseconds(2)) }
  }

  /// - Returns: Whether the task goes on; to answer for one that was cancelled ends the process.
  @discardableResult
  private func passed(_ name: String, _ task: URLSessionTask, _ session: URLSession) -> Bool {
    if answers.invalidatesIn == name {
      session.invalidateAndCancel()
      return false
    }
    guard answers.cancelsIn == name else { return true }
    let isFirst = cancelled.withLock { cancelled in
      defer { cancelled = true }
      return !cancelled
    }
    if isFirst { task.cancel() }
    return !isFirst
  }

  private func answer(_ answer: @escaping @Sendable () -> Void) {
    if answers.isLate {
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.05, execute: answer)
    } else {
      answer()
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    context.note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    passed("response", dataTask, session)
    let disposition = answers.disposition
    if !answers.isSilent { answer { completionHandler(disposition) } }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    context.transcript.bytes("data", data)
    passed("data", dataTask, session)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    context.note("redirect \(request.url?.path ?? "nil")")
    if passed("redirect", task, session) { answer { completionHandler(request) } }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    context.note("challenge \(challenge.previousFailureCount)")
    passed("challenge", task, session)
    answer { completionHandler(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none)) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    context.note("stream")
    guard passed("stream", task, session) else { return }
    completionHandler(InputStream(data: Data("a stream".utf8)))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    context.note("sent \(totalBytesSent) \(totalBytesExpectedToSend)")
    passed("sent", task, session)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    context.transcript.bytes("written", Data(count: Int(bytesWritten)))
    passed("written", downloadTask, session)
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    context.note("file \((try? Data(contentsOf: location))?.count ?? -1)")
    passed("file", downloadTask, session)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    context.note("complete")
    context.note(error)
    passed("complete", task, session)
    ended.withLock { $0 += 1 }
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    context.note("invalid \(error == nil)")
    ended.withLock { $0 += 1 }
  }
}
