import Foundation
import PatchbayStubs
import PatchbayWire

/// Swift Testing source that stubs what was answered, asks for it, and expects it: it compiles against the library
/// `Patchbay` and passes without a network.
package enum SwiftSource {
  /// A whole file with a test for each exchange that has an answer or an error of its own.
  package static func text(_ exchanges: [Exchange]) -> String {
    var writer = SwiftSourceWriter()
    return writer.begin() + exchanges.map { writer.entry($0) }.joined()
  }

  fileprivate static func test(_ exchange: Exchange, names: inout Set<String>) -> String? {
    var stubs = StubsExport.stubs(from: [exchange])
    // One of half a body is off in a file of stubs; here it is said above, and the test needs it.
    for index in stubs.indices { stubs[index].enabled = true }
    guard !stubs.isEmpty else { return nil }
    var lines =
      notes(exchange) + [
        "@Test func \(name(exchange.request, &names))() async throws {",
        "  let scope = Patchbay.scope()",
        "  defer { scope.close() }",
      ]
    let shared = sharedBody(exchange, stubs)
    if let shared { lines.append("  let body = \(shared)") }
    lines += stubs.flatMap { declaration($0, hasBody: shared != nil) }
    lines += [
      "",
      "  var request = URLRequest(url: try #require(URL(string: \(literal(exchange.request.url)))))",
      "  request.httpMethod = \(literal(exchange.request.method))",
    ]
    for field in exchange.request.headers where field.name.lowercased() != "content-length" {
      lines.append("  request.addValue(\(literal(field.value)), forHTTPHeaderField: \(literal(field.name)))")
    }
    if let body = exchange.request.body, !body.isEmpty { lines.append("  request.httpBody = \(data(body))") }
    lines += expectation(exchange, hasBody: shared != nil)
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// What the test lacks, a line each.
  private static func notes(_ exchange: Exchange) -> [String] {
    let request = exchange.requestPart.sentence(of: "the request's body")
    let response = exchange.responsePart.sentence(of: "the response's body")
    return [request, response].compactMap { $0.map { "// \($0)." } }
  }

  /// A body that the stub gives and the test expects, to be written once: it may have megabytes. nil for a short one, and
  /// where the two are not the same.
  private static func sharedBody(_ exchange: Exchange, _ stubs: [Stub]) -> String? {
    guard stubs.count == 1, case .respond(let canned) = stubs[0].then, !isBare(exchange),
      let body = exchange.response?.body, body.count > 200
    else { return nil }
    switch canned.body {
    case .text(let text): return Data(text.utf8) == body ? literal(text) : nil
    case .json(let value): return value.bodyData == body ? literal(String(decoding: body, as: UTF8.self)) : nil
    case .data(let bytes):
      return bytes == body ? "try #require(Data(base64Encoded: \"\(bytes.base64EncodedString())\"))" : nil
    default: return nil
    }
  }

  /// - Parameter hasBody: its body is the constant `body`.
  private static func declaration(_ stub: Stub, hasBody: Bool) -> [String] {
    let url: String
    switch stub.when.url {
    case .glob(let text)?: url = ".glob(\(literal(text)))"
    case .matches(let text)?: url = ".matches(\(literal(text)))"
    case .any?, .not?, .all?: return wholeStub(stub)
    case nil: url = "nil"
    }
    let methods = stub.when.methods.map(literal).joined(separator: ", ")
    let pattern = "    RequestPattern(methods: [\(methods)], url: \(url)),"
    switch stub.then {
    case .respond(let response):
      let headers = response.headers.map { "        HeaderField(\(literal($0.name)), \(literal($0.value)))," }
      return ["  scope.stub(", pattern, "    respond: CannedResponse(", "      status: \(response.status),"]
        + (headers.isEmpty ? [] : ["      headers: ["] + headers + ["      ],"]) + [
          "      body: \(body(response.body, isShared: hasBody))))"
        ]
    case .fail(let fault) where fault.after == nil:
      // The one text that is written as code: only a name of the table may be.
      if case .named(let name) = fault.error, URLErrorCode.code(named: name) != nil {
        return ["  scope.stub(", pattern, "    fail: URLError.Code.\(name))"]
      }
    default: break
    }
    return wholeStub(stub)
  }

  private static func wholeStub(_ stub: Stub) -> [String] {
    ["  scope.stub(try Stub(json: JSONValue(parsing: \(literal(stub.json.compact)))))"]
  }

  private static func body(_ body: CannedResponse.Body, isShared: Bool) -> String {
    switch body {
    case .text where isShared, .json where isShared: ".text(body)"
    case .data where isShared: ".data(body)"
    case .text(let text): ".text(\(literal(text)))"
    case .json(let value): ".text(\(literal(String(decoding: value.bodyData, as: UTF8.self))))"
    case .data(let data): ".data(Data(base64Encoded: \"\(data.base64EncodedString())\") ?? Data())"
    default: ".none"
    }
  }

  /// The loading system gives no body where HTTP has none (RFC 9110 §6.4.1).
  private static func isBare(_ exchange: Exchange) -> Bool {
    guard let response = exchange.response else { return true }
    return response.status < 200 || [204, 304].contains(response.status) || exchange.request.method == "HEAD"
  }

  private static func expectation(_ exchange: Exchange, hasBody: Bool) -> [String] {
    guard exchange.outcome == .responded, let response = exchange.response else {
      return [
        "  let session = scope.session()",
        "  let asked = request",
        "  await #expect(throws: (any Error).self) { try await session.data(for: asked) }",
      ]
    }
    let body = isBare(exchange) ? Data() : response.body ?? Data()
    let isText = body.utf8Text != nil
    let expected =
      hasBody
      ? [isText ? "  #expect(String(decoding: data, as: UTF8.self) == body)" : "  #expect(data == body)"]
      : body.utf8Text.map { ["  #expect(String(decoding: data, as: UTF8.self) == \(literal($0)))"] }
        ?? ["  let expected = \(data(body))", "  #expect(data == expected)"]
    return [
      "  let session = \(isRedirect(response) ? keeper : "scope.session()")",
      "  let (data, response) = try await session.data(for: request)",
      "  #expect((response as? HTTPURLResponse)?.statusCode == \(response.status))",
    ] + expected
  }

  /// A redirect that the program did not follow: the test is not to follow it either.
  private static func isRedirect(_ response: RecordedResponse) -> Bool {
    RedirectRule.follows(response.status) && response.headers.first(named: "Location") != nil
  }

  fileprivate static let keeper =
    "URLSession(configuration: scope.configuration(), delegate: RedirectKeeper(), delegateQueue: nil)"

  private static func data(_ body: Data) -> String {
    body.utf8Text.map { "Data(\(literal($0)).utf8)" }
      ?? "try #require(Data(base64Encoded: \"\(body.base64EncodedString())\"))"
  }

  /// Method and path as a function's name, such as `getV1Books`, once.
  private static func name(_ request: RecordedRequest, _ names: inout Set<String>) -> String {
    let parts = URLParts(request.url)
    let words = request.url.utf8Slice(parts.path).split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    let method = request.method.lowercased().filter { $0.isASCII && $0.isLetter }
    let base = (method.isEmpty ? "request" : method) + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    var name = base
    var number = 2
    while !names.insert(name).inserted {
      name = "\(base)\(number)"
      number += 1
    }
    return name
  }

  /// A string literal that holds exactly this text and interpolates nothing.
  static func literal(_ text: String) -> String {
    text.doubleQuoted { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        "\\u{\(String(scalar.value, radix: 16))}"
      default: nil
      }
    }
  }
}

/// The same file piece by piece: a beginning, then tests, each after an empty line.
struct SwiftSourceWriter: ExchangeExporter {
  private var names: Set<String> = []
  private var hasKeeper = false

  func begin() -> String { Self.imports }

  private static let imports = """
    import Foundation
    import Patchbay
    import Testing

    #if canImport(FoundationNetworking)
      import FoundationNetworking
    #endif

    """

  /// Nothing of an exchange without an answer or an error of its own.
  mutating func entry(_ exchange: Exchange) -> String {
    guard let test = SwiftSource.test(exchange, names: &names) else { return "" }
    guard !hasKeeper, test.contains(SwiftSource.keeper) else { return "\n" + test }
    hasKeeper = true
    return "\n" + test + "\n" + Self.keeper
  }

  private static let keeper = """
    private final class RedirectKeeper: NSObject, URLSessionTaskDelegate {
      func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
      ) { completionHandler(nil) }
    }

    """
}

extension ExportFormat {
  package static let swift = ExportFormat(
    "swift", key: "t", title: "Swift tests", label: "Swift", noun: "Swift tests",
    output: .file(ending: ".swift") { _ in SwiftSourceWriter() })
}
