import Foundation
import PatchbayStubs

/// About what exchanges take in memory, in bytes. Whoever keeps many of them bounds them by it. It errs on the high side,
/// for what is counted is what others sent: a header field of no letters takes 80 bytes all the same.
extension Exchange {
  package var approximateBytes: Int { factBytes + bodyBytes }

  /// Everything but its bodies.
  package var factBytes: Int {
    var size = 1_024 + request.factBytes + (sent?.factBytes ?? 0) + redirects.factBytes
    if let response { size += response.headers.factBytes }
    if let error { size += error.domain.utf8.count + (error.message?.utf8.count ?? 0) + (error.name?.utf8.count ?? 0) }
    return size
  }

  package var bodyBytes: Int {
    (request.body?.count ?? 0) + (sent?.body?.count ?? 0) + (response?.body?.count ?? 0)
  }
}

extension ExchangeUpdate {
  /// What it adds to the facts of its exchange.
  package var factBytes: Int {
    var size = hops.factBytes + (turn?.utf8.count ?? 0)
    if let start { size += start.request.factBytes }
    if let answer { size += (answer.stub?.utf8.count ?? 0) + (answer.edited?.factBytes ?? 0) }
    if let sent { size += sent.factBytes }
    if let head { size += head.headers.factBytes }
    if let error = end?.error { size += error.domain.utf8.count + (error.message?.utf8.count ?? 0) }
    return size
  }

  /// Leaves out what of its facts is beyond that size: redirects first, then header fields, then the ends of texts.
  ///
  /// - Returns: how many bytes were left out.
  package mutating func trimFacts(to room: Int) -> Int {
    let before = factBytes
    guard before > room else { return 0 }
    hops = []
    var room = max(0, room)
    turn = turn?.trimmed(to: &room)
    if var request = start?.request {
      request.trim(to: &room)
      start?.request = request
    }
    if var edited = answer?.edited {
      edited.trim(to: &room)
      answer?.edited = edited
    }
    if var sent {
      sent.trim(to: &room)
      self.sent = sent
    }
    if let stub = answer?.stub { answer?.stub = stub.trimmed(to: &room) }
    if let headers = head?.headers { head?.headers = headers.trimmed(to: &room) }
    if var error = end?.error {
      error.domain = error.domain.trimmed(to: &room)
      error.message = error.message?.trimmed(to: &room)
      end?.error = error
    }
    return before - factBytes
  }
}

extension RecordedRequest {
  fileprivate var factBytes: Int { method.utf8.count + url.utf8.count + headers.factBytes }

  fileprivate mutating func trim(to room: inout Int) {
    method = method.trimmed(to: &room)
    url = url.trimmed(to: &room)
    headers = headers.trimmed(to: &room)
  }
}

extension [HeaderField] {
  fileprivate var factBytes: Int { reduce(80 * count) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

  fileprivate func trimmed(to room: inout Int) -> [HeaderField] {
    var kept: [HeaderField] = []
    for field in self {
      let size = 80 + field.name.utf8.count + field.value.utf8.count
      guard size <= room else { break }
      room -= size
      kept.append(field)
    }
    return kept
  }
}

extension [RedirectHop] {
  fileprivate var factBytes: Int {
    reduce(80 * count) { $0 + $1.url.utf8.count + ($1.target?.utf8.count ?? 0) + $1.headers.factBytes }
  }
}

extension String {
  fileprivate func trimmed(to room: inout Int) -> String {
    guard utf8.count > room else {
      room -= utf8.count
      return self
    }
    defer { room = 0 }
    var end = utf8.index(startIndex, offsetBy: room)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}
