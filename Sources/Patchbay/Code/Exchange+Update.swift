import Foundation
import PatchbayWire

extension Exchange {
  /// Takes in what became known since. The start is not looked at: an exchange is made of it.
  mutating func apply(_ update: ExchangeUpdate) {
    if let answer = update.answer {
      by = answer.by
      stub = answer.stub
      if let edited = answer.edited { request = edited }
    }
    redirects += update.hops
    if let head = update.head {
      response = RecordedResponse(status: head.status, headers: head.headers)
      timing.head = head.at
      phase = .receiving
    }
    switch update.held {
    case .request: phase = .heldRequest
    case .response: phase = .heldResponse
    case .released: phase = response == nil ? .waiting : .receiving
    case nil: break
    }
    if let data = update.data { response?.append(data) }
    if let end = update.end { finish(end) }
  }

  private mutating func finish(_ end: ExchangeUpdate.End) {
    phase = .ended
    outcome = end.outcome
    error = end.error
    timing.end = end.at
    timing.held = end.held
    bytesSent = end.bytesSent
    bytesReceived = end.bytesReceived
    if end.requestTruncated { request.truncated = true }
    if end.responseTruncated { response?.truncated = true }
    if end.hasBody && response?.body == nil { response?.body = Data() }
  }
}

extension RecordedResponse {
  fileprivate mutating func append(_ data: Data) {
    body = (body ?? Data()) + data
  }
}
