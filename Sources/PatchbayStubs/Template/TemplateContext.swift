import Foundation

/// What fills the places of templates: one request, and how many the stub has taken. For one answer.
///
/// What templates make is bounded in size and time, because they run on the path of a program's requests and may ask a
/// body of megabytes for many values. Beyond it they give nothing more, and `problem` says so.
package final class TemplateContext {
  /// Made when a template first asks for something of the request.
  private lazy var request = MatchedRequest(facts, body: body)
  private let facts: RequestFacts
  private let body: (() -> Data?)?
  private let count: UInt64
  private let date: Date
  private let pattern: CompiledPattern?
  private var random: TemplateRandom
  private lazy var groups: [RegexGroups.Match] = pattern.map { $0.groups(of: request) } ?? []
  private var sizeLeft = TemplateContext.sizeLimit
  private var end: ContinuousClock.Instant?

  /// Why not all was filled in: a sentence for the person.
  package private(set) var problem: String?

  /// How many bytes all templates of one answer may make: as many as a body in a file may have.
  package static let sizeLimit = 64 << 20
  /// How long all of them together may take.
  package static let timeLimit = Duration.milliseconds(500)

  /// - Parameters:
  ///   - body: called at most once, when a template asks for the body; nil takes `facts.body`.
  ///   - seed: makes what is random the same for the same `count`.
  package convenience init(
    _ facts: RequestFacts, count: UInt64, seed: UInt64? = nil, body: (() -> Data?)? = nil, date: Date = Date()
  ) {
    self.init(facts, count: count, seed: seed, pattern: nil, body: body, date: date)
  }

  /// What fills the templates of a stub, with the groups of its regular expressions.
  package convenience init(_ facts: RequestFacts, of stub: Stub, count: UInt64, date: Date = Date()) {
    self.init(facts, count: count, seed: stub.seed, pattern: CompiledPattern(stub.when), body: nil, date: date)
  }

  init(
    _ facts: RequestFacts, count: UInt64, seed: UInt64?, pattern: CompiledPattern?, body: (() -> Data?)?,
    date: Date = Date()
  ) {
    self.facts = facts
    self.body = body
    self.count = count
    self.date = date
    self.pattern = pattern
    random = TemplateRandom(seed: seed, count: count)
  }

  /// The text with its expressions filled in. One that cannot be read stays as it is: files are checked when read.
  package func render(_ text: String) -> String {
    guard Template.isNeeded(for: text), let template = try? Template(text) else { return text }
    return render(template)
  }

  /// The same for the value of a header field, which is one line: what a request brings cannot begin another field.
  func line(_ text: String) -> String {
    guard Template.isNeeded(for: text) else { return text }
    let rendered = render(text)
    guard rendered.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" || $0 == "\0" }) else { return rendered }
    return String(rendered.map { $0 == "\n" || $0 == "\r" || $0 == "\r\n" || $0 == "\0" ? " " : $0 })
  }

  func render(_ template: Template) -> String {
    var result = ""
    for part in template.parts {
      switch part {
      case .literal(let text): result += text
      case .value(let expression):
        guard let value = value(of: expression) else { continue }
        let text = Self.text(value)
        guard isWithin(text) else { return "" }
        result += text
      }
    }
    return result
  }

  /// All texts in the value rendered; names stay. A text that is one expression and nothing else becomes the value
  /// itself, where that is a number, or what stands in the JSON of the request.
  package func render(_ json: JSONValue) -> JSONValue {
    switch json {
    case .string(let text):
      guard Template.isNeeded(for: text), let template = try? Template(text) else { return json }
      if template.parts.count == 1, case .value(let expression) = template.parts[0], expression.isTyped {
        guard let value = value(of: expression) else { return .string("") }
        // A text costs as many bytes as the value takes.
        return isWithin(value.text ?? value.compact) ? value : .null
      }
      return .string(render(template))
    case .array(let elements): return .array(elements.map { render($0) })
    case .object(let members): return .object(members.map { .init($0.name, render($0.value)) })
    default: return json
    }
  }

  private func isWithin(_ text: String) -> Bool {
    let now = ContinuousClock.now
    let end = end ?? now + Self.timeLimit
    self.end = end
    sizeLeft -= text.utf8.count
    if problem == nil, sizeLeft < 0 {
      problem = "its templates made more than \(Self.sizeLimit >> 20) MiB; ask for less of the request"
    }
    if problem == nil, now > end { problem = "its templates took more than 500 ms; use fewer, or a smaller body" }
    return problem == nil
  }

  // MARK: - Values

  /// nil where there is none.
  private func value(of expression: TemplateExpression) -> JSONValue? {
    guard problem == nil else { return nil }
    var value = value(of: expression.source)
    for filter in expression.filters {
      if case .otherwise(let other) = filter {
        if value == nil || value == .null || value == .string("") { value = other }
        continue
      }
      value = value.map { .string(filter.apply(to: Self.text($0))) }
    }
    return value
  }

  private static func text(_ value: JSONValue) -> String {
    value.text ?? String(decoding: value.bodyData, as: UTF8.self)
  }

  private func value(of source: TemplateExpression.Source) -> JSONValue? {
    switch source {
    case .json(let pointer): return request.json?.value(at: pointer)
    case .counter: return .number("\(count)")
    case .random(let low, let high): return .number("\(random.number(in: low...high))")
    case .now(let offset, .unix): return .number("\(Int(moment(offset).timeIntervalSince1970.rounded(.down)))")
    default: return text(of: source).map { .string($0) }
    }
  }

  private func text(of source: TemplateExpression.Source) -> String? {
    switch source {
    case .method: return request.facts.method
    case .url: return request.facts.url
    case .scheme: return request.text(request.url.scheme)
    case .host: return request.text(request.url.host)
    case .port: return request.url.port.map { "\($0)" }
    case .path: return request.text(request.url.path)
    case .segment(let index):
      let segments = request.pathSegments
      return index < segments.count ? segments[index] : nil
    case .query(let name): return Self.first(name, request.queryItems)
    case .form(let name): return Self.first(name, request.formFields)
    case .header(let name): return request.facts.headers.first(named: name)
    case .cookie(let name): return cookie(name)
    case .body: return String(decoding: request.bodyBytes, as: UTF8.self)
    case .match(let name): return groups.lazy.compactMap { $0[name] }.first
    case .uuid: return random.uuid()
    case .now(let offset, .iso8601): return Self.rfc3339(moment(offset))
    case .now(let offset, .pattern(let form)): return form.text(moment(offset))
    case .randomText(let count): return random.text(count)
    case .count: return "\(count)"
    case .json, .counter, .random, .now(_, .unix): return nil
    }
  }

  private func moment(_ offset: Duration) -> Date {
    let (seconds, attoseconds) = offset.components
    return date.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
  }

  private static func first(_ name: String, _ values: [NamedBytes]) -> String? {
    let wanted = Array(name.utf8)
    return values.first { $0.name == wanted }.map { String(decoding: $0.value, as: UTF8.self) }
  }

  /// RFC 6265 §4.2.1: pairs between semicolons, in each field of the name.
  private func cookie(_ name: String) -> String? {
    for field in request.facts.headers.all(named: "Cookie") {
      for pair in field.split(separator: ";") {
        let pair = pair.drop { $0 == " " }
        guard let sign = pair.firstIndex(of: "="), pair[..<sign] == name else { continue }
        return String(pair[pair.index(after: sign)...])
      }
    }
    return nil
  }

  /// `2026-11-21T01:02:03.004Z`, worked out without a formatter: it runs on the request's path.
  static func rfc3339(_ date: Date) -> String { iso8601.text(date) }

  private static let iso8601: DateForm = {
    guard let form = try? DateForm("yyyy-MM-dd'T'HH:mm:ss.SSSX") else { preconditionFailure("the form is right") }
    return form
  }()
}

extension TemplateExpression {
  /// Alone in a text of JSON it stands for more than text.
  fileprivate var isTyped: Bool {
    switch source {
    case .json, .random, .counter, .now(_, .unix):
      filters.allSatisfy { if case .otherwise = $0 { true } else { false } }
    default: false
    }
  }
}

extension TemplateExpression.Filter {
  fileprivate func apply(to text: String) -> String {
    switch self {
    case .otherwise: return text
    case .upper: return text.uppercased()
    case .lower: return text.lowercased()
    case .base64: return Data(text.utf8).base64EncodedString()
    case .urlEncode:
      var result = ""
      for byte in text.utf8 {
        if PercentEncoding.isUnreserved(byte) {
          result.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          let digits = String(byte, radix: 16, uppercase: true)
          result += byte < 16 ? "%0\(digits)" : "%\(digits)"
        }
      }
      return result
    }
  }
}

/// What is random in one answer; of the same seed the same.
struct TemplateRandom: RandomNumberGenerator {
  private var state: UInt64?

  init(seed: UInt64?, count: UInt64) {
    // Another stream than the one that `chance` draws from.
    state = seed.map {
      StubCounters.mix(StubCounters.mix($0 ^ 0x7465_6D70_6C61_7465) &+ count &* 0x9E37_79B9_7F4A_7C15)
    }
  }

  mutating func next() -> UInt64 {
    guard let state else { return UInt64.random(in: .min ... .max) }
    let following = state &+ 0x9E37_79B9_7F4A_7C15
    self.state = following
    return StubCounters.mix(following)
  }

  mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func text(_ count: Int) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &self)] })
  }

  /// Of version 4 (RFC 9562 §5.4).
  mutating func uuid() -> String {
    var bytes = [UInt8]()
    for word in [next(), next()] { withUnsafeBytes(of: word.bigEndian) { bytes += $0 } }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}

extension Action {
  /// Whether some text in it may hold a template.
  package var hasTemplates: Bool { templateTexts.contains { Template.isNeeded(for: $0) } }

  /// Every template in the action.
  var templates: [Template] {
    templateTexts.compactMap { Template.isNeeded(for: $0) ? try? Template($0) : nil }
  }

  private var templateTexts: [String] {
    switch self {
    case .respond(let response): response.templateTexts
    case .fail(let fault): fault.after?.response.templateTexts ?? []
    case .pass(let changes): changes.templateTexts
    case .hold, .code: []
    case .sequence(let actions, _): actions.flatMap { $0.templateTexts }
    }
  }
}

extension CannedResponse {
  /// Whether some text in it may hold a template.
  package var hasTemplates: Bool { templateTexts.contains { Template.isNeeded(for: $0) } }

  /// The texts that may hold templates.
  var templateTexts: [String] {
    var texts = headers.map(\.value)
    switch body {
    case .text(let text), .file(let text): texts.append(text)
    case .json(let json): json.collectTexts(into: &texts)
    case .events(let events):
      for event in events {
        texts += [event.event, event.id].compactMap { $0 }
        event.data?.collectTexts(into: &texts)
      }
    default: break
    }
    return texts
  }
}

extension JSONValue {
  /// Adds all texts in it, without the names of members.
  package func collectTexts(into texts: inout [String]) {
    switch self {
    case .string(let text): texts.append(text)
    case .array(let elements): for element in elements { element.collectTexts(into: &texts) }
    case .object(let members): for member in members { member.value.collectTexts(into: &texts) }
    default: break
    }
  }
}
