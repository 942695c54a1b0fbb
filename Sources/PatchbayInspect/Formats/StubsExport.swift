import Foundation
import PatchbayStubs
import PatchbayWire

/// Stubs that answer as it was recorded: a session becomes an offline server.
public enum StubsExport {
  /// The stubs in the order in which their requests first came. A request that was asked again and answered otherwise
  /// becomes a sequence, whose last answer stays. Exchanges without an answer or an error of their own are left out.
  public static func stubs(from exchanges: [Exchange]) -> [Stub] {
    let answered = exchanges.filter { action(for: $0) != nil }
    let bodies = Dictionary(grouping: answered) { Key($0, withBody: false) }
      .mapValues { Set($0.map { $0.request.body ?? Data() }).count }
    var order: [Key] = []
    var groups: [Key: [Exchange]] = [:]
    for exchange in answered {
      let differs = (bodies[Key(exchange, withBody: false)] ?? 0) > 1
      let key = Key(exchange, withBody: differs && BodyPattern(exactly: exchange.request.body) != nil)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(exchange)
    }
    // Those that look at a body come first: the one without would take their requests.
    let sorted = order.filter { $0.body != nil } + order.filter { $0.body == nil }
    var names: Set<String> = []
    return sorted.compactMap { key in
      guard let group = groups[key], let first = group.first else { return nil }
      return stub(first, answers: group.compactMap(action), key: key, names: &names)
    }
  }

  private struct Key: Hashable {
    var method: String
    var url: String
    var body: Data?

    init(_ exchange: Exchange, withBody: Bool) {
      method = exchange.request.method
      url = String(exchange.request.url.prefix { $0 != "#" })
      body = withBody ? exchange.request.body ?? Data() : nil
    }
  }

  private static func stub(_ exchange: Exchange, answers: [Action], key: Key, names: inout Set<String>) -> Stub {
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

  /// A pattern that fits this text only.
  static func literal(_ text: String) -> TextPattern {
    guard text.contains("*") else { return .glob(text) }
    let special: Set<Character> = ["\\", "^", "$", ".", "|", "?", "*", "+", "(", ")", "[", "]", "{", "}"]
    return .matches("^" + text.map { special.contains($0) ? "\\\($0)" : String($0) }.joined() + "$")
  }

  private static func action(for exchange: Exchange) -> Action? {
    switch exchange.outcome {
    case .responded: exchange.response.map { .respond(canned($0)) }
    case .failed: exchange.error.map { .fail(fault($0, after: exchange.response)) }
    default: nil
    }
  }

  private static func fault(_ error: RecordedError, after response: RecordedResponse?) -> Fault {
    let failure: Fault.Failure =
      error.name.map { .named($0) } ?? .custom(domain: error.domain, code: error.code, message: error.message)
    return Fault(failure, after: response.map { Fault.Partial(response: canned($0)) })
  }

  /// The fields as the program saw them. Where the body was encoded it is recorded decoded: then the hook is not to
  /// decode it once more, and its length is another.
  private static func canned(_ response: RecordedResponse) -> CannedResponse {
    let coding = response.headers.first(named: "Content-Encoding")?.lowercased() ?? "identity"
    let stale: Set<String> = coding == "identity" ? [] : ["content-encoding", "content-length"]
    let headers = response.headers.filter { !stale.contains($0.name.lowercased()) }
      .map { HeaderField($0.name, Template.quoting($0.value)) }
    return CannedResponse(status: response.status, headers: headers, body: body(response))
  }

  /// JSON where writing it anew gives the same bytes and the same type, else text, else bytes.
  private static func body(_ response: RecordedResponse) -> CannedResponse.Body {
    guard let data = response.body, !data.isEmpty else { return .none }
    guard let text = String(data: data, encoding: .utf8), !text.unicodeScalars.contains("\0") else {
      return .data(data)
    }
    let type = response.headers.first(named: "Content-Type").map { MediaType($0).essence }
    if type == "application/json", !text.contains("{{"), let json = try? JSONValue(parsing: data),
      json.compactData == data
    {
      return .json(json)
    }
    return .text(Template.quoting(text))
  }
}

extension BodyPattern {
  /// A pattern for exactly this body; nil where it is no text.
  fileprivate init?(exactly body: Data?) {
    guard let text = String(data: body ?? Data(), encoding: .utf8) else { return nil }
    self.init(equals: text)
  }
}

extension URLParts {
  /// The path without the query.
  fileprivate func pathText(of url: String) -> String {
    let text = url.utf8Slice(path)
    return text.isEmpty ? "/" : text
  }
}
