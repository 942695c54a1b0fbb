import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request with what Foundation keeps beside it: the session's headers and the body of an upload.
struct RequestSnapshot: Sendable {
  var request: URLRequest
  /// The session's `httpAdditionalHeaders`, which go out where the request does not set them itself.
  var sessionHeaders: [HeaderField] = []
  var body: RequestBody = .none
  /// It goes to the network, so that more header fields are added to it than are known here.
  var isSent = false
  /// Its body was given up, so that nothing of it is told.
  var isCut = false

  /// The absolute URL.
  var url: String { request.url?.absoluteString ?? "" }

  /// Method as it goes out.
  var method: String { request.httpMethod ?? "GET" }

  /// All header fields: the request's own, then the session's that it does not override; sorted by name.
  var headers: [HeaderField] {
    guard let fields = request.allHTTPHeaderFields, !fields.isEmpty else {
      return sessionHeaders.sorted { $0.name < $1.name }
    }
    let own = fields.map { HeaderField($0.key, $0.value) }
    let names = Set(own.map { $0.name.lowercased() })
    let added = sessionHeaders.filter { !names.contains($0.name.lowercased()) }
    return (own + added).sorted { $0.name < $1.name }
  }

  var hasNoStream: Bool { if case .stream = body { false } else { request.httpBodyStream == nil } }

  /// Keeps that there is a stream, and not the stream: it is the program's, and ends with its request.
  mutating func letGoOfStream() {
    if request.httpBodyStream != nil { request.httpBodyStream = InputStream(data: Data()) }
  }

  /// What matching looks at.
  ///
  /// - Parameter withBody: Whether the body's bytes are wanted; of a stream they are what has been read of it.
  func facts(of process: HarnessProcess, withBody: Bool) -> RequestFacts {
    RequestFacts(
      method: method, url: url, headers: headers,
      body: withBody ? body.bytes(limit: .max)?.data : nil, process: process.name, pid: process.pid)
  }

  /// As it is told. Of a stream that nobody has begun to read all is missing, and no body is known.
  func recorded(bodyLimit: Int) -> RecordedRequest {
    let bytes = body.bytes(limit: bodyLimit)
    return RecordedRequest(
      method: method, url: url,
      headers: isSent ? SentHeaders.added(to: headers, of: request, body: body) : headers,
      body: body.isUnreadStream ? nil : bytes?.data, truncated: isCut || bytes?.truncated ?? false)
  }
}

/// Where the body of a request comes from.
enum RequestBody: Sendable {
  case none
  case data(Data)
  case file(UploadFile)
  /// A stream, which can be read only once; what was read of it goes by here.
  case stream(StreamCapture?)

  /// The bytes, up to the limit; nil where there is no body.
  func bytes(limit: Int) -> (data: Data, truncated: Bool)? {
    switch self {
    case .none: return nil
    case .data(let data): return (data.prefix(limit), data.count > limit)
    case .file(let file):
      guard let data = file.read(upTo: limit == .max ? limit : limit + 1) else { return nil }
      return (data.prefix(limit), data.count > limit)
    case .stream(let capture): return capture?.bytes(limit: limit)
    }
  }

  /// Nothing has been read of it.
  var isUnreadStream: Bool {
    if case .stream(let capture?) = self { !capture.isRead } else { false }
  }

  /// How many bytes go out; nil where that is not known beforehand.
  var length: Int64? {
    switch self {
    case .none: return 0
    case .data(let data): return Int64(data.count)
    case .file(let file): return file.length
    case .stream: return nil
    }
  }
}
