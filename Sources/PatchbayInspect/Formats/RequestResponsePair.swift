import Foundation
import PatchbayStubs
import PatchbayWire

/// What went to a server once and what came of it; a request that was redirected asks several times.
struct RequestResponsePair {
  var method: String
  var url: String
  /// nil where there was none, or where not all of it is known.
  var body: Data?
  var answer: Action
  /// What the answer lacks, a sentence each.
  var notes: [String] = []
  /// All of the answer's body was recorded.
  var isWhole = true

  /// As a program sends it: an archive may hold what no URL does, such as a backslash.
  static func sent(_ url: String) -> String { url.contains("\\") ? URL(string: url)?.absoluteString ?? url : url }

  /// In the order in which it was asked; empty where there is no answer or error of its own.
  static func all(of exchange: Exchange, bodies: inout BodyFiles) -> [RequestResponsePair] {
    // What no stub can say, as some servers do: a stub file with it could not be read.
    let statuses = exchange.redirects.map(\.status) + (exchange.response.map { [$0.status] } ?? [])
    guard FieldToken.isOne(exchange.request.method), statuses.allSatisfy({ 100...599 ~= $0 })
    else { return [] }
    guard let end = action(for: exchange, bodies: &bodies) else { return [] }
    var next = RequestResponsePair(
      method: exchange.request.method, url: sent(exchange.request.url),
      body: exchange.request.truncated ? nil : exchange.request.body, answer: end)
    if let response = exchange.response {
      next.notes = notes(response, exchange.responsePart)
      next.isWhole = !response.truncated
    }
    let whole = next
    var all: [RequestResponsePair] = []
    for hop in exchange.redirects {
      guard let target = hop.led else { return [whole] }
      var redirected = next
      redirected.answer = .respond(redirect(hop))
      redirected.notes = maskedNote(hop.headers)
      redirected.isWhole = true
      all.append(redirected)
      next.url = target
      if RedirectRule.becomesGet(hop.status, after: next.method) { next.method = "GET" }
      // Not even a redirect that keeps the method sends the body again.
      next.body = nil
    }
    next.answer = end
    return all + [next]
  }

  private static func action(for exchange: Exchange, bodies: inout BodyFiles) -> Action? {
    switch exchange.outcome {
    case .responded: exchange.response.map { .respond(canned($0, bodies: &bodies)) }
    case .failed: exchange.error.map { .fail(fault($0, after: exchange.response)) }
    default: nil
    }
  }

  /// The end of a note, where it can be so.
  static let isOff = ", so this stub is off: a program would take the part for the whole."

  private static func notes(_ response: RecordedResponse, _ part: RecordedPart) -> [String] {
    var notes = maskedNote(response.headers)
    if let part = part.sentence() { notes.append(part + isOff) }
    return notes
  }

  private static func maskedNote(_ headers: [HeaderField]) -> [String] {
    let masked = headers.filter { Redaction.standard.isLeftOut($0) }.map(\.name)
    return masked.isEmpty ? [] : ["Left out because their values were masked: \(masked.joined(separator: ", "))."]
  }

  /// By its name only where that is a code's name: any program that links can record another.
  private static func fault(_ error: RecordedError, after response: RecordedResponse?) -> Fault {
    let isKnown = error.name.flatMap { URLErrorCode.code(named: $0) } == error.code
    let failure: Fault.Failure =
      if let name = error.name, isKnown, error.domain == URLErrorCode.domain {
        .named(name)
      } else {
        .custom(domain: error.domain, code: error.code, message: error.message)
      }
    var none = BodyFiles()
    return Fault(failure, after: response.map { Fault.Partial(response: canned($0, bodies: &none)) })
  }

  /// Its body is not recorded, so that its length is another.
  private static func redirect(_ hop: RedirectHop) -> CannedResponse {
    let headers = hop.headers.filter { field in
      switch field.name.lowercased() {
      case "content-encoding": false
      case "content-length": field.value == "0"
      default: true
      }
    }
    var none = BodyFiles()
    return canned(RecordedResponse(status: hop.status, headers: headers, body: nil), bodies: &none)
  }

  /// The fields as the program saw them. Where the body was encoded it is recorded decoded: then the hook is not to
  /// decode it once more, and its length is another.
  private static func canned(_ response: RecordedResponse, bodies: inout BodyFiles) -> CannedResponse {
    let coding = response.headers.first(named: "Content-Encoding")?.lowercased() ?? "identity"
    var stale: Set<String> = coding == "identity" ? [] : ["content-encoding", "content-length"]
    // One that was masked has another length, and one that was cut off is not to be taken for whole.
    if let length = response.headers.first(named: "Content-Length").flatMap({ Int($0) }), let body = response.body,
      !body.isEmpty, length != body.count
    {
      stale.insert("content-length")
    }
    let headers = response.headers.filter {
      FieldToken.isOne($0.name) && !$0.value.utf8.contains { [0x00, 0x0A, 0x0D].contains($0) }
    }
    .filter { !stale.contains($0.name.lowercased()) && !Redaction.standard.isLeftOut($0) }
    .map { HeaderField($0.name, Template.quoting($0.value)) }
    if let body = response.body, let file = bodies.place(body, type: response.headers.first(named: "Content-Type")) {
      return CannedResponse(status: response.status, headers: headers, body: .file(file))
    }
    return CannedResponse(status: response.status, headers: headers, body: body(response))
  }

  /// JSON where writing it anew gives the same bytes and the same type, else text, else bytes.
  private static func body(_ response: RecordedResponse) -> CannedResponse.Body {
    guard let data = response.body, !data.isEmpty else { return .none }
    guard let text = data.utf8Text, !text.unicodeScalars.contains("\0") else {
      return .data(data)
    }
    let type = response.headers.first(named: "Content-Type").map { MediaType($0).essence }
    if type == "application/json", !text.contains("{{"), let json = try? JSONValue(parsing: data),
      json.bodyData == data
    {
      return .json(json)
    }
    return .text(Template.quoting(text))
  }
}

/// The requests that followed one another where an exchange was redirected.
struct RequestChain {
  /// One for each redirect that was followed, and the last one, which got the answer.
  private(set) var requests: [RecordedRequest] = []

  init(_ exchange: Exchange) {
    var request = exchange.request
    for hop in exchange.redirects {
      request.url = hop.url
      requests.append(request)
      Self.follow(hop, with: &request)
    }
    // An archive may have been recorded by the URL that was reached, and not by the one that was asked for.
    if exchange.redirects.first?.url != exchange.request.url { request.url = exchange.request.url }
    requests.append(request)
  }

  /// Goes where the answer points to.
  private static func follow(_ hop: RedirectHop, with request: inout RecordedRequest) {
    if let target = hop.led ?? hop.headers.first(named: "Location") { request.url = target }
    guard RedirectRule.becomesGet(hop.status, after: request.method) else { return }
    request.method = "GET"
    request.body = nil
    request.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
  }
}

extension RedirectHop {
  /// The URL that was asked next: where the program went, else where the response points to (RFC 9110 §10.2.2).
  var led: String? {
    target
      ?? headers.first(named: "Location").flatMap { place in
        URL(string: url).flatMap { URL(string: place, relativeTo: $0)?.absoluteString }
      }
  }
}
