import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request in a session of the hook's own, which is gone when the request has ended. Its events come on a queue of
/// the session.
final class DetachedTransfer: Sendable {
  private let task: URLSessionTask
  private let wish = Mutex(Wish.wait)

  /// What is to become of it. Nothing is done about a wait before it has begun.
  private enum Wish {
    case wait
    case run
    case pause
  }

  /// How the body of the request goes out, and that of the answer comes in.
  enum Kind {
    case data
    case upload
    case download
  }

  /// Not to be called on the queue that all sessions share.
  ///
  /// - Parameters:
  ///   - storesCookies: Foundation keeps the cookies of each answer, as the configuration wants it.
  ///   - addsHeaders: The session's header fields go out with the request; else it has them, or was not to have them.
  init(
    _ snapshot: RequestSnapshot, as kind: Kind, configuration: URLSessionConfiguration, storesCookies: Bool,
    addsHeaders: Bool, report: @escaping @Sendable (TransferEvent) -> Void
  ) {
    let listener = kind == .download ? DownloadListener(report) : DataListener(report)
    // The request has its cookies, if it is to have any: the program's session has put them in, or the redirect.
    let session = OwnSessions.make(like: configuration, delegate: listener) { configuration in
      configuration.httpShouldSetCookies = false
      if !storesCookies { configuration.httpCookieAcceptPolicy = .never }
      if !addsHeaders { configuration.httpAdditionalHeaders = nil }
    }
    task = Self.task(for: snapshot, as: kind, in: session)
    session.finishTasksAndInvalidate()
  }

  private static func task(for snapshot: RequestSnapshot, as kind: Kind, in session: URLSession) -> URLSessionTask {
    var request = snapshot.request
    switch snapshot.body {
    case .none:
      request = withoutBody(request)
      return kind == .download ? session.downloadTask(with: request) : session.dataTask(with: request)
    case .data(let data) where kind == .upload:
      request.httpBodyStream = nil
      return session.uploadTask(with: request, from: data)
    case .data(let data):
      // Foundation gives a body that comes with its request a type, an upload none.
      request.httpBody = data
      return kind == .download ? session.downloadTask(with: request) : session.dataTask(with: request)
    case .file(let file): return session.uploadTask(with: request, fromFile: file.url)
    case .stream:
      let hasStream = request.httpBodyStream != nil
      return hasStream ? session.dataTask(with: request) : session.uploadTask(withStreamedRequest: request)
    }
  }

  /// After a redirect Foundation keeps a body in the request and sends none, but its type.
  private static func withoutBody(_ request: URLRequest) -> URLRequest {
    let hasBody = request.httpBody?.isEmpty == false || request.httpBodyStream != nil
    var bare = request
    bare.httpBody = nil
    bare.httpBodyStream = nil
    if hasBody, request.httpMethod == "POST", request.value(forHTTPHeaderField: "Content-Type") == nil {
      bare.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    }
    return bare
  }

  /// The request as it went out after a challenge, if there was one.
  var requestWithCredential: URLRequest? { TaskInternals.requestWithCredential(of: task) }

  var expectedToReceive: Int64 { task.countOfBytesExpectedToReceive }
  var expectedToSend: Int64 { task.countOfBytesExpectedToSend }
  var sent: Int64 { task.countOfBytesSent }

  func resume() {
    let before = wish.withLock { wish in
      defer { wish = .run }
      return wish
    }
    switch before {
    case .wait: onOwnQueue { $0.resume() }
    case .pause: onOwnQueue { [self] _ in settle() }
    case .run: break
    }
  }

  func suspend() {
    let begun = wish.withLock { wish in
      if wish == .run { wish = .pause }
      return wish == .pause
    }
    if begun { onOwnQueue { [self] _ in settle() } }
  }

  func cancel() { onOwnQueue { $0.cancel() } }

  /// Stops what is to pause, and lets go on what is to run, in one step of the task's queue. A task's own `suspend()` stops
  /// it in another step a moment later, and the process ends if it runs again, was cancelled or has ended by then.
  private func settle() {
    guard let queue = TaskInternals.workQueue(of: task) else { return }
    queue.async { [self] in
      let pauses = wish.withLock { $0 == .pause }
      // One that was cancelled or has ended stays so.
      guard TaskInternals.state(of: task) == (pauses ? .running : .suspended) else { return }
      guard let loading = TaskInternals.loading(of: task) else {
        // What is cached is looked for before there is one.
        return HookQueue.shared.asyncAfter(deadline: .now() + .milliseconds(1)) { [self] in settle() }
      }
      guard TaskInternals.setState(pauses ? .suspended : .running, of: task) else { return }
      if pauses { loading.stopLoading() } else { loading.startLoading() }
    }
  }

  /// A task's methods wait for the queue that all sessions share, on which the caller may be.
  private func onOwnQueue(_ call: @escaping @Sendable (URLSessionTask) -> Void) {
    HookQueue.shared.async { [self] in call(task) }
  }
}

/// What happens to a request in a session of the hook's own.
enum TransferEvent: Sendable {
  typealias ChallengeAnswer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

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

  /// Whether the task's counts may have changed with it.
  var isCounted: Bool { if case .data = self { false } else { true } }

  /// Nobody wants it any more: a download leaves no file behind. Any thread.
  func discard() {
    if case .file(let location) = self { DownloadedFile.remove(location) }
  }
}

/// The delegate of a session of the hook's own: tells what happens, on a queue of the session. A data task and a download
/// have different ones, since Foundation gives the body of a refused redirect to every delegate that takes data, and
/// ends the process where the task is a download.
private class TransferListener: NSObject, URLSessionTaskDelegate, @unchecked Sendable {  // Nothing in it changes.
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
private final class DataListener: TransferListener, URLSessionDataDelegate, @unchecked Sendable {  // As its superclass.
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
private final class DownloadListener: TransferListener, URLSessionDownloadDelegate,
  @unchecked Sendable  // As its superclass.
{
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
