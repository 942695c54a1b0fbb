import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tells how a task stands in each callback.
final class CountingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
  private let context: HarnessContext
  private let ended = Mutex(false)

  init(_ context: HarnessContext) { self.context = context }

  func ends() async {
    while !ended.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
  }

  private func note(_ name: String, _ task: URLSessionTask) {
    context.note("\(name) state \(task.state.rawValue) own \(task.delegate === self)")
    context.note(bytes: task)
    // The response of a download is set on another thread.
    guard !(task is URLSessionDownloadTask) else { return }
    context.note("  \(task.currentRequest?.url?.path ?? "nil") \((task.response as? HTTPURLResponse)?.statusCode ?? 0)")
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note("response", dataTask)
    context.note("  same \(dataTask.response === response)")
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { note("data", dataTask) }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    note("redirect", task)
    completionHandler(request)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    note("challenge", task)
    context.note("  \((challenge.failureResponse as? HTTPURLResponse)?.statusCode ?? 0) \(challenge.error == nil)")
    context.note("  \(challenge.proposedCredential?.user ?? "nil") \(challenge.protectionSpace.host)")
    completionHandler(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none))
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    note("written \(bytesWritten) \(totalBytesWritten) \(totalBytesExpectedToWrite)", downloadTask)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    // What has come of the answer by now is not said: on a busy machine its head may have, natively too.
    context.note("sent \(bytesSent) \(totalBytesSent) \(totalBytesExpectedToSend) own \(task.delegate === self)")
    context.note("  sent \(task.countOfBytesSent)/\(task.countOfBytesExpectedToSend)")
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    note("file \(location.pathExtension) \(location.lastPathComponent.count)", downloadTask)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    note("complete", task)
    ended.withLock { $0 = true }
  }
}
