import Foundation
import PatchbayStubs

/// Patterns as one types them in a form: a glob, or `~` and a regular expression; lists and what must not fit as in a stub
/// file: `["a", "b*"]`, `{"not": "/health*"}`.
enum PatternText {
  static func text(_ pattern: TextPattern?) -> String {
    switch pattern {
    case nil: ""
    case .glob(let text): isAnother(text) ? "\\" + text : text
    case .matches(let text): "~" + text
    case .any, .not, .all: pattern?.json.compact ?? ""
    }
  }

  /// Whether a glob would be read as a pattern of another kind; a backslash before it, and before those, says that it is
  /// none.
  private static func isAnother(_ text: String) -> Bool {
    let rest = text.drop { $0 == "\\" }
    return rest.hasPrefix("~") || composite(String(rest)) != nil
  }

  /// A list or a map of patterns; nil where the text is another one, such as the address `[::1]`.
  private static func composite(_ text: String) -> TextPattern? {
    guard text.hasPrefix("[") || text.hasPrefix("{"), let json = try? JSONValue(parsing: text) else { return nil }
    return try? TextPattern(json: json)
  }

  static func pattern(_ text: String) -> TextPattern? {
    guard !text.isEmpty else { return nil }
    if text.hasPrefix("~") { return .matches(String(text.dropFirst())) }
    if let composite = composite(text) { return composite }
    return .glob(text.hasPrefix("\\") && isAnother(text) ? String(text.dropFirst()) : text)
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

/// What a pattern asks of a body beside a text in it, as one types it in a form: `json: {"id": 7}; form: {"a": "1"}`.
enum BodyAsks {
  /// The text that it must contain, or the patterns of such.
  static func contained(_ body: BodyPattern?) -> String {
    // Where a file says `matches` with a list that is one of them.
    switch body?.contains {
    case nil: ""
    case .glob(let text): text
    case let pattern?: pattern.json.compact
    }
  }

  static func contains(_ text: String) -> TextPattern? {
    if text.isEmpty { return nil }
    guard text.hasPrefix("[") || text.hasPrefix("{"), let json = try? JSONValue(parsing: text),
      let pattern = try? TextPattern(json: json)
    else { return .glob(text) }
    return pattern
  }

  /// Whole patterns, as a list in JSON.
  static func text(_ patterns: [RequestPattern]) -> String {
    patterns.isEmpty ? "" : JSONValue.array(patterns.map(\.json)).compact
  }

  static func patterns(_ text: String, _ key: String) throws(FormProblem) -> [RequestPattern] {
    let text = text.trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return [] }
    do throws(StubError) {
      var json = try JSONValue(parsing: text)
      if case .object = json { json = .array([json]) }
      let stub: JSONValue = .members([
        "name": "a", "when": .members([key: json]), "then": .members(["pass": .object([])]),
      ])
      let when = try Stub(json: stub).when
      return key == "any" ? when.any : when.not
    } catch {
      throw FormProblem(error.message)
    }
  }

  static func text(_ body: BodyPattern?) -> String {
    guard var body else { return "" }
    body.contains = nil
    guard case .object(let members)? = body.asked else { return "" }
    return members.map { "\($0.name): \($0.value.compact)" }.joined(separator: "; ")
  }

  /// Nil where nothing is asked.
  static func pattern(_ text: String) throws(FormProblem) -> BodyPattern? {
    var rest = text.drop { $0 == " " || $0 == ";" }
    guard !rest.isEmpty else { return nil }
    if rest.hasPrefix("{") { return try read(String(rest)) }
    var members: [String] = []
    while !rest.isEmpty {
      guard let colon = rest.firstIndex(of: ":") else { throw FormProblem("write json: {…}, or matches: \"…\"") }
      let name = rest[..<colon].filter { $0 != " " }
      let value = rest[rest.index(after: colon)...].drop { $0 == " " }
      let end = self.end(of: value)
      members.append("\(JSONValue.string(name).compact):\(value[..<end])")
      rest = value[end...].drop { $0 == " " || $0 == ";" }
    }
    return try read("{\(members.joined(separator: ","))}")
  }

  private static func read(_ json: String) throws(FormProblem) -> BodyPattern? {
    do throws(StubError) {
      let stub: JSONValue = .members([
        "name": "a", "when": .members(["body": try JSONValue(parsing: json)]), "then": .members(["pass": .object([])]),
      ])
      return try Stub(json: stub).when.body
    } catch {
      throw FormProblem(error.message)
    }
  }

  /// Where a JSON value ends: at the semicolon that stands neither in a text nor in brackets.
  private static func end(of text: Substring) -> String.Index {
    var depth = 0
    var isText = false
    var isEscaped = false
    for place in text.indices {
      let letter = text[place]
      if isText {
        if isEscaped {
          isEscaped = false
        } else if letter == "\\" {
          isEscaped = true
        } else if letter == "\"" {
          isText = false
        }
        continue
      }
      switch letter {
      case "\"": isText = true
      case "{", "[": depth += 1
      case "}", "]": depth -= 1
      case ";" where depth <= 0: return place
      default: break
      }
    }
    return text.endIndex
  }
}

extension BodyPattern {
  /// What stands after `body:` in a stub file.
  fileprivate var asked: JSONValue? {
    guard case .object(let when) = RequestPattern(body: self).json else { return nil }
    return when.first { $0.name == "body" }?.value
  }
}

/// Replacements as one types them: `find => with`, one a line; between quotes, as in JSON, where the texts themselves
/// hold line ends or arrows, or begin or end with a blank.
enum ReplaceText {
  private static let arrow = " => "

  static func text(_ all: [PassChanges.Replacement]) -> String {
    all.map { "\(quoted($0.find))\(arrow)\(quoted($0.with))".trimmingSuffix(" ") }.joined(separator: "\n")
  }

  static func replacements(_ text: String) throws(FormProblem) -> [PassChanges.Replacement] {
    var found: [PassChanges.Replacement] = []
    for (place, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy({ $0 == " " }) { continue }
      guard let (find, rest) = part(line[...]), let with = end(rest), !find.isEmpty else {
        throw FormProblem("line \(place + 1): write find => with")
      }
      found.append(PassChanges.Replacement(find: find, with: with))
    }
    return found
  }

  /// What is to be found, and what stands behind the arrow.
  private static func part(_ line: Substring) -> (String, Substring)? {
    if line.hasPrefix("\"") {
      var end = line.dropFirst().firstIndex(of: "\"")
      while let close = end {
        let rest = line[line.index(after: close)...].drop { $0 == " " }
        if rest.hasPrefix("=>"), let text = try? JSONValue(parsing: String(line[...close])).text {
          return (text, rest.dropFirst(2).drop { $0 == " " })
        }
        end = line[line.index(after: close)...].firstIndex(of: "\"")
      }
    }
    guard let place = line.firstRange(of: "=>") else { return nil }
    let find = line[..<place.lowerBound]
    return (String(find.hasSuffix(" ") ? find.dropLast() : find), line[place.upperBound...].drop { $0 == " " })
  }

  private static func end(_ text: Substring) -> String? {
    guard text.hasPrefix("\""), text.count > 1, text.hasSuffix("\"") else { return String(text) }
    return (try? JSONValue(parsing: String(text)).text) ?? String(text)
  }

  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.contains("=>") && !text.contains { $0.isNewline } && !text.hasPrefix("\"") && !text.hasPrefix(" ")
      && !text.hasSuffix(" ")
    return isPlain ? text : JSONValue.string(text).compact
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: Character) -> String {
    var text = self[...]
    while text.last == suffix { text.removeLast() }
    return String(text)
  }
}
