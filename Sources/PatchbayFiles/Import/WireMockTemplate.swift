import Foundation
import PatchbayStubs

/// WireMock's templates (Handlebars) in the words of ours. What these do not have stands as the text that it was.
struct WireMockTemplate {
  /// `/users/{id}`, whose names `request.path.id` means.
  private let segments: [String: Int]
  /// `transformerParameters`.
  private let parameters: DocumentNode?

  /// In a text with more of them none is a template.
  private static let braceLimit = 2_000

  init(pathTemplate: String?, parameters: DocumentNode? = nil) {
    var segments: [String: Int] = [:]
    let parts = (pathTemplate ?? "").split(separator: "/")
    for (index, part) in parts.enumerated() where part.hasPrefix("{") && part.hasSuffix("}") {
      segments[String(part.dropFirst().dropLast())] = index
    }
    self.segments = segments
    self.parameters = parameters
  }

  /// - Parameter unknown: gets the expressions that stand as text.
  func text(_ text: String, _ unknown: inout [String]) -> String {
    guard text.braces <= Self.braceLimit else {
      unknown.append("…")
      return Template.quoting(text)
    }
    var result = ""
    var rest = Substring(text)
    while let open = rest.range(of: "{{") {
      result += rest[..<open.lowerBound]
      let isTriple = rest[open.upperBound...].hasPrefix("{")
      let start = isTriple ? rest.index(after: open.upperBound) : open.upperBound
      guard let close = rest[start...].range(of: isTriple ? "}}}" : "}}") else {
        result += Template.quoting(String(rest[open.lowerBound...]))
        return result
      }
      let source = String(rest[start..<close.lowerBound]).trimmingCharacters(in: CharacterSet(charactersIn: "~ \t\n"))
      if source.hasPrefix("!") {
        // A comment.
      } else if let translated = expression(source), (try? Template(translated)) != nil {
        result += translated
      } else {
        unknown.append(source)
        result += Template.quoting(String(rest[open.lowerBound..<close.upperBound]))
      }
      rest = rest[close.upperBound...]
    }
    return result + rest
  }

  // MARK: - Expressions

  private func expression(_ source: String) -> String? {
    let words = Self.words(source)
    guard let head = words.first else { return nil }
    if words.count == 1 {
      if let name = after("parameters.", head) {
        return parameters?[name]?.scalar.map { Template.quoting($0) }
      }
      if head == "request.baseUrl" { return "{{request.scheme}}://{{request.host}}:{{request.port}}" }
      return value(head).map { "{{\($0)}}" } ?? helper(head, [:], [])
    }
    var options: [String: String] = [:]
    var operands: [String] = []
    for word in words.dropFirst() {
      if let equals = word.firstIndex(of: "="), word.first != "'", word.first != "\"" {
        options[String(word[..<equals])] = Self.unquoted(String(word[word.index(after: equals)...]))
      } else {
        operands.append(word)
      }
    }
    return helper(head, options, operands)
  }

  private static let filters = [
    "upper": "upper", "lower": "lower", "urlEncode": "urlEncode", "base64": "base64",
  ]

  private func helper(_ name: String, _ options: [String: String], _ operands: [String]) -> String? {
    let rest = (options["default"] ?? options["or"]).map { " | default \($0)" } ?? ""
    switch name {
    case "now": return now(options)
    case "randomValue": return random(options)
    case "randomInt":
      return "{{random \(options["lower"] ?? "0") \(options["upper"] ?? "2147483647")}}"
    case "jsonPath":
      guard operands.count == 2, operands[0] == "request.body",
        let pointer = JSONPath(Self.unquoted(operands[1]))?.pointer
      else { return nil }
      return "{{request.json.\(pointer)\(rest)}}"
    case "val":
      guard operands.count == 1, options["assign"] == nil else { return nil }
      return value(operands[0]).map { "{{\($0)\(rest)}}" }
    default:
      guard let filter = Self.filters[name], operands.count == 1, options["decode"] != "true" else { return nil }
      return value(operands[0]).map { "{{\($0) | \(filter)}}" }
    }
  }

  /// A value of the request in our words.
  private func value(_ name: String) -> String? {
    var name = name
    for ending in [".[0]", ".0", ".first"] where name.hasSuffix(ending) {
      if name.hasPrefix("request.query.") || name.hasPrefix("request.headers.") {
        name = String(name.dropLast(ending.count))
      }
    }
    switch name {
    case "request.method", "request.host", "request.port", "request.scheme", "request.path", "request.body",
      "request.url":
      return name
    default: break
    }
    if let place = after("request.path.", name) ?? after("request.pathSegments.", name) {
      let bare = Self.bare(place)
      if let index = Int(bare) { return index >= 0 ? "request.path.\(index)" : nil }
      return segments[bare].map { "request.path.\($0)" }
    }
    if let item = after("request.query.", name) { return Self.key(item).map { "request.query.\($0)" } }
    if let item = after("request.headers.", name) { return Self.key(item).map { "request.header.\($0)" } }
    if let item = after("request.cookies.", name) { return Self.key(item).map { "request.cookie.\($0)" } }
    return nil
  }

  private static let units = [
    "second": "s", "seconds": "s", "minute": "m", "minutes": "m", "hour": "h", "hours": "h", "day": "d", "days": "d",
  ]

  private func now(_ options: [String: String]) -> String? {
    guard options.keys.allSatisfy({ $0 == "offset" || $0 == "format" }) else { return nil }
    var parts = ["now"]
    if let offset = options["offset"] {
      let words = offset.split(separator: " ")
      guard words.count == 2, let number = Int(words[0]), let unit = Self.units[String(words[1])] else { return nil }
      parts.append("\(number < 0 ? "" : "+")\(number)\(unit)")
    }
    if let format = options["format"] {
      if format == "epoch" { return nil }
      parts.append(format)
    }
    return "{{\(parts.joined(separator: " "))}}"
  }

  private func random(_ options: [String: String]) -> String? {
    if options["type"] == "UUID" { return "{{uuid}}" }
    guard let length = options["length"].flatMap({ Int($0) }), (1...1_000).contains(length) else { return nil }
    switch options["type"] {
    case "NUMERIC" where length <= 9:
      let low = (1..<length).reduce(1) { product, _ in product * 10 }
      return "{{random \(low) \(low * 10 - 1)}}"
    case "ALPHANUMERIC", "ALPHABETIC", "HEXADECIMAL": return "{{randomText \(length)}}"
    default: return nil
    }
  }

  // MARK: - Words

  private func after(_ prefix: String, _ text: String) -> String? {
    text.hasPrefix(prefix) && text.count > prefix.count ? String(text.dropFirst(prefix.count)) : nil
  }

  /// `[x]` is `x`.
  private static func bare(_ text: String) -> String {
    text.hasPrefix("[") && text.hasSuffix("]") ? unquoted(String(text.dropFirst().dropLast())) : text
  }

  /// The name of one item; nil where another of its values is meant.
  private static func key(_ text: String) -> String? {
    let bare = bare(text)
    return bare.contains(".") || bare.contains("[") ? nil : bare
  }

  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, let sign = text.first, sign == "'" || sign == "\"", text.last == sign else { return text }
    return String(text.dropFirst().dropLast())
  }

  /// Split at spaces, quotes kept together.
  private static func words(_ source: String) -> [String] {
    var words: [String] = []
    var word = ""
    var quote: Character?
    for character in source {
      if let open = quote {
        word.append(character)
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
        word.append(character)
      } else if character == " " || character == "\t" || character == "\n" {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    if !word.isEmpty { words.append(word) }
    return words
  }
}
