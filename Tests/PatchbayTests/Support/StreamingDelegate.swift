import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Knows the password, and has a stream.
final class StreamingDelegate: NSObject, URLSessionDataDelegate, Sendable {
  let recorder = CallbackRecorder()
  private let text: String
  private let requests = Mutex(0)
  /// What it says when it is asked for one, in order; the last for good.
  private let passwords: [String]
  private let challenges = Mutex(0)
  /// Called with the task whenever it is asked for a credential.
  private let whenAsked: @Sendable (URLSessionTask) -> Void

  init(
    text: String = "streamed", passwords: [String] = ["secret"],
    whenAsked: @escaping @Sendable (URLSessionTask) -> Void = { _ in }
  ) {
    self.text = text
    self.passwords = passwords
    self.whenAsked = whenAsked
  }

  /// How often a stream was asked for.
  var asked: Int { requests.withLock { $0 } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    whenAsked(task)
    let number = challenges.withLock { count in
      defer { count += 1 }
      return count
    }
    let password = passwords[min(number, passwords.count - 1)]
    completionHandler(.useCredential, URLCredential(user: "user", password: password, persistence: .none))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    requests.withLock { $0 += 1 }
    completionHandler(InputStream(data: Data(text.utf8)))
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    recorder.urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    recorder.urlSession(session, dataTask: dataTask, didReceive: data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    recorder.urlSession(session, task: task, didCompleteWithError: error)
  }
}
