import Foundation
import PatchbayWire

/// An exchange that has not ended, while its parts come in.
struct OpenExchange: Sendable {
  var exchange: Exchange
  /// The response's body so far. `exchange.response.body` is a snapshot of it, which others may share.
  var body: Data?
  /// Not in the snapshot yet.
  var bodyIsBehind = false
  var snapshotAt = Timestamp(microseconds: 0)
  var truncated = false
  var heldSince: Timestamp?
  /// The response is one that was held: the program has not got it.
  var isPreview = false
  /// A verdict was sent and the hook has not answered it.
  var isDecided = false
  var isChanged = false

  init(_ exchange: Exchange) { self.exchange = exchange }

  /// What its response body takes.
  var responseBytes: Int { body?.count ?? 0 }
  /// What its bodies take.
  var bodyBytes: Int { responseBytes + (exchange.request.body?.count ?? 0) }

  /// Applies what became known. Returns whether that ended it.
  mutating func apply(_ update: ExchangeUpdate, now: Timestamp, room: Int) -> Bool {
    if let answer = update.answer {
      exchange.by = answer.by
      exchange.stub = answer.stub
      if let edited = answer.edited { exchange.request = edited }
    }
    exchange.redirects += update.hops
    if let head = update.head {
      exchange.response = RecordedResponse(status: head.status, headers: head.headers)
      exchange.timing.head = head.at
      body = nil
      bodyIsBehind = false
      truncated = false
      isPreview = false
      if exchange.phase == .waiting { exchange.phase = .receiving }
    }
    if let data = update.data { append(data, room: room) }
    if let held = update.held { hold(held, now: now) }
    guard let end = update.end else { return false }
    finish(end)
    return true
  }

  private mutating func append(_ data: Data, room: Int) {
    if data.count > room { truncated = true }
    let piece = data.count > room ? Data(data.prefix(max(0, room))) : data
    if body == nil { body = piece } else { body?.append(piece) }
    bodyIsBehind = true
  }

  private mutating func hold(_ held: ExchangeUpdate.Held, now: Timestamp) {
    isDecided = false
    switch held {
    case .request:
      exchange.phase = .heldRequest
      heldSince = now
    case .response:
      exchange.phase = .heldResponse
      heldSince = now
      isPreview = true
    case .released:
      exchange.phase = exchange.response == nil ? .waiting : .receiving
      heldSince = nil
    }
  }

  private mutating func finish(_ end: ExchangeUpdate.End) {
    takeSnapshot(now: snapshotAt)
    exchange.phase = .ended
    exchange.outcome = end.outcome
    if isPreview, end.outcome != .responded { exchange.response = nil }
    exchange.error = end.error
    exchange.timing.end = end.at
    exchange.timing.held = end.held
    exchange.bytesSent = end.bytesSent
    exchange.bytesReceived = end.bytesReceived
    exchange.request.truncated = exchange.request.truncated || end.requestTruncated
    exchange.response?.truncated = truncated || end.responseTruncated
    if end.hasBody, exchange.response?.body == nil { exchange.response?.body = Data() }
    heldSince = nil
  }

  /// Ends it because its process has gone.
  mutating func abandon(now: Timestamp) {
    takeSnapshot(now: now)
    exchange.phase = .ended
    exchange.outcome = .abandoned
    exchange.timing.end = max(0, now.microseconds - exchange.startedAt.microseconds)
    if exchange.bytesReceived == 0 { exchange.bytesReceived = Int64(responseBytes) }
    heldSince = nil
  }

  /// Whether the body has grown so much, or been behind for so long, that copying it once more is worth it: a body that
  /// comes in small pieces would else be copied for each of them.
  func isSnapshotDue(now: Timestamp) -> Bool {
    guard bodyIsBehind else { return false }
    let seen = exchange.response?.body?.count ?? 0
    return seen == 0 || responseBytes - seen >= seen / 4 || now.microseconds >= snapshotDueAt.microseconds
  }

  /// 50 ms after the last one, and the more the larger the body: 2 s from 40 MB on.
  var snapshotDueAt: Timestamp {
    Timestamp(microseconds: snapshotAt.microseconds + max(50_000, min(2_000_000, Int64(responseBytes / 20))))
  }

  mutating func takeSnapshot(now: Timestamp) {
    guard bodyIsBehind else { return }
    if exchange.response == nil { exchange.response = RecordedResponse(status: 0) }
    exchange.response?.body = body
    exchange.response?.truncated = truncated
    bodyIsBehind = false
    snapshotAt = now
  }
}
