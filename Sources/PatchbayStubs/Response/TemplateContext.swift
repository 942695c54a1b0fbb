import Foundation

/// What fills the places of templates: one request, and how many the stub has taken.
package final class TemplateContext {
  /// Made when a template first asks for something of the request.
  private lazy var request = MatchedRequest(facts, body: body)
  private let facts: RequestFacts
  private let body: (() -> Data?)?
  private let count: UInt64
  private let date: Date

  /// - Parameter body: called at most once, when a template asks for the body; nil takes `facts.body`.
  package init(_ facts: RequestFacts, count: UInt64, body: (() -> Data?)? = nil, date: Date = Date()) {
    self.facts = facts
    self.body = body
    self.count = count
    self.date = date
  }

  /// The text with its expressions filled in. One that cannot be read stays as it is: files are checked when read.
  package func render(_ text: String) -> String {
    guard Template.isNeeded(for: text), let template = try? Template(text) else { return text }
    return template.parts.map { part in
      switch part {
      case .literal(let text): text
      case .value(let expression): value(of: expression)
      }
    }.joined()
  }

  /// All texts in the value rendered; names stay.
  package func render(_ json: JSONValue) -> JSONValue {
    switch json {
    case .string(let text): .string(render(text))
    case .array(let elements): .array(elements.map { render($0) })
    case .object(let members): .object(members.map { .init($0.name, render($0.value)) })
    default: json
    }
  }

  private func value(of expression: Template.Expression) -> String {
    switch expression {
    case .method: return request.facts.method
    case .url: return request.facts.url
    case .scheme: return request.text(request.url.scheme)
    case .host: return request.text(request.url.host)
    case .port: return request.url.port.map { "\($0)" } ?? ""
    case .path: return request.text(request.url.path)
    case .segment(let index):
      let segments = request.pathSegments
      return index < segments.count ? segments[index] : ""
    case .query(let name): return Self.first(name, request.queryItems)
    case .form(let name): return Self.first(name, request.formFields)
    case .header(let name): return request.facts.headers.first(named: name) ?? ""
    case .json(let pointer):
      guard let value = request.json?.value(at: pointer) else { return "" }
      return value.text ?? String(decoding: value.bodyData, as: UTF8.self)
    case .body: return String(decoding: request.bodyBytes, as: UTF8.self)
    case .uuid: return UUID().uuidString.lowercased()
    case .now: return Self.rfc3339(date)
    case .count: return "\(count)"
    }
  }

  private static func first(_ name: String, _ values: [NamedBytes]) -> String {
    let wanted = Array(name.utf8)
    return values.first { $0.name == wanted }.map { String(decoding: $0.value, as: UTF8.self) } ?? ""
  }

  /// `2026-11-21T01:02:03.004Z`, worked out without a formatter: it runs on the request's path.
  static func rfc3339(_ date: Date) -> String {
    let milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded(.down))
    var seconds = time_t(milliseconds / 1_000 - (milliseconds % 1_000 < 0 ? 1 : 0))
    let fraction = (milliseconds % 1_000 + 1_000) % 1_000
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func pad(_ value: some BinaryInteger, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
    let day = "\(pad(parts.tm_year + 1900, 4))-\(pad(parts.tm_mon + 1, 2))-\(pad(parts.tm_mday, 2))"
    return "\(day)T\(pad(parts.tm_hour, 2)):\(pad(parts.tm_min, 2)):\(pad(parts.tm_sec, 2)).\(pad(fraction, 3))Z"
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
    case .text(let text): texts.append(text)
    case .json(let json): json.collectTexts(into: &texts)
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
