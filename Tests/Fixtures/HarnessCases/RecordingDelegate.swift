import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tells each callback in the order in which they come, and lets a case wait for the end.
final class RecordingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
  struct Answers: Sendable {
    /// What to answer a redirect: the request, another one, or nil.
    var redirect: @Sendable (URLRequest) -> URLRequest? = { $0 }
    var credential: URLCredential?
    var disposition = URLSession.AuthChallengeDisposition.performDefaultHandling
    /// After so many failures the challenge is cancelled.
    var tries = Int.max
    var stream: (@Sendable () -> InputStream?)?
    /// Tell each piece by itself, for servers that pause between them.
    var separately = false
    /// Called with the first piece.
    var onData: @Sendable (URLSessionTask) -> Void = { _ in }
  }

  private struct State {
    var ends = 0
    var waiting: [(Int, CheckedContinuation<Void, Never>)] = []
    var sawData = false
  }

  private let context: HarnessContext
  private let answers: Answers
  private let state = Mutex(State())

  init(_ context: HarnessContext, _ answers: Answers = Answers()) {
    self.context = context
    self.answers = answers
  }

  /// Waits for that many ends: of tasks, or of the session.
  func ends(_ count: Int = 1) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isThere = state.withLock { state in
        if state.ends < count { state.waiting.append((count, continuation)) }
        return state.ends >= count
      }
      if isThere { continuation.resume() }
    }
  }

  private func ended() {
    let ready = state.withLock { state in
      state.ends += 1
      let ready = state.waiting.filter { $0.0 <= state.ends }
      state.waiting.removeAll { $0.0 <= state.ends }
      return ready
    }
    for (_, continuation) in ready { continuation.resume() }
  }

  /// Says when the task has another delegate than this one.
  private func whose(_ task: URLSessionTask) -> String { task.delegate === self ? "" : " of another delegate" }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    context.note("callback response\(whose(dataTask))")
    context.note(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isFirst = state.withLock { state in
      defer { state.sawData = true }
      return !state.sawData
    }
    if answers.separately {
      context.note("callback data \(data.count) \(context.transcript.digest(of: data))")
    } else {
      context.transcript.bytes("callback data", data)
    }
    if isFirst { answers.onData(dataTask) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    context.transcript.bytes("callback sent, of \(totalBytesExpectedToSend):", Data(count: Int(bytesSent)))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    context.note("callback needs stream")
    completionHandler(answers.stream?())
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let fields = (request.allHTTPHeaderFields ?? [:]).map { "\($0.key): \($0.value)" }.sorted().joined(separator: " | ")
    let target = request.url?.absoluteString ?? "nil"
    let method = request.httpMethod ?? "nil"
    context.note("callback redirect\(whose(task)) \(response.statusCode) \(method) \(target) \(fields)")
    completionHandler(answers.redirect(request))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    context.note(
      "callback challenge\(whose(task)) \(space.authenticationMethod) \(space.realm ?? "nil") \(challenge.previousFailureCount)"
    )
    let isEnough = challenge.previousFailureCount >= answers.tries
    completionHandler(isEnough ? .cancelAuthenticationChallenge : answers.disposition, answers.credential)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    context.transcript.bytes(
      "callback written, of \(totalBytesExpectedToWrite):", Data(count: Int(bytesWritten)))
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    let data = try? Data(contentsOf: location)
    context.note("callback file \(data.map { "\($0.count) \(context.transcript.digest(of: $0))" } ?? "unreadable")")
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    context.note("callback complete\(whose(task))")
    context.note(error)
    context.note(state: task)
    ended()
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    context.note("callback invalid \(error.map { "\($0)" } ?? "nil")")
    ended()
  }
}
