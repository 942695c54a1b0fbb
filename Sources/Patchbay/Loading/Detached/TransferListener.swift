import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The delegate of a session of the hook's own: tells what happens, on a queue of the session. A data task and a download
/// have different ones, since Foundation gives the body of a refused redirect to every delegate that takes data, and
/// ends the process where the task is a download.
class TransferListener: NSObject, URLSessionTaskDelegate, @unchecked Sendable {  // Nothing in it changes.
  let report: @Sendable (TransferEvent) -> Void

  init(_ report: @escaping @Sendable (TransferEvent) -> Void) { self.report = report }

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

/// Hears of a body piece by piece.
final class DataListener: TransferListener, URLSessionDataDelegate, @unchecked Sendable {  // As its superclass.
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
}

/// Hears of a file.
final class DownloadListener: TransferListener, URLSessionDownloadDelegate, @unchecked Sendable {  // As its superclass.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    report(.written(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite))
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    report(.file(location))
  }
}
