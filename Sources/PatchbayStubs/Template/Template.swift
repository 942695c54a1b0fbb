import Foundation

/// A text with places such as `{{request.path.1 | default none}}` that each request fills in.
package struct Template: Hashable, Sendable {
  package let parts: [Part]

  package enum Part: Hashable, Sendable {
    case literal(String)
    case value(TemplateExpression)
  }

  /// Reads the text; an unknown expression is an error that says what may stand there, with its place in the text.
  package init(_ text: String) throws(StubError) {
    var mistakes: [Mistake] = []
    parts = Self.parts(of: text, &mistakes)
    guard let first = mistakes.first else { return }
    throw StubError(first.message, at: SourcePosition(of: first.place, in: text))
  }

  /// An expression that cannot be filled in.
  struct Mistake {
    var message: String
    /// Of its braces in the text.
    var place: String.Index
    /// How many pairs of open braces stand before it.
    var number: Int
  }

  /// All that cannot be filled in.
  static func mistakes(in text: String) -> [Mistake] {
    guard isNeeded(for: text) else { return [] }
    var mistakes: [Mistake] = []
    _ = parts(of: text, &mistakes)
    return mistakes
  }

  private static func parts(of text: String, _ mistakes: inout [Mistake]) -> [Part] {
    var parts: [Part] = []
    var rest = Substring(text)
    while let open = rest.range(of: "{{") {
      if open.lowerBound > rest.startIndex { parts.append(.literal(String(rest[..<open.lowerBound]))) }
      rest = rest[open.upperBound...]
      func mistake(_ message: String) -> Mistake {
        let before = text[..<open.lowerBound].components(separatedBy: "{{").count - 1
        return Mistake(message: message, place: open.lowerBound, number: before)
      }
      if rest.hasPrefix("\"") {
        guard let close = rest.dropFirst().range(of: "\"}}") else {
          mistakes.append(mistake("`{{\"` is not closed with `\"}}`"))
          return parts
        }
        parts.append(.literal(String(rest[rest.index(after: rest.startIndex)..<close.lowerBound])))
        rest = rest[close.upperBound...]
        continue
      }
      guard let close = rest.range(of: "}}") else {
        mistakes.append(
          mistake("`{{` is not closed with `}}`; braces that mean themselves are written `{{\"{{\"}}`"))
        return parts
      }
      do throws(StubError) {
        parts.append(.value(try TemplateExpression(rest[..<close.lowerBound])))
      } catch {
        mistakes.append(mistake(error.message))
      }
      rest = rest[close.upperBound...]
    }
    if !rest.isEmpty { parts.append(.literal(String(rest))) }
    return parts
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
    guard let close = text.range(of: "}}"), (try? TemplateExpression(text[..<close.lowerBound])) != nil else {
      return nil
    }
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

  /// What stands before the first expression.
  package var front: String {
    if case .literal(let text)? = parts.first { text } else { "" }
  }

  /// What is filled in.
  var expressions: [TemplateExpression] {
    parts.compactMap { if case .value(let expression) = $0 { expression } else { nil } }
  }

  /// Whether filling it in takes the request's body.
  package var needsBody: Bool { expressions.contains { $0.source.needsBody } }

  /// The groups of regular expressions that it names.
  var groups: [String] {
    expressions.compactMap { if case .match(let name) = $0.source { name } else { nil } }
  }
}
