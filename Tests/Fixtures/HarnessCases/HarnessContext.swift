import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a case works with: the server, the transcript, and sessions made as the program under test makes them.
public final class HarnessContext: Sendable {
  public typealias Configure = @Sendable (URLSessionConfiguration) -> Void

  let base: String
  let transcript: Transcript
  private let configure: Configure

  /// - Parameter configure: Called with each configuration before a session is made of it.
  public init(base: String, transcript: Transcript, configure: @escaping Configure = { _ in }) {
    self.base = base
    self.transcript = transcript
    self.configure = configure
  }

  func url(_ path: String) -> URL { URL(string: base + path)! }

  func request(_ path: String, _ method: String = "GET", body: Data? = nil) -> URLRequest {
    var request = URLRequest(url: url(path))
    request.httpMethod = method
    request.httpBody = body
    return request
  }

  func session(
    delegate: (any URLSessionDelegate)? = nil, queue: OperationQueue? = nil, default isDefault: Bool = false,
    change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration: URLSessionConfiguration = isDefault ? .default : .ephemeral
    change(configuration)
    configure(configuration)
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
  }

  func note(_ line: String) { transcript.note(line) }

  func note(_ response: URLResponse?) {
    guard let response = response as? HTTPURLResponse else { return note("response \(response == nil ? "nil" : "?")") }
    note("response \(response.statusCode) \(response.url?.absoluteString ?? "nil")")
    let fields = response.allHeaderFields.map { "\($0.key): \($0.value)" }.sorted()
    note("  \(fields.joined(separator: " | "))")
    let length = response.expectedContentLength
    note("  length \(length) type \(response.mimeType ?? "nil") charset \(response.textEncodingName ?? "nil")")
  }

  func note(_ data: Data?) {
    guard let data else { return note("data nil") }
    note("data \(data.count) \(transcript.digest(of: data))")
    if data.count < 400, let text = String(data: data, encoding: .utf8) {
      // The echo's request headers that name the program or the connection say nothing of the hook.
      let kept = text.split(separator: "\n").filter { !$0.hasPrefix("user-agent:") }
      note("  \(kept.joined(separator: " ⏎ "))")
    }
  }

  func note(_ error: (any Error)?) {
    guard let error else { return note("error nil") }
    let bridged = error as NSError
    let failing = bridged.userInfo[NSURLErrorFailingURLErrorKey] as? URL
    let cast = error is URLError ? "URLError" : "other"
    note("error \(bridged.domain) \(bridged.code) \(cast) \(failing?.absoluteString ?? "-")")
  }

  /// Waits for a task with a completion handler, and tells what it got.
  func finish(_ start: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let task = start { data, response, error in
        self.note(data)
        self.note(response)
        self.note(error)
        continuation.resume()
      }
      task.resume()
    }
  }

  /// Tells what an async call gave.
  func attempt(_ call: () async throws -> (Data, URLResponse)) async {
    do {
      let (data, response) = try await call()
      note(data)
      note(response)
    } catch {
      note(error)
    }
  }

  /// Tells how a task stands.
  func note(state task: URLSessionTask) {
    note("state \(task.state.rawValue) original \(task.originalRequest?.url?.absoluteString ?? "nil")")
    note("  current \(task.currentRequest?.url?.absoluteString ?? "nil") \(task.currentRequest?.httpMethod ?? "nil")")
    note("  status \((task.response as? HTTPURLResponse)?.statusCode ?? -1) sent \(task.countOfBytesSent)")
    note(
      "  error \(task.error.map { "\(($0 as NSError).code)" } ?? "nil") description \(task.taskDescription ?? "nil")")
    let expected = "\(task.countOfBytesExpectedToReceive)/\(task.countOfBytesExpectedToSend)"
    note("  expected \(expected) received \(task.countOfBytesReceived)")
  }
}
