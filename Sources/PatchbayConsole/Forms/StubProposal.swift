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
    if others.contains(where: { $0.port != pattern.port }) { pattern.port = nil }
    if others.contains(where: { $0.methods != pattern.methods }) { pattern.methods = [] }
    return Stub(
      name: name(ofSequence: pattern, requests, steps.count), when: pattern,
      then: .sequence(steps, afterwards: .repeat))
  }

  /// Such as `GET /v1/orders, 3 in turn`.
  private static func name(ofSequence pattern: RequestPattern, _ requests: [RecordedRequest], _ count: Int) -> String {
    let paths = requests.map { endpoint($0).path }
    let folded = paths.map { PatternChoices.wildcardPath($0) ?? $0 }
    let place = Set(paths).count == 1 ? paths[0] : Set(folded).count == 1 ? folded[0] : commonFolder(paths) + "*"
    let shown = PercentText.shown(place)
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

  /// The endpoint as the Traffic tab counts it: method, host, port and path, with any ids in it; the query may be
  /// anything.
  static func pattern(of request: RecordedRequest) -> RequestPattern { PatternChoices().pattern(of: request) }

  static func pattern(of summary: ExchangeSummary) -> RequestPattern {
    pattern(of: RecordedRequest(method: summary.method, url: summary.url))
  }

  /// - Parameter query: whether it tells requests apart that differ in nothing else.
  static func name(
    of request: RecordedRequest, ids: PatternChoices.IDs = .segment, query: Bool = false
  ) -> String {
    let exact = endpoint(request).path
    var path = ids == .exact ? exact : Endpoint.folded(exact)
    let fields = query ? PatternChoices.query(of: request.url).map { "\($0.name)=\($0.value)" } : []
    path = PercentText.shown(path)
    if !fields.isEmpty { path += "?" + fields.joined(separator: "&") }
    return "\(request.method) \(path.count > 40 ? "…" + path.suffix(39) : path)"
  }

  /// The port is nil where it is the scheme's own.
  static func endpoint(_ request: RecordedRequest) -> (host: String, port: Int?, path: String) {
    let parts = URLParts(request.url)
    let bytes = Array(request.url.utf8)
    let host = String(decoding: bytes[parts.host], as: UTF8.self)
    let path = String(decoding: bytes[parts.path], as: UTF8.self)
    return (host, port(of: request.url), path.isEmpty ? "/" : path)
  }

  /// The port that a URL names, where it is not the scheme's own: two programs on loopback differ in nothing else.
  static func port(of url: String) -> Int? {
    let parts = URLParts(url)
    let named = String(decoding: Array(url.utf8)[parts.host.upperBound..<parts.authority.upperBound], as: UTF8.self)
    guard let port = Int(named.drop { !$0.isNumber }) else { return nil }
    let usual = url.lowercased().hasPrefix("https:") ? 443 : 80
    return port == usual ? nil : port
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

/// What of a request goes into the pattern of the stub that is made of it, beside its method and host.
struct PatternChoices: Sendable, Equatable {
  /// How the numbers, UUIDs and hashes in the path are taken.
  enum IDs: Sendable, CaseIterable {
    /// As they are.
    case exact
    /// Any segment in their place, a regular expression: what is meant by an endpoint everywhere.
    case segment
  }

  var ids = IDs.segment
  var query = false
  var body = false

  mutating func toggleIDs() { ids = ids == .exact ? .segment : .exact }

  /// The fewest that tell the requests apart, as far as query and body do.
  static func telling(apart requests: [RecordedRequest]) -> PatternChoices {
    var choices = PatternChoices()
    var best = choices.kinds(of: requests)
    let ways: [(inout PatternChoices) -> Void] = [{ $0.ids = .exact }, { $0.query = true }, { $0.body = true }]
    for way in ways where best < requests.count {
      var more = choices
      way(&more)
      let kinds = more.kinds(of: requests)
      if kinds > best { (choices, best) = (more, kinds) }
    }
    return choices
  }

  private func kinds(of requests: [RecordedRequest]) -> Int { Set(requests.map(pattern)).count }

  /// The pattern of a request.
  func pattern(of request: RecordedRequest) -> RequestPattern {
    let place = StubProposal.endpoint(request)
    var pattern = RequestPattern(
      methods: [request.method], host: place.host.isEmpty ? nil : .glob(place.host), port: place.port,
      path: path(place.path))
    if query { pattern.query = PatternChoices.conditions(PatternChoices.query(of: request.url)) }
    if body { pattern.body = PatternChoices.bodyPattern(of: request) }
    return pattern
  }

  private func path(_ path: String) -> TextPattern {
    switch ids {
    case .exact: PatternChoices.literal(path)
    case .segment: PatternChoices.segmentPath(path).map(TextPattern.matches) ?? PatternChoices.literal(path)
    }
  }

  /// A pattern that fits that text only; `*` means itself.
  static func literal(_ text: String) -> TextPattern {
    text.contains("*") ? .matches("^\(escaped(text))$") : .glob(text)
  }

  /// The path with its ids as `*`; nil where there are none.
  static func wildcardPath(_ path: String) -> String? { folded(path, id: "*") { String($0) } }

  /// The path as a regular expression with its ids as any segment; nil where there are none.
  static func segmentPath(_ path: String) -> String? {
    folded(path, id: "[^/]+") { escaped(String($0)) }.map { "^\($0)$" }
  }

  private static func folded(_ path: String, id: String, _ keep: (Substring) -> String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folds = Endpoint.folded(path).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == folds.count, zip(parts, folds).contains(where: { $0 != $1 }) else { return nil }
    return zip(parts, folds).map { part, fold in
      guard part != fold, fold.hasPrefix("{id}") else { return keep(part) }
      return id + keep(fold.dropFirst(4))
    }.joined(separator: "/")
  }

  private static func escaped(_ text: String) -> String {
    let special = Set("\\^$.|?*+()[]{}")
    return text.reduce(into: "") { $0 += special.contains($1) ? "\\\($1)" : String($1) }
  }

  /// The fields of a URL's query, decoded, in their order.
  static func query(of url: String) -> [(name: String, value: String)] {
    let parts = URLParts(url)
    return fields(String(decoding: Array(url.utf8)[parts.query], as: UTF8.self), plusIsSpace: false)
  }

  private static func fields(_ text: String, plusIsSpace: Bool) -> [(name: String, value: String)] {
    text.split(separator: "&").map { item in
      let cut = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      func decoded(_ part: Substring) -> String {
        let text = plusIsSpace ? String(part).replacing("+", with: " ") : String(part)
        return text.removingPercentEncoding ?? text
      }
      return (decoded(cut[0]), cut.count > 1 ? decoded(cut[1]) : "")
    }
  }

  private static func conditions(_ fields: [(name: String, value: String)]) -> [RequestPattern.Condition] {
    fields.map { RequestPattern.Condition($0.name, literal($0.value)) }
  }

  /// JSON by its members, a form by its fields, other text as it is; nil where there is no text.
  static func bodyPattern(of request: RecordedRequest) -> BodyPattern? {
    guard let body = request.body, !body.isEmpty, body.count <= StubProposal.readableLimit,
      let text = String(validating: body, as: UTF8.self)
    else { return nil }
    let type = request.headers.first(named: "Content-Type")?.lowercased() ?? ""
    if let value = try? JSONValue(parsing: body), !type.hasPrefix("text/plain") { return BodyPattern(json: value) }
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return BodyPattern(form: conditions(fields(text, plusIsSpace: true)))
    }
    return BodyPattern(equals: text)
  }
}
