import Foundation

/// An answer that a stub gives. `import Patchbay` has short forms: `.json(["name": "Ann"])`, `.status(503)`, `.text("no")`.
public struct CannedResponse: Hashable, Sendable {
  /// 100 to 599 (RFC 9110 §15).
  public var status: Int
  /// Header fields in order, with repeats.
  public var headers: [HeaderField]
  /// The body, and where its bytes come from.
  public var body: Body
  /// The wait before the answer begins; nil is none.
  public var delay: Delay?
  /// How fast the body is handed over; nil is at once.
  public var pace: Pace?

  /// Where the body's bytes come from.
  public enum Body: Hashable, Sendable {
    /// No body.
    case none
    /// UTF-8 text; may hold templates such as `{{request.path.1}}`.
    case text(String)
    /// Sent compact, as UTF-8, members in this order, with `Content-Type: application/json` unless given.
    case json(JSONValue)
    /// Bytes (written `base64:`).
    case data(Data)
    /// A file, relative to the stub file; its bytes are read on the console's side and sent to the hook as `data`.
    case file(String)
    /// What a folder holds at the path of the request, as a small web server would answer it; relative to the stub file.
    /// The process that asks reads it, and nothing outside the folder.
    case folder(String, otherwise: Missing)
    /// A stream of events (`text/event-stream`), each handed over by itself.
    case events([Event])
    /// That many bytes of filler, made on the spot: a huge body that costs nothing to send to the hook.
    case filler(bytes: Int)
  }

  /// What becomes of a request for which a folder holds nothing.
  public enum Missing: String, Hashable, Sendable, CaseIterable {
    /// It goes to the network.
    case pass
    /// It is answered with 404.
    case notFound = "404"
  }

  /// One event of a stream; texts may hold templates.
  public struct Event: Hashable, Sendable {
    /// Its kind; nil leaves the line out.
    public var event: String?
    /// Its id; nil leaves the line out.
    public var id: String?
    /// A text as it is, anything else as JSON; nil leaves the line out.
    public var data: JSONValue?
    /// The pause before it.
    public var after: Delay?

    /// - Parameters:
    ///   - event: Its kind; nil leaves the line out.
    ///   - id: Its id; nil leaves the line out.
    ///   - data: A text as it is, anything else as JSON; nil leaves the line out.
    ///   - after: The pause before it.
    public init(event: String? = nil, id: String? = nil, data: JSONValue? = nil, after: Delay? = nil) {
      self.event = event
      self.id = id
      self.data = data
      self.after = after
    }
  }

  /// - Parameters:
  ///   - status: 100 to 599.
  ///   - headers: Header fields in order, with repeats.
  ///   - body: Where the body's bytes come from.
  ///   - delay: The wait before the answer begins; nil is none.
  ///   - pace: How fast the body is handed over; nil is at once.
  public init(
    status: Int = 200, headers: [HeaderField] = [], body: Body = .none, delay: Delay? = nil, pace: Pace? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.delay = delay
    self.pace = pace
  }
}

/// A failure that a stub causes.
public struct Fault: Hashable, Sendable {
  /// The error that the program sees.
  public var error: Failure
  /// The wait before it comes; nil is none.
  public var delay: Delay?
  /// What is delivered before the failure comes.
  public var after: Partial?

  /// The error that the program sees.
  public enum Failure: Hashable, Sendable {
    /// A `URLError` code by its Swift name (`timedOut`), or the name of a fault in the console's menu
    /// (`connectionLostMidway`).
    case named(String)
    /// An `NSError` of that domain and code; the message is its localized description.
    case custom(domain: String, code: Int, message: String?)
  }

  /// The head and the first bytes of a response that then breaks off.
  public struct Partial: Hashable, Sendable {
    /// The response that begins.
    public var response: CannedResponse
    /// How many bytes of the body are delivered; nil delivers all of it.
    public var bytes: Int?

    /// - Parameters:
    ///   - response: The response that begins.
    ///   - bytes: How many bytes of its body are delivered; nil delivers all of it.
    public init(response: CannedResponse, bytes: Int? = nil) {
      self.response = response
      self.bytes = bytes
    }
  }

  /// - Parameters:
  ///   - error: The error that the program sees.
  ///   - delay: The wait before it comes; nil is none.
  ///   - after: What is delivered before it comes.
  public init(_ error: Failure, delay: Delay? = nil, after: Partial? = nil) {
    self.error = error
    self.delay = delay
    self.after = after
  }
}

extension Action {
  /// The paths of its `file:` bodies.
  package var bodyFiles: [String] {
    switch self {
    case .respond(let response): response.bodyFile.map { [$0] } ?? []
    case .fail(let fault): fault.after?.response.bodyFile.map { [$0] } ?? []
    case .sequence(let actions, _): actions.flatMap(\.bodyFiles)
    case .pass(let changes): changes.request.flatMap { CannedResponse(body: $0.body).bodyFile }.map { [$0] } ?? []
    case .hold, .code: []
    }
  }

  /// The action with bytes in the place of those paths, and the Content-Type that the path tells.
  package func withFiles(_ bodies: [String: Data]) -> Action {
    switch self {
    case .respond(let response): return .respond(response.withFile(bodies))
    case .fail(var fault):
      if let response = fault.after?.response { fault.after?.response = response.withFile(bodies) }
      return .fail(fault)
    case .sequence(let actions, let afterwards):
      return .sequence(actions.map { $0.withFiles(bodies) }, afterwards: afterwards)
    case .pass(var changes):
      changes.request = changes.request?.withFile(bodies)
      return .pass(changes)
    case .hold, .code: return self
    }
  }
}

extension RequestChanges {
  fileprivate func withFile(_ bodies: [String: Data]) -> RequestChanges {
    let read = CannedResponse(body: body).withFile(bodies)
    guard read.body != body else { return self }
    var copy = self
    copy.body = read.body
    if let type = read.headers.first, !headers.contains(where: { $0.name.caseInsensitiveEquals(type.name) }) {
      copy.headers.append(.init(type.name, [type.value]))
    }
    return copy
  }
}

extension Action {
  /// The action with whole paths in the place of those that are relative to a folder: of what the hook reads by itself.
  package func withPaths(from folder: String) -> Action {
    switch self {
    case .respond(let response): return .respond(response.withPath(from: folder))
    case .fail(var fault):
      if let response = fault.after?.response { fault.after?.response = response.withPath(from: folder) }
      return .fail(fault)
    case .sequence(let actions, let afterwards):
      return .sequence(actions.map { $0.withPaths(from: folder) }, afterwards: afterwards)
    case .pass, .hold, .code: return self
    }
  }
}

extension CannedResponse {
  /// A file whose name was filled in by a request: the folder that the template names before its first expression, and
  /// what leads on from there. Both stand in a `file` body, with a NUL between, which no path holds.
  package struct FilledFile: Hashable, Sendable {
    package var root: String
    package var rest: String

    package init?(_ path: String) {
      guard let mark = path.firstIndex(of: "\0") else { return nil }
      root = String(path[..<mark])
      rest = String(path[path.index(after: mark)...])
    }

    init(_ template: Template, in context: TemplateContext) {
      let front = template.front
      let end = front.lastIndex(of: "/")
      root = end.map { $0 == front.startIndex ? "/" : String(front[..<$0]) } ?? "."
      let name = end.map { String(front[front.index(after: $0)...]) } ?? front
      rest = name + String(context.render(template).dropFirst(front.count)).replacing("\0", with: "")
    }

    package var path: String { root + "\0" + rest }
  }

  fileprivate func withPath(from folder: String) -> CannedResponse {
    var copy = self
    func whole(_ path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }
    switch body {
    case .folder(let path, let otherwise): copy.body = .folder(whole(path), otherwise: otherwise)
    case .file(let path) where Template.isNeeded(for: path): copy.body = .file(whole(path))
    default: break
    }
    return copy
  }

  fileprivate var bodyFile: String? {
    if case .file(let path) = body, !Template.isNeeded(for: path) { return path }
    return nil
  }

  fileprivate func withFile(_ bodies: [String: Data]) -> CannedResponse {
    guard let path = bodyFile, let bytes = bodies[path] else { return self }
    var copy = withGuessedType
    copy.body = .data(bytes)
    return copy
  }
}
