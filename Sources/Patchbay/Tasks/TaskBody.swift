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
}
