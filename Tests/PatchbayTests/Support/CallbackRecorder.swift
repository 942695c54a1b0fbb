import Foundation
import PatchbayTestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session's delegate that keeps what it is told, in order.
final class CallbackRecorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
  enum Callback: Equatable, Sendable {
    case sent(Int64)
    case response(Int)
    case data(String)
    case redirect(Int, String)
    case written(Int64, of: Int64)
    case file(String)
    case challenge
    case complete(Int?)
  }

  private struct State {
    var callbacks: [Callback] = []
    var errors: [any Error] = []
  }

  private let state = SeenLock(State())
  private let redirect: @Sendable (URLRequest) -> URLRequest?

  init(redirect: @escaping @Sendable (URLRequest) -> URLRequest? = { $0 }) {
    self.redirect = redirect
  }

  var callbacks: [Callback] { state.withLock { $0.callbacks } }
  var errors: [any Error] { state.withLock { $0.errors } }

  /// Waits for the end of that many tasks, and gives everything that was called.
  func completed(_ count: Int = 1) async throws -> [Callback] {
    try await until {
      self.callbacks.filter { if case .complete = $0 { true } else { false } }.count >= count
    }
    return callbacks
  }

  private func note(_ callback: Callback) { state.withLock { $0.callbacks.append(callback) } }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note(.response((response as? HTTPURLResponse)?.statusCode ?? 0))
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    note(.data(String(decoding: data, as: UTF8.self)))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    note(.sent(bytesSent))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    note(.redirect(response.statusCode, request.url?.path ?? ""))
    completionHandler(redirect(request))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    note(.challenge)
    completionHandler(.performDefaultHandling, nil)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    note(.written(totalBytesWritten, of: totalBytesExpectedToWrite))
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    note(.file((try? String(contentsOf: location, encoding: .utf8)) ?? "unreadable"))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { state in
      if let error { state.errors.append(error) }
      state.callbacks.append(.complete((error as NSError?)?.code))
    }
  }
}
