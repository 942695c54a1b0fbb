import Foundation

/// An exchange that is built of its updates as they come in: the one place where an ``ExchangeUpdate`` becomes part of
/// an ``Exchange``. The server and the hook's own log both use it, so that they tell the same of one request.
package struct ExchangeBuilder: Sendable {
  package var exchange: Exchange
  /// The response's body so far. `exchange.response.body` is a snapshot of it (``updateBody()``), which others may
  /// share: a body that comes in small pieces would else be copied for each of them.
  private var body: Data?
  /// `exchange` does not have all of the body yet.
  package private(set) var isBodyBehind = false
  private var isTruncated = false
  /// The response is one that is or was held: the program has not got it. What it gets comes with a head of its own.
  private var isPreview = false

  package init(_ exchange: Exchange) { self.exchange = exchange }

  package init(id: Int64, process: HarnessProcess, start: ExchangeUpdate.Start) {
    exchange = Exchange(id: id, process: process, startedAt: start.at, request: start.request)
    exchange.task = start.task
    exchange.revision = start.revision
  }

  /// How many bytes of the response's body have come and were kept.
  package var responseBytes: Int { body?.count ?? 0 }
  /// How many bytes its bodies take.
  package var bodyBytes: Int {
    responseBytes + (exchange.request.body?.count ?? 0) + (exchange.sent?.body?.count ?? 0)
  }

  /// Adds what became known. The start is not looked at: an exchange is made of it.
  ///
  /// - Parameter room: How many bytes more of the response's body are kept; it counts as truncated when more come.
  /// - Returns: Whether that ended it. Then `exchange` is complete.
  @discardableResult
  package mutating func apply(_ update: ExchangeUpdate, room: Int = .max) -> Bool {
    if let answer = update.answer {
      exchange.by = answer.by
      exchange.stub = answer.stub
      if let edited = answer.edited { exchange.request = edited }
    }
    if let sent = update.sent { exchange.sent = sent }
    if let turn = update.turn { exchange.redirects.turn(to: turn) }
    exchange.redirects += update.hops
    if let head = update.head { begin(head) }
    if let data = update.data { append(data, room: room) }
    switch update.held {
    case .request: exchange.phase = .heldRequest
    case .response:
      exchange.phase = .heldResponse
      isPreview = true
    case .released: exchange.phase = exchange.response == nil ? .waiting : .receiving
    case nil: break
    }
    guard let end = update.end else { return false }
    finish(end)
    return true
  }

  /// A head begins the response anew, also where one was told before.
  private mutating func begin(_ head: ExchangeUpdate.Head) {
    exchange.response = RecordedResponse(status: head.status, headers: head.headers)
    exchange.timing.head = head.at
    body = nil
    isBodyBehind = false
    isTruncated = false
    isPreview = false
    if exchange.phase == .waiting { exchange.phase = .receiving }
  }

  private mutating func append(_ data: Data, room: Int) {
    if data.count > room { isTruncated = true }
    let piece = data.count > room ? Data(data.prefix(max(0, room))) : data
    if body == nil { body = piece } else { body?.append(piece) }
    isBodyBehind = true
  }

  private mutating func finish(_ end: ExchangeUpdate.End) {
    updateBody()
    exchange.phase = .ended
    exchange.outcome = end.outcome
    // Held, and then failed or cancelled: what was shown of it to the person never came to the program.
    if isPreview, end.outcome != .responded { exchange.response = nil }
    exchange.error = end.error
    exchange.timing.end = end.at
    exchange.timing.held = end.held
    exchange.bytesSent = end.bytesSent
    exchange.bytesReceived = end.bytesReceived
    exchange.request.truncated = exchange.request.truncated || end.requestTruncated
    exchange.response?.truncated = isTruncated || end.responseTruncated
    if end.hasBody, exchange.response?.body == nil { exchange.response?.body = Data() }
  }

  /// Ends it because its process has gone. A response that was held stays: it is all that is left of the request.
  package mutating func abandon(now: Timestamp) {
    updateBody()
    exchange.phase = .ended
    exchange.outcome = .abandoned
    exchange.timing.end = NumberLimits.count(now.microseconds - exchange.startedAt.microseconds)
    if exchange.bytesReceived == 0 { exchange.bytesReceived = Int64(responseBytes) }
  }

  /// Puts the body as it has come so far into `exchange`.
  package mutating func updateBody() {
    guard isBodyBehind else { return }
    if exchange.response == nil { exchange.response = RecordedResponse(status: 0) }
    exchange.response?.body = body
    exchange.response?.truncated = isTruncated
    isBodyBehind = false
  }
}
