import Foundation
import NIOHTTP1

/// What the demo's server says to one request: a head, pieces of body and the pauses before them.
struct DemoAnswer: Sendable {
  var status: HTTPResponseStatus
  var headers: [(name: String, value: String)]
  var pieces: [Piece]

  struct Piece: Sendable {
    var after: Duration
    var bytes: [UInt8]
  }

  /// The whole body at once, after a pause.
  init(
    _ status: HTTPResponseStatus, type: String?, body: [UInt8], headers: [(name: String, value: String)] = [],
    after delay: Duration = .zero
  ) {
    self.status = status
    self.headers = headers + [(name: "Content-Length", value: String(body.count))]
    if let type { self.headers.insert((name: "Content-Type", value: type), at: 0) }
    pieces = [Piece(after: delay, bytes: body)]
  }

  /// A body that comes in pieces, its end marked by the connection's close.
  init(streaming pieces: [Piece], type: String) {
    status = .ok
    headers = [(name: "Content-Type", value: type), (name: "Cache-Control", value: "no-cache")]
    self.pieces = pieces
  }

  static func json(
    _ text: String, status: HTTPResponseStatus = .ok, headers: [(name: String, value: String)] = [],
    after delay: Duration = .zero
  ) -> DemoAnswer {
    DemoAnswer(status, type: "application/json; charset=utf-8", body: Array(text.utf8), headers: headers, after: delay)
  }
}
