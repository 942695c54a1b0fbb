import Foundation
import PatchbayStubs

/// Patterns as one types them in a form: a glob, or `~` and a regular expression.
enum PatternText {
  static func text(_ pattern: TextPattern?) -> String {
    switch pattern {
    case nil: ""
    case .glob(let text): text.hasPrefix("~") ? "\\" + text : text
    case .matches(let text): "~" + text
    }
  }

  static func pattern(_ text: String) -> TextPattern? {
    guard !text.isEmpty else { return nil }
    if text.hasPrefix("~") { return .matches(String(text.dropFirst())) }
    return .glob(text.hasPrefix("\\~") ? String(text.dropFirst()) : text)
  }

  /// `page=2; !debug`; a semicolon within a value is written `\;`, and a backslash at its end stands before a space.
  static func text(_ conditions: [RequestPattern.Condition], sign: String) -> String {
    conditions.map { condition in
      let item = condition.value.map { "\(condition.name)\(sign)\(text($0))" } ?? "!\(condition.name)"
      let escaped = item.replacingOccurrences(of: ";", with: "\\;")
      return escaped.hasSuffix("\\") ? escaped + " " : escaped
    }.joined(separator: "; ")
  }

  static func conditions(_ text: String, sign: Character) throws(FormProblem) -> [RequestPattern.Condition] {
    var conditions: [RequestPattern.Condition] = []
    for part in parts(text) {
      let item = part.drop { $0 == " " }
      guard !item.isEmpty else { continue }
      if item.first == "!" {
        conditions.append(.init(trimmed(item.dropFirst()), nil))
        continue
      }
      guard let place = item.firstIndex(of: sign) else {
        throw FormProblem(
          "write name\(sign)value, or !name for one that must be absent; \\; for a semicolon in a value")
      }
      let value = trimmed(item[item.index(after: place)...])
      conditions.append(.init(trimmed(item[..<place]), pattern(value) ?? .glob("")))
    }
    return conditions
  }

  private static func parts(_ text: String) -> [String] {
    var parts = [""]
    var isEscaped = false
    for letter in text {
      if letter == ";" {
        if isEscaped {
          parts[parts.count - 1].removeLast()
          parts[parts.count - 1].append(letter)
        } else {
          parts.append("")
        }
      } else {
        parts[parts.count - 1].append(letter)
      }
      isEscaped = letter == "\\"
    }
    return parts
  }

  /// One header field a line.
  static func text(_ headers: [HeaderField]) -> String {
    headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }

  static func headers(_ text: String) throws(FormProblem) -> [HeaderField] {
    var fields: [HeaderField] = []
    for (place, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy({ $0 == " " }) { continue }
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
        throw FormProblem("line \(place + 1): write Name: value")
      }
      fields.append(HeaderField(trimmed(line[..<colon]), trimmed(line[line.index(after: colon)...])))
    }
    return fields
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

/// What is wrong with a field: a clause.
struct FormProblem: Error, Equatable {
  var text: String

  init(_ text: String) { self.text = text }
}
