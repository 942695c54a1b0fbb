import Foundation
import PatchbayStubs
import PatchbayWire

/// Something that is told of an exchange, with bodies that can be given up.
protocol BodyCarrying {
  var key: UInt64 { get }
  /// Set in the last thing that is told of an exchange.
  var end: ExchangeUpdate.End? { get set }
  /// Takes the bodies of requests out, and tells the length of each that was not empty.
  mutating func dropRequestBodies() -> [Int]
  /// Takes the piece of the response's body out, and tells its length; nil where there is none, or it is empty.
  mutating func dropResponseBody() -> Int?
}

/// Gives bodies up where there is no room or no time for them, and counts them.
///
/// After one piece of a response's body the pieces that follow go too, so that no body arrives with a hole in it; the end
/// of the exchange says what is not whole.
struct BodyShedder {
  /// What was given up so far.
  var shed = Shed()
  /// Exchanges of which a body was given up, until their end.
  private var cut: [UInt64: Cut] = [:]

  private struct Cut {
    var request = false
    var response = false
  }

  /// Whether nothing follows of a body that was cut.
  var isIdle: Bool { cut.isEmpty }

  mutating func takeShed() -> Shed {
    defer { shed = Shed() }
    return shed
  }

  /// - Parameter dropsBodies: All bodies go; else only the rest of those that were cut.
  mutating func cut<Told: BodyCarrying>(_ told: inout Told, dropsBodies: Bool) {
    var cut = cut[told.key] ?? Cut()
    if dropsBodies {
      for bytes in told.dropRequestBodies() {
        count(bytes)
        cut.request = true
      }
    }
    if dropsBodies || cut.response, let bytes = told.dropResponseBody() {
      shed.bytes += UInt64(bytes)
      if !cut.response { shed.bodies += 1 }
      cut.response = true
    }
    guard cut.request || cut.response else { return }
    guard told.end != nil else {
      self.cut[told.key] = cut
      return
    }
    self.cut[told.key] = nil
    if cut.request { told.end?.requestTruncated = true }
    if cut.response { told.end?.responseTruncated = true }
  }

  /// Counts a body of that many bytes, which was given up as a whole.
  mutating func count(_ bytes: Int) {
    shed.bodies += 1
    shed.bytes += UInt64(bytes)
  }
}

extension ExchangeReport: BodyCarrying {
  mutating func dropRequestBodies() -> [Int] {
    var lengths: [Int] = []
    if case .data(let body)? = start?.request.body, !body.isEmpty {
      start?.request.body = .none
      lengths.append(body.count)
    }
    if let body = answer?.edited?.body, !body.isEmpty {
      answer?.edited?.body = Data()
      lengths.append(body.count)
    }
    if case .data(let body)? = sent?.body, !body.isEmpty {
      sent?.body = .none
      sent?.isCut = true
      lengths.append(body.count)
    }
    return lengths
  }

  mutating func dropResponseBody() -> Int? {
    guard let piece = data, !piece.isEmpty else { return nil }
    data = nil
    return piece.count
  }
}

extension ExchangeUpdate: BodyCarrying {
  mutating func dropRequestBodies() -> [Int] {
    [start?.request.dropBody(), answer?.edited?.dropBody(), sent?.dropBody()].compactMap { $0 ?? nil }
  }

  mutating func dropResponseBody() -> Int? {
    guard let piece = data, !piece.isEmpty else { return nil }
    data = nil
    return piece.count
  }
}

extension RecordedRequest {
  fileprivate mutating func dropBody() -> Int? {
    guard let body, !body.isEmpty else { return nil }
    self.body = Data()
    truncated = true
    return body.count
  }
}
