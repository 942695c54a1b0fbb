import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The stream that a task's body is read from: another one, which notes what passes, can be put in its place.
enum StreamBody {
  private static let field = StoredField("knownBody", in: URLSessionTask.self)

  /// Puts a noting stream before the task's own, if it has one, and goes on on its work queue. Foundation's type for a
  /// body has no public name, so a task of a session of the hook's is made for it and its value is taken over.
  static func listen(
    to task: URLSessionTask, with tee: StreamTee, on queue: DispatchQueue, then next: @escaping @Sendable () -> Void
  ) {
    guard let stream = stream(of: task), let field, let url = URL(string: "http://patchbay.invalid/") else {
      return next()
    }
    nonisolated(unsafe) let noting = NotingStream(stream, tee)  // Handed over to the donor, and by it to the task.
    HookQueue.shared.async {
      let session = NestedSession.make()
      var request = URLRequest(url: url)
      request.httpMethod = "POST"
      request.httpBodyStream = noting
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

  private static func stream(of task: URLSessionTask) -> InputStream? {
    guard let value = field?.value(in: task) else { return nil }
    var mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional, let inner = mirror.children.first?.value { mirror = Mirror(reflecting: inner) }
    return mirror.children.first?.value as? InputStream
  }
}

/// Reads another stream and notes what was read.
final class NotingStream: InputStream {
  private let stream: InputStream
  private let tee: StreamTee

  init(_ stream: InputStream, _ tee: StreamTee) {
    self.stream = stream
    self.tee = tee
    super.init(data: Data())
  }

  override func open() { stream.open() }
  override func close() { stream.close() }
  override var streamStatus: Stream.Status { stream.streamStatus }
  override var hasBytesAvailable: Bool { stream.hasBytesAvailable }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    let count = stream.read(buffer, maxLength: maxLength)
    tee.note(UnsafeBufferPointer(start: buffer, count: max(0, count)))
    return count
  }
}
