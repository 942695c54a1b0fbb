import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// Makes stubs of requests that were recorded.
enum StubProposal {
  /// Bodies above this stay bytes: reading them as JSON would take too long for a key.
  static let readableLimit = 512 << 10

  /// A stub that answers the same endpoint as the program was answered; nil for one that has not ended.
  static func stub(of exchange: Exchange, name: String? = nil) -> Stub? {
    guard let action = action(of: exchange) else { return nil }
    let pattern = pattern(of: exchange.request)
    return Stub(name: name ?? self.name(of: exchange.request), when: pattern, then: action)
  }

  /// One stub that answers as these were answered, in turn; nil where none has ended.
  static func sequence(of exchanges: [Exchange]) -> Stub? {
    let steps = exchanges.compactMap(action)
    guard let first = exchanges.first, !steps.isEmpty else { return nil }
    let requests = exchanges.map(\.request)
    var pattern = pattern(of: first.request)
    let others = requests.dropFirst().map { self.pattern(of: $0) }
    if others.contains(where: { $0.path != pattern.path }) { pattern.path = commonPath(requests) }
    if others.contains(where: { $0.host != pattern.host }) { pattern.host = nil }
    if others.contains(where: { $0.methods != pattern.methods }) { pattern.methods = [] }
    return Stub(
      name: name(ofSequence: pattern, requests, steps.count), when: pattern,
      then: .sequence(steps, afterwards: .repeat))
  }

  /// Such as `GET /v1/orders, 3 in turn`.
  private static func name(ofSequence pattern: RequestPattern, _ requests: [RecordedRequest], _ count: Int) -> String {
    let paths = requests.map { endpoint($0).path }
    let folded = paths.map { PatternChoices.wildcardPath($0) ?? $0 }
    let shown = Set(paths).count == 1 ? paths[0] : Set(folded).count == 1 ? folded[0] : commonFolder(paths) + "*"
    let short = shown.count > 40 ? "…" + shown.suffix(39) : shown
    return (pattern.methods + [count == 1 ? short : "\(short), \(count) in turn"]).joined(separator: " ")
  }

  /// What the paths of requests have in common: all but their ids, or else the folder that all are in.
  private static func commonPath(_ requests: [RecordedRequest]) -> TextPattern {
    let paths = requests.map { endpoint($0).path }
    let folded = Set(paths.map { PatternChoices.segmentPath($0) })
    if folded.count == 1, let one = folded.first ?? nil { return .matches(one) }
    let folder = commonFolder(paths)
    return folder.contains("*") ? .glob("*") : .glob(folder + "*")
  }

  /// Up to the last slash before they differ.
  private static func commonFolder(_ paths: [String]) -> String {
    var common = paths.first ?? ""
    for path in paths { common = common.commonPrefix(with: path) }
    let isWhole = paths.allSatisfy { $0 == common || $0.dropFirst(common.count).first == "/" }
    if isWhole { return common }
    return common.lastIndex(of: "/").map { String(common[...$0]) } ?? ""
  }

  /// Method, host and path; the query may be anything.
  static func pattern(of request: RecordedRequest) -> RequestPattern { PatternChoices().pattern(of: request) }

  static func pattern(of summary: ExchangeSummary) -> RequestPattern {
    pattern(of: RecordedRequest(method: summary.method, url: summary.url))
  }

  /// - Parameter query: whether it tells requests apart that differ in nothing else.
  static func name(
    of request: RecordedRequest, ids: PatternChoices.IDs = .exact, query: Bool = false
  ) -> String {
    let exact = endpoint(request).path
    var path = ids == .exact ? exact : PatternChoices.wildcardPath(exact) ?? exact
    let fields = query ? PatternChoices.query(of: request.url).map { "\($0.name)=\($0.value)" } : []
    if !fields.isEmpty { path += "?" + fields.joined(separator: "&") }
    return "\(request.method) \(path.count > 40 ? "…" + path.suffix(39) : path)"
  }

  static func endpoint(_ request: RecordedRequest) -> (host: String, path: String) {
    let parts = URLParts(request.url)
    let bytes = Array(request.url.utf8)
    let host = String(decoding: bytes[parts.host], as: UTF8.self)
    let path = String(decoding: bytes[parts.path], as: UTF8.self)
    return (host, path.isEmpty ? "/" : path)
  }

  private static func action(of exchange: Exchange) -> Action? {
    if let response = exchange.response, exchange.outcome == .responded || exchange.phase == .heldResponse {
      return .respond(canned(response))
    }
    guard let error = exchange.error else { return nil }
    if let name = error.name { return .fail(Fault(.named(name))) }
    return .fail(Fault(.custom(domain: error.domain, code: error.code, message: error.message)))
  }

  /// The response as it came. Fields that speak of the transfer are left out, for the body is sent as it is.
  static func canned(_ response: RecordedResponse) -> CannedResponse {
    let transfer: Set<String> = [
      "content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive", "date",
    ]
    let headers = response.headers.filter { !transfer.contains($0.name.lowercased()) }
    return CannedResponse(
      status: response.status, headers: headers,
      body: body(response.body, type: response.headers.first(named: "Content-Type")))
  }

  static func body(_ data: Data?, type: String?) -> CannedResponse.Body {
    guard let data, !data.isEmpty else { return .none }
    guard data.count <= readableLimit, let text = String(validating: data, as: UTF8.self), !text.contains("{{") else {
      return .data(data)
    }
    if ContentKind(contentType: type) == .json, let value = try? JSONValue(parsing: data) { return .json(value) }
    return .text(text)
  }
}
