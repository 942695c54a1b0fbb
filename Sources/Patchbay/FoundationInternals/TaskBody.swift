import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The body of a request, which Foundation keeps in the task and not in the request.
enum TaskBody {
  private static let field = StoredField("knownBody", in: URLSessionTask.self)

  /// The body as the task will send it. A stream is named, not read.
  static func body(of task: URLSessionTask, request: URLRequest) -> RequestBody {
    // A task that is no upload takes its body from the request.
    guard let field, !(type(of: task) == URLSessionDataTask.self || type(of: task) == URLSessionDownloadTask.self)
    else { return fallback(request) }
    var value = Mirror(reflecting: field.value(in: task))
    if value.displayStyle == .optional {
      // An upload without a body is one whose delegate gives a stream when it is due.
      guard let inner = value.children.first?.value else { return task is URLSessionUploadTask ? .stream(nil) : .none }
      value = Mirror(reflecting: inner)
    }
    guard let payload = value.children.first?.value else { return .none }
    switch payload {
    case let data as DispatchData: return .data(Data(data))
    case let url as URL: return .file(UploadFile(url))
    case is InputStream: return .stream(nil)
    default: return fallback(request)
    }
  }

  /// Whether it is known that nothing is sent.
  static func isEmpty(of task: URLSessionTask) -> Bool {
    guard let request = task.originalRequest, case .none = body(of: task, request: request) else { return false }
    return true
  }

  private static func fallback(_ request: URLRequest) -> RequestBody {
    if let data = request.httpBody, !data.isEmpty { return .data(data) }
    return request.httpBodyStream == nil ? .none : .stream(nil)
  }

  // MARK: Streams

  // The stream that a body is read from can be replaced by one that captures what passes.

  /// Puts a capturing stream before the task's own, if it has one, and goes on on its work queue.
  static func listen(
    to task: URLSessionTask, with capture: StreamCapture, on queue: DispatchQueue,
    then next: @escaping @Sendable () -> Void
  ) {
    guard let stream = stream(of: task) else { return next() }
    put(CapturingStream(stream, capture), into: task, on: queue, then: next)
  }

  /// Gives the task that stream to send, and goes on on its work queue. Foundation's type for a body has no public name,
  /// so a task of a session of the hook's is made for it and its value is taken over.
  static func put(
    _ stream: InputStream, into task: URLSessionTask, on queue: DispatchQueue, then next: @escaping @Sendable () -> Void
  ) {
    guard let field, let url = URL(string: "http://patchbay.invalid/") else { return next() }
    nonisolated(unsafe) let stream = stream  // Handed over to the donor, and by it to the task.
    HookQueue.shared.async {
      let session = OwnSessions.make()
      var request = URLRequest(url: url)
      request.httpMethod = "POST"
      request.httpBodyStream = stream
      let donor = session.dataTask(with: request)
      queue.async {
        field.copy(from: donor, to: task)
        HookQueue.shared.async {
          donor.cancel()
          session.finishTasksAndInvalidate()
        }
        next()
      }
    }
  }

  /// The stream that the task has from the beginning; nil where its delegate is to give one.
  static func stream(of task: URLSessionTask) -> InputStream? {
    guard let value = field?.value(in: task) else { return nil }
    var mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional, let inner = mirror.children.first?.value { mirror = Mirror(reflecting: inner) }
    return mirror.children.first?.value as? InputStream
  }
}
