import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request in a session of the hook's own, which is gone when the request has ended. Its events come on a queue of
/// the session.
final class DetachedTransfer: Sendable {
  private let task: URLSessionTask

  /// How the body of the request goes out, and that of the answer comes in.
  enum Kind {
    case data
    case upload
    case download
  }

  /// Not to be called on the queue that all sessions share.
  ///
  /// - Parameter storesCookies: Foundation keeps the cookies of each answer, as the configuration wants it.
  init(
    _ snapshot: RequestSnapshot, as kind: Kind, configuration: URLSessionConfiguration, storesCookies: Bool,
    report: @escaping @Sendable (TransferEvent) -> Void
  ) {
    let listener = kind == .download ? DownloadListener(report) : DataListener(report)
    // The request has its cookies, if it is to have any: the program's session has put them in, or the redirect.
    let session = NestedSession.make(like: configuration, delegate: listener) { configuration in
      configuration.httpShouldSetCookies = false
      if !storesCookies { configuration.httpCookieAcceptPolicy = .never }
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

  func resume() { onOwnQueue { $0.resume() } }
  func suspend() { onOwnQueue { $0.suspend() } }
  func cancel() { onOwnQueue { $0.cancel() } }

  /// A task's methods wait for the queue that all sessions share, on which the caller may be.
  private func onOwnQueue(_ call: @escaping @Sendable (URLSessionTask) -> Void) {
    HookQueue.shared.async { [self] in call(task) }
  }
}
