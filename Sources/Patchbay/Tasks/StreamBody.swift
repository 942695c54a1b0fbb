import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The stream that a task's body is read from: another one, which notes what passes, can be put in its place.
enum StreamBody {
  private static let field = StoredField("knownBody", in: URLSessionTask.self)

  /// Puts a noting stream before the task's own, if it has one, and goes on on its work queue.
  static func listen(
    to task: URLSessionTask, with tee: StreamTee, on queue: DispatchQueue, then next: @escaping @Sendable () -> Void
  ) {
    guard let stream = stream(of: task) else { return next() }
    put(NotingStream(stream, tee), into: task, on: queue, then: next)
  }

  /// Gives the task that stream to send, and goes on on its work queue. Foundation's type for a body has no public name,
  /// so a task of a session of the hook's is made for it and its value is taken over.
  static func put(
    _ stream: InputStream, into task: URLSessionTask, on queue: DispatchQueue, then next: @escaping @Sendable () -> Void
  ) {
    guard let field, let url = URL(string: "http://patchbay.invalid/") else { return next() }
    nonisolated(unsafe) let stream = stream  // Handed over to the donor, and by it to the task.
    HookQueue.shared.async {
      let session = NestedSession.make()
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
