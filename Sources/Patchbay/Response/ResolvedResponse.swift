import Foundation
import PatchbayStubs
import PatchbayWire

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An answer with everything decided: what the program gets, byte for byte.
struct ResolvedResponse: Sendable {
  var url: URL
  var status: Int
  var headers: [HeaderField]
  var body: Data
  var pace: Pace?
  /// The body in the pieces in which it is handed over, each after a pause of its own: a stream of events.
  private(set) var stream: PacedBody?
  /// What the task says of the body's length, -1 where it is not known; nil where the head says it.
  var expected: Int64?
  /// The network's own, while nothing of its head has been changed.
  private var original: HTTPURLResponse?
  /// The body has come through the network's framing, and is whole whatever its head says now.
  private var isFramed = false
  /// HTTP has no body there, whatever length the head tells.
  private var isBodiless = false

  /// The network's answer: Foundation has decoded its body and leaves its fields as they came.
  init(_ original: HTTPURLResponse, url: URL, body: Data) {
    self.url = url
    self.original = original
    isFramed = true
    self.body = body
    status = original.statusCode
    headers = original.headerFields
  }

  /// - Parameter method: HEAD gets no body (RFC 9110 §9.3.2), nor do 204 and 304 (§6.4.1).
  init(url: URL, method: String, status: Int, headers: [HeaderField], body: Data, pace: Pace? = nil) {
    self.url = url
    self.status = status
    self.headers = headers
    self.pace = pace
    isBodiless = method == "HEAD" || Self.isBodiless(status)
    self.body = isBodiless ? Data() : body
    guard !isBodiless else { return }
    decode()
  }

  /// A body that is encoded is handed over decoded, as curl does; the fields that no longer hold are dropped.
  private mutating func decode() {
    guard let coding = headers.first(named: "Content-Encoding")?.lowercased(), coding != "identity" else { return }
    if ["gzip", "x-gzip", "deflate"].contains(coding), let plain = Inflate.decoded(body, coding: coding) {
      body = plain
    }
    headers.remove(named: "Content-Encoding")
    headers.remove(named: "Content-Length")
  }

  /// The response as Foundation has it. Repeated fields become one, joined by commas (RFC 9110 §5.3).
  func urlResponse() -> HTTPURLResponse? { head()?.response }

  /// The response as Foundation has it, with how long the body will be.
  func head() -> ResponseCache.Head? {
    if let original {
      return ResponseCache.Head(response: original, expected: TaskInternals.expectedBytes(of: original))
    }
    return ResponseCache.shared.head(url, status, headers, make: makeURLResponse)
  }

  private func makeURLResponse() -> HTTPURLResponse? {
    var fields = [String: String](minimumCapacity: headers.count)
    for (index, header) in headers.enumerated() {
      if let first = headers[..<index].first(where: { $0.name.caseInsensitiveEquals(header.name) })?.name {
        fields[first, default: ""] += ", \(header.value)"
      } else {
        fields[header.name] = header.value
      }
    }
    return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
  }

  var recorded: RecordedResponse {
    RecordedResponse(status: status, headers: headers, body: body)
  }
}

extension ResolvedResponse {
  /// What a stub says, for one request.
  init(_ canned: CannedResponse, url: URL, method: String) {
    let canned = canned.withGuessedType
    self.init(
      url: url, method: method, status: canned.status, headers: canned.headers, body: canned.bytes,
      pace: canned.pace)
    if case .events(let events) = canned.body, !isBodiless, !events.isEmpty {
      stream = PacedBody(pieces: events.map { .init(data: $0.bytes, pause: max($0.after?.drawn ?? 0, 0)) })
    }
  }

  /// The network's answer as a `pass` wants it changed.
  func changed(by changes: PassChanges, notices: inout [String]) -> ResolvedResponse {
    let (status, headers, body) = changes.apply(
      status: status, headers: headers, body: body, notices: &notices)
    var changed = edited(status: status, headers: headers, body: body)
    changed.pace = changes.pace ?? pace
    return changed
  }

  /// This answer with another head or body, which is not encoded.
  func edited(status: Int, headers: [HeaderField], body: Data) -> ResolvedResponse {
    var edited = self
    if status != self.status || headers != self.headers { edited.original = nil }
    if body != self.body { edited.stream = nil }
    edited.status = status
    edited.headers = headers
    let length = headers.first(named: "Content-Length")
    if length != self.headers.first(named: "Content-Length") {
      edited.isFramed = false
    } else if body != self.body, length != nil, !isBodiless, edited.original == nil {
      // Who writes another body does not mean the length of the one before.
      edited.headers.set("Content-Length", to: "\(body.count)")
    }
    // What the network gave in spite of its status, as after 101, is the program's.
    edited.body = Self.isBodiless(status) && (status != self.status || body != self.body) ? Data() : body
    return edited
  }

  private static func isBodiless(_ status: Int) -> Bool {
    status == 204 || status == 304 || (100..<200).contains(status)
  }
}

extension ResolvedResponse {
  /// Ends the body where its Content-Length says, as the loading system does (RFC 9112 §6.3).
  ///
  /// - Returns: false where there is less than it says, which is an error.
  mutating func endAsItsLengthSays() -> Bool {
    guard !isFramed, !isBodiless, !Self.isBodiless(status),
      headers.first(named: "Content-Encoding").map({ $0.lowercased() == "identity" }) ?? true,
      headers.first(named: "Transfer-Encoding") == nil,
      let length = headers.first(named: "Content-Length").flatMap({ Int($0) }), length >= 0
    else { return true }
    if body.count > length { body = body.prefix(length) }
    return body.count == length
  }
}

/// A body cut into the pieces in which it is handed over, with the seconds before each.
struct PacedBody {
  struct Piece {
    var data: Data
    var pause: Double
  }

  let pieces: [Piece]

  /// How long a throttled body's pieces are apart.
  private static let tick = 0.05

  init(pieces: [Piece]) { self.pieces = pieces }

  /// nil where the body is handed over at once.
  init?(_ body: Data, pace: Pace?) {
    switch pace {
    case .throttle(let bytesPerSecond) where bytesPerSecond > 0 && !body.isEmpty:
      let size = max(1, Int(Double(bytesPerSecond) * Self.tick))
      pieces = Self.cut(body, size: size) { _ in Double(size) / Double(bytesPerSecond) }
    case .dribble(let count, let over) where count > 0 && over.seconds > 0 && !body.isEmpty:
      let size = max(1, (body.count + count - 1) / count)
      pieces = Self.cut(body, size: size) { over.seconds / Double($0) }
    default: return nil
    }
  }

  private static func cut(_ body: Data, size: Int, pause: (Int) -> Double) -> [Piece] {
    let starts = stride(from: body.startIndex, to: body.endIndex, by: size)
    let pause = pause((body.count + size - 1) / size)
    return starts.map { Piece(data: body[$0..<min($0 + size, body.endIndex)], pause: pause) }
  }
}
