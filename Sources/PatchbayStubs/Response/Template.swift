import Foundation

/// A text with places such as `{{request.path.1}}` that each request fills in.
package struct Template: Hashable, Sendable {
  package let parts: [Part]

  package enum Part: Hashable, Sendable {
    case literal(String)
    case value(Expression)
  }

  package enum Expression: Hashable, Sendable {
    case method
    case url
    case scheme
    case host
    case port
    case path
    /// A segment of the path, decoded; the first has the number 0.
    case segment(Int)
    case query(String)
    case header(String)
    case form(String)
    /// A JSON Pointer (RFC 6901) into the request's body; empty is the whole of it.
    case json(String)
    case body
    case uuid
    /// The moment, as RFC 3339 in UTC with milliseconds.
    case now
    /// 1 for the first request that the stub takes.
    case count
  }

  /// Reads the text; an unknown expression is an error that lists the known ones, with its place in the text.
  package init(_ text: String) throws(StubError) {
    var parts: [Part] = []
    var rest = Substring(text)
    while let open = rest.range(of: "{{") {
      if open.lowerBound > rest.startIndex { parts.append(.literal(String(rest[..<open.lowerBound]))) }
      rest = rest[open.upperBound...]
      if rest.hasPrefix("\"") {
        guard let close = rest.dropFirst().range(of: "\"}}") else {
          throw StubError("`{{\"` is not closed with `\"}}`", at: SourcePosition(of: open.lowerBound, in: text))
        }
        parts.append(.literal(String(rest[rest.index(after: rest.startIndex)..<close.lowerBound])))
        rest = rest[close.upperBound...]
        continue
      }
      guard let close = rest.range(of: "}}") else {
        throw StubError(
          "`{{` is not closed with `}}`; braces that mean themselves are written `{{\"{{\"}}`",
          at: SourcePosition(of: open.lowerBound, in: text))
      }
      do throws(StubError) {
        parts.append(.value(try Self.expression(rest[..<close.lowerBound])))
      } catch {
        throw StubError(error.message, at: SourcePosition(of: open.lowerBound, in: text))
      }
      rest = rest[close.upperBound...]
    }
    if !rest.isEmpty { parts.append(.literal(String(rest))) }
    self.parts = parts
  }

  /// The text as a template in which what cannot be filled in means itself.
  package static func quotingMistakes(_ text: String) -> String {
    var result = ""
    var rest = Substring(text)
    while let open = rest.range(of: "{{") {
      result += rest[..<open.lowerBound]
      if let end = end(ofExpression: rest[open.upperBound...]) {
        result += rest[open.lowerBound..<end]
        rest = rest[end...]
      } else {
        result += quoting("{{")
        rest = rest[open.upperBound...]
      }
    }
    return result + rest
  }

  private static func end(ofExpression text: Substring) -> Substring.Index? {
    if text.hasPrefix("\"") { return text.dropFirst().range(of: "\"}}")?.upperBound }
    guard let close = text.range(of: "}}"), (try? expression(text[..<close.lowerBound])) != nil else { return nil }
    return close.upperBound
  }

  /// A template that gives exactly this text.
  package static func quoting(_ text: String) -> String {
    text.contains("{{") ? text.replacingOccurrences(of: "{{", with: "{{\"{{\"}}") : text
  }

  /// Whether the text may hold an expression at all.
  package static func isNeeded(for text: String) -> Bool {
    var previous: UInt8 = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "{"), previous == byte { return true }
      previous = byte
    }
    return false
  }

  /// Whether filling it in takes the request's body.
  package var needsBody: Bool {
    parts.contains { part in
      switch part {
      case .value(.json), .value(.form), .value(.body): true
      default: false
      }
    }
  }

  private static func expression(_ source: Substring) throws(StubError) -> Expression {
    let text = source.trimmingCharacters(in: .whitespaces)
    if let simple = simple[text] { return simple }
    func after(_ prefix: String) -> String? {
      text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
    if let number = after("request.path.").flatMap({ Int($0) }), number >= 0 { return .segment(number) }
    if let name = after("request.query."), !name.isEmpty { return .query(name) }
    if let name = after("request.header."), !name.isEmpty { return .header(name) }
    if let name = after("request.form."), !name.isEmpty { return .form(name) }
    if text == "request.json" { return .json("") }
    if let pointer = after("request.json."), pointer.isEmpty || pointer.hasPrefix("/") { return .json(pointer) }
    let stem = text.split(separator: ".").prefix(2).joined(separator: ".")
    let stems = Dictionary(
      known.map { ($0.split(separator: ".").prefix(2).joined(separator: "."), $0) },
      uniquingKeysWith: { first, _ in first })
    var hint = NearestName.hint(for: text, among: known)
    if hint.isEmpty, let near = NearestName.find(stem, among: stems.keys.sorted()), let name = stems[near] {
      hint = "; did you mean `\(name)`?"
    }
    if !hint.isEmpty { throw StubError("`{{\(text.shortened(to: 60))}}` is not known\(hint)") }
    throw StubError("`{{\(text.shortened(to: 60))}}` is not known; known are \(known.joined(separator: ", "))")
  }

  private static let simple: [String: Expression] = [
    "request.method": .method, "request.url": .url, "request.scheme": .scheme, "request.host": .host,
    "request.port": .port, "request.path": .path, "request.body": .body, "uuid": .uuid, "now": .now, "count": .count,
  ]

  /// How expressions are written.
  package static let known = [
    "request.method", "request.url", "request.scheme", "request.host", "request.port", "request.path",
    "request.path.0", "request.query.NAME", "request.header.NAME", "request.form.NAME", "request.json./POINTER",
    "request.body", "uuid", "now", "count",
  ]
}
