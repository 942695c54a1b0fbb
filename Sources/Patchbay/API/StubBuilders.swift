import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension CannedResponse {
  /// JSON, sent compact with `Content-Type: application/json` unless given. A Swift literal will do.
  ///
  /// ```swift
  /// Patchbay.stub(.get("*/users/7"), respond: .json(["id": 7, "name": "Ann"]))
  /// ```
  public static func json(
    _ value: JSONValue, status: Int = 200, headers: [HeaderField] = []
  ) -> CannedResponse {
    CannedResponse(status: status, headers: headers, body: .json(value))
  }

  /// A value encoded as JSON, with `Content-Type: application/json` unless given.
  ///
  /// - Throws: What the encoder throws.
  public static func json(
    encoding value: some Encodable, status: Int = 200, headers: [HeaderField] = [],
    encoder: JSONEncoder = JSONEncoder()
  ) throws -> CannedResponse {
    var headers = headers
    if headers.first(named: "Content-Type") == nil { headers.append(HeaderField("Content-Type", "application/json")) }
    return CannedResponse(status: status, headers: headers, body: .data(try encoder.encode(value)))
  }

  /// UTF-8 text, sent with no `Content-Type` unless given. May hold templates such as `{{request.path.1}}`, which are
  /// filled in for each request, but not in what a closure answers.
  public static func text(_ text: String, status: Int = 200, headers: [HeaderField] = []) -> CannedResponse {
    CannedResponse(status: status, headers: headers, body: .text(text))
  }

  /// Bytes, sent with no `Content-Type` unless given.
  public static func data(_ data: Data, status: Int = 200, headers: [HeaderField] = []) -> CannedResponse {
    CannedResponse(status: status, headers: headers, body: .data(data))
  }

  /// A status without a body.
  public static func status(_ status: Int, headers: [HeaderField] = []) -> CannedResponse {
    CannedResponse(status: status, headers: headers)
  }

  /// The answer after that time.
  public func delayed(by delay: Duration) -> CannedResponse {
    var response = self
    response.delay = .fixed(delay)
    return response
  }

  /// The answer, its body handed over at that pace.
  public func paced(_ pace: Pace) -> CannedResponse {
    var response = self
    response.pace = pace
    return response
  }
}

extension CannedResponse {
  /// What a hand-written `URLProtocol` mock hands to its client.
  ///
  /// - Parameter answer: The head, of which the URL is not looked at, and the body as the program is to get it.
  init(_ answer: (HTTPURLResponse, Data)) {
    var headers = answer.0.headerFields
    // The body is as it is; what is said of other bytes would end it early.
    headers.remove(named: "Content-Length")
    headers.remove(named: "Content-Encoding")
    self.init(status: answer.0.statusCode, headers: headers, body: .data(answer.1))
  }
}

extension RequestPattern {
  /// A URL glob (`*` is any run of characters, `/` included; all else is literal; the whole URL must fit), any method.
  public static func url(_ glob: String) -> RequestPattern { RequestPattern(url: .glob(glob)) }

  /// A `GET` of a URL that fits the glob.
  public static func get(_ glob: String) -> RequestPattern { method("GET", glob) }
  /// A `HEAD` of a URL that fits the glob.
  public static func head(_ glob: String) -> RequestPattern { method("HEAD", glob) }
  /// A `POST` to a URL that fits the glob.
  public static func post(_ glob: String) -> RequestPattern { method("POST", glob) }
  /// A `PUT` to a URL that fits the glob.
  public static func put(_ glob: String) -> RequestPattern { method("PUT", glob) }
  /// A `PATCH` of a URL that fits the glob.
  public static func patch(_ glob: String) -> RequestPattern { method("PATCH", glob) }
  /// A `DELETE` of a URL that fits the glob.
  public static func delete(_ glob: String) -> RequestPattern { method("DELETE", glob) }

  /// A request by that method to a URL that fits the glob.
  ///
  /// - Parameters:
  ///   - method: Case matters, but for the standard ones (RFC 9110 §9.1).
  ///   - glob: As for ``url(_:)``.
  public static func method(_ method: String, _ glob: String) -> RequestPattern {
    RequestPattern(methods: [method], url: .glob(glob))
  }
}

extension JSONValue: ExpressibleByFloatLiteral {
  /// A number that is none in JSON (infinite) becomes null.
  public init(floatLiteral value: Double) { self = value.isFinite ? .number("\(value)") : .null }
}
