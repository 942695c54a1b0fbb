import Foundation

/// What stands between the braces of a template: where the value comes from, and what is done with it.
package struct TemplateExpression: Hashable, Sendable {
  package let source: Source
  package let filters: [Filter]

  package enum Source: Hashable, Sendable {
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
    case cookie(String)
    case form(String)
    /// A JSON Pointer (RFC 6901) into the request's body; empty is the whole of it.
    case json(String)
    case body
    /// A group of the regular expressions that fitted, by number or name; 0 is all that fitted.
    case match(String)
    case uuid
    /// A moment, so far from now.
    case now(Duration, Form)
    case random(Int, Int)
    case randomText(Int)
    /// 1 for the first request that the stub takes.
    case count
    /// The same, as a number where it stands alone in JSON.
    case counter

    var needsBody: Bool {
      switch self {
      case .json, .form, .body: true
      // The group may be one of the body's.
      case .match: true
      default: false
      }
    }
  }

  package enum Filter: Hashable, Sendable {
    /// Stands for what is not there, is null or empty.
    case otherwise(JSONValue)
    case upper
    case lower
    case urlEncode
    case base64
  }

  /// How a moment is written.
  package enum Form: Hashable, Sendable {
    /// RFC 3339 in UTC with milliseconds.
    case iso8601
    /// Seconds since 1970, a number.
    case unix
    case pattern(DateForm)
  }

  /// The longest text that `randomText` makes.
  private static let textLimit = 10_000

  init(_ source: Substring) throws(StubError) {
    var pieces = Self.split(source)
    let text = pieces.removeFirst().trimmingCharacters(in: .whitespaces)
    self.source = try Self.source(text)
    var filters: [Filter] = []
    for piece in pieces { filters.append(try Self.filter(piece.trimmingCharacters(in: .whitespaces))) }
    self.filters = filters
  }

  /// The parts between `|`, which means itself between quotes.
  private static func split(_ text: Substring) -> [Substring] {
    var pieces: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    for place in text.indices {
      if text[place] == "\"" { isQuoted.toggle() }
      guard text[place] == "|", !isQuoted else { continue }
      pieces.append(text[start..<place])
      start = text.index(after: place)
    }
    return pieces + [text[start...]]
  }

  // MARK: - Sources

  private static func source(_ text: String) throws(StubError) -> Source {
    if let simple = simple[text] { return simple }
    func after(_ prefix: String) -> String? {
      text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
    if let number = after("request.path.").flatMap({ Int($0) }), number >= 0 { return .segment(number) }
    if let name = after("request.query."), !name.isEmpty { return .query(name) }
    if let name = after("request.header."), !name.isEmpty { return .header(name) }
    if let name = after("request.cookie."), !name.isEmpty { return .cookie(name) }
    if let name = after("request.form."), !name.isEmpty { return .form(name) }
    if text == "request.json" { return .json("") }
    if let pointer = after("request.json."), pointer.isEmpty || pointer.hasPrefix("/") { return .json(pointer) }
    if let name = after("match."), !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) {
      return .match(name)
    }
    let words = text.split(separator: " ").map(String.init)
    switch words.first {
    case "now": return try moment(text.dropFirst(3))
    case "random":
      guard words.count == 3, let low = Int(words[1]), let high = Int(words[2]), low <= high else {
        throw StubError(
          "`{{\(text.shortened(to: 60))}}`: write `random` with two whole numbers, the smaller first: `{{random 1 100}}`"
        )
      }
      return .random(low, high)
    case "randomText":
      guard words.count == 2, let count = Int(words[1]), (1...textLimit).contains(count) else {
        throw StubError(
          "`{{\(text.shortened(to: 60))}}`: write `randomText` with a length from 1 to \(textLimit): `{{randomText 8}}`"
        )
      }
      return .randomText(count)
    default: throw unknown(text)
    }
  }

  private static func moment(_ text: Substring) throws(StubError) -> Source {
    var rest = text.drop { $0 == " " }
    guard rest.startIndex > text.startIndex else { throw unknown("now" + text) }
    var offset = Duration.zero
    if let sign = rest.first, sign == "+" || sign == "-" {
      let word = rest.dropFirst().prefix { $0 != " " }
      guard let duration = DurationText.parse(String(word)) else {
        throw StubError(
          "`{{now\(String(text).shortened(to: 60))}}`: `\(sign)\(word)` is no offset; write it as a duration: +2d, -1h30m"
        )
      }
      offset = sign == "-" ? .zero - duration : duration
      rest = rest.dropFirst().dropFirst(word.count).drop { $0 == " " }
    }
    switch rest {
    case "": return .now(offset, .iso8601)
    case "unix": return .now(offset, .unix)
    default:
      do throws(StubError) { return .now(offset, .pattern(try DateForm(String(rest)))) } catch {
        throw StubError("`{{now\(String(text).shortened(to: 60))}}`: \(error.message)")
      }
    }
  }

  private static func unknown(_ text: String) -> StubError {
    let stem = text.split(separator: ".").prefix(2).joined(separator: ".")
    let stems = Dictionary(
      known.map { ($0.split(separator: ".").prefix(2).joined(separator: "."), $0) },
      uniquingKeysWith: { first, _ in first })
    var hint = NearestName.hint(for: text, among: known)
    if hint.isEmpty, let near = NearestName.find(stem, among: stems.keys.sorted()), let name = stems[near] {
      hint = "; did you mean `\(name)`?"
    }
    if !hint.isEmpty { return StubError("`{{\(text.shortened(to: 60))}}` is not known\(hint)") }
    return StubError("`{{\(text.shortened(to: 60))}}` is not known; known are \(known.joined(separator: ", "))")
  }

  private static let simple: [String: Source] = [
    "request.method": .method, "request.url": .url, "request.scheme": .scheme, "request.host": .host,
    "request.port": .port, "request.path": .path, "request.body": .body, "uuid": .uuid,
    "now": .now(.zero, .iso8601), "count": .count, "counter": .counter,
  ]

  /// How expressions are written.
  package static let known = [
    "request.method", "request.url", "request.scheme", "request.host", "request.port", "request.path",
    "request.path.0", "request.query.NAME", "request.header.NAME", "request.cookie.NAME", "request.form.NAME",
    "request.json./POINTER", "request.body", "match.1", "match.NAME", "uuid", "now", "now +2d yyyy-MM-dd", "now unix",
    "random 1 100", "randomText 8", "counter", "count",
  ]

  // MARK: - Filters

  private static func filter(_ text: String) throws(StubError) -> Filter {
    if let simple = simpleFilters[text] { return simple }
    if text.hasPrefix("default "), case let value = text.dropFirst(8).trimmingCharacters(in: .whitespaces),
      !value.isEmpty
    {
      // A number, true or null is itself where the value is; a text needs no quotes.
      return .otherwise((try? JSONValue(parsing: value)) ?? .string(value))
    }
    if text == "default" { throw StubError("`| default` needs a value: `| default none`, or `| default \"\"`") }
    let hint = NearestName.hint(
      for: String(text.prefix { $0 != " " }), among: filterNames,
      otherwise: "; known are \(filterNames.joined(separator: ", "))")
    throw StubError("`| \(text.shortened(to: 40))` is not known\(hint)")
  }

  private static let simpleFilters: [String: Filter] = [
    "upper": .upper, "lower": .lower, "urlEncode": .urlEncode, "base64": .base64,
  ]

  /// What may stand behind a `|`.
  package static let filterNames = ["default", "upper", "lower", "urlEncode", "base64"]
}
