import Foundation
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// What of a request goes into the pattern of the stub that is made of it, beside its method and host.
struct PatternChoices: Sendable, Equatable {
  /// How the numbers, UUIDs and hashes in the path are taken.
  enum IDs: Sendable, CaseIterable {
    /// As they are.
    case exact
    /// Any text in their place, `/` included.
    case wildcard
    /// Any segment in their place: a regular expression.
    case segment
  }

  var ids = IDs.exact
  var query = false
  var body = false

  mutating func nextIDs() {
    ids = IDs.allCases[((IDs.allCases.firstIndex(of: ids) ?? 0) + 1) % IDs.allCases.count]
  }

  /// The fewest that tell the requests apart, as far as query and body do.
  static func telling(apart requests: [RecordedRequest]) -> PatternChoices {
    var choices = PatternChoices()
    var best = choices.kinds(of: requests)
    for part in [\PatternChoices.query, \PatternChoices.body] where best < requests.count {
      var more = choices
      more[keyPath: part] = true
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
      methods: [request.method], host: place.host.isEmpty ? nil : .glob(place.host), path: path(place.path))
    if query { pattern.query = PatternChoices.conditions(PatternChoices.query(of: request.url)) }
    if body { pattern.body = PatternChoices.bodyPattern(of: request) }
    return pattern
  }

  private func path(_ path: String) -> TextPattern {
    switch ids {
    case .exact: PatternChoices.literal(path)
    case .wildcard: PatternChoices.wildcardPath(path).map(TextPattern.glob) ?? PatternChoices.literal(path)
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
