import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Ends a task whose answer is a 401 with `WWW-Authenticate`. Foundation on Linux would start an exchange of
/// credentials then, in which it puts its own class in the hook's place and waits for a server that there is not.
///
/// It looks at `task.response` for that, so for the time of the call there stands one without the field; nobody else can
/// look meanwhile, because the session's delegate queue is kept busy.
enum ChallengeSuppression {
  static func isNeeded(for response: HTTPURLResponse) -> Bool {
    response.statusCode == 401 && response.value(forHTTPHeaderField: "WWW-Authenticate") != nil
  }

  /// Whether Foundation on Linux asks for a credential at the end of this answer: it knows the Basic scheme (RFC 7617).
  static func leadsToOne(_ response: URLResponse?) -> Bool {
    guard let response = response as? HTTPURLResponse, response.statusCode == 401 else { return false }
    return response.value(forHTTPHeaderField: "WWW-Authenticate")?.lowercased().contains("basic") ?? false
  }

  /// Call it on the task's work queue; `finish` is the client's `urlProtocolDidFinishLoading`.
  static func finish(_ task: URLSessionTask, in session: URLSession?, response: HTTPURLResponse, _ finish: () -> Void) {
    guard let url = response.url, let session else { return finish() }
    var fields: [String: String] = [:]
    for field in response.headerFields where field.name.lowercased() != "www-authenticate" {
      fields[field.name] = field.value
    }
    let plain = HTTPURLResponse(url: url, statusCode: 401, httpVersion: "HTTP/1.1", headerFields: fields)
    let done = DispatchSemaphore(value: 0)
    session.delegateQueue.addOperation { done.wait() }
    TaskInternals.completeOnDelegateQueue(task)
    TaskInternals.setResponse(plain, of: task)
    finish()
    TaskInternals.setResponse(response, of: task)
    done.signal()
  }
}
