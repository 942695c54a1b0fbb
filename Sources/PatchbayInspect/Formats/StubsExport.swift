import Foundation
import PatchbayStubs
import PatchbayWire

/// Stubs that answer as it was recorded: a session becomes an offline server.
package enum StubsExport {
  /// The stubs in the order in which their requests first came. A request that was asked again and answered otherwise
  /// becomes a sequence, whose last answer stays; a redirect that was followed is a stub of its own. Exchanges without
  /// an answer or an error of their own are left out. Where a secret was masked, anything fits.
  package static func stubs(from exchanges: [Exchange]) -> [Stub] {
    let answered = exchanges.flatMap { RequestResponsePair.all(of: $0) }
    let bodies = Dictionary(grouping: answered) { Key($0, withBody: false) }
      .mapValues { Set($0.map { $0.body ?? Data() }).count }
    var order: [Key] = []
    var groups: [Key: [Action]] = [:]
    for asked in answered {
      let differs = (bodies[Key(asked, withBody: false)] ?? 0) > 1
      let key = Key(asked, withBody: differs && BodyPattern(exactly: asked.body) != nil)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(asked.answer)
    }
    // Those that look at a body come first: the one without would take their requests.
    let sorted = order.filter { $0.body != nil } + order.filter { $0.body == nil }
    var names: Set<String> = []
    return sorted.map { stub($0, answers: groups[$0] ?? [], names: &names) }
  }

  private struct Key: Hashable {
    var method: String
    var url: String
    var body: Data?

    init(_ asked: RequestResponsePair, withBody: Bool) {
      method = asked.method
      url = URLSpelling.normal(asked.url)
      body = withBody ? asked.body ?? Data() : nil
    }
  }

  private static func stub(_ key: Key, answers: [Action], names: inout Set<String>) -> Stub {
    var pattern = RequestPattern(methods: [key.method], url: literal(key.url))
    if let body = key.body { pattern.body = BodyPattern(exactly: body) }
    var distinct: [Action] = []
    for answer in answers where distinct.last != answer { distinct.append(answer) }
    let then = distinct.count == 1 ? distinct[0] : .sequence(answers, afterwards: .last)
    let wanted = "\(key.method) \(URLParts(key.url).pathText(of: key.url))"
    var name = wanted
    var number = 2
    while !names.insert(name).inserted {
      name = "\(wanted) (\(number))"
      number += 1
    }
    return Stub(name: name, when: pattern, then: then)
  }

  /// A pattern that fits this text only, but for any text where a secret was masked.
  static func literal(_ text: String) -> TextPattern {
    let pieces = text.components(separatedBy: Redaction.mask)
    guard pieces.contains(where: { $0.contains("*") }) else { return .glob(pieces.joined(separator: "*")) }
    return .matches("^" + pieces.map { quoted($0) }.joined(separator: ".*") + "$")
  }

  /// A regular expression for this text only.
  fileprivate static func quoted(_ text: String) -> String {
    let special: Set<Character> = ["\\", "^", "$", ".", "|", "?", "*", "+", "(", ")", "[", "]", "{", "}"]
    return text.map { special.contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}

extension BodyPattern {
  /// A pattern for exactly this body, but for what was masked; nil where it is no text.
  fileprivate init?(exactly body: Data?) {
    guard let text = (body ?? Data()).utf8Text else { return nil }
    let pieces = text.replacingOccurrences(of: "\"\(Redaction.mask)\"", with: Redaction.mask)
      .components(separatedBy: Redaction.mask)
    if pieces.count > 1 {
      self.init(matches: "^" + pieces.map { StubsExport.quoted($0) }.joined(separator: ".*") + "$")
    } else {
      self.init(equals: text)
    }
  }
}

extension URLParts {
  /// The path without the query.
  fileprivate func pathText(of url: String) -> String {
    let text = url.utf8Slice(path)
    return text.isEmpty ? "/" : text
  }
}

/// A stub file. The same request asked twice becomes one sequence, so all exchanges are needed together.
struct StubsExporter: ExchangeExporter {
  let stubFile: @Sendable ([Stub]) -> String
  private var exchanges: [Exchange] = []
  private var bytes = 0

  /// The most bytes of exchanges that one file is made of.
  private static let limit = 512 << 20

  init(stubFile: @escaping @Sendable ([Stub]) -> String) { self.stubFile = stubFile }

  mutating func entry(_ exchange: Exchange) throws -> String {
    bytes += 1_000 + (exchange.request.body?.count ?? 0) + (exchange.response?.body?.count ?? 0)
    guard bytes <= Self.limit else {
      throw FormatError(
        "This is too much for one stub file (\(exchanges.count) exchanges are \(Self.limit >> 20) MiB): "
          + "narrow it with a filter, --since or --limit.")
    }
    exchanges.append(exchange)
    return ""
  }

  func end() -> String { stubFile(StubsExport.stubs(from: exchanges)) }
}

extension ExportFormat {
  package static let stubs = ExportFormat(
    "stubs", key: "s", title: "Stubs", detail: "answers the same, offline", label: "stubs",
    output: .file(ending: ".yaml") { StubsExporter(stubFile: $0.stubFile) })
}
