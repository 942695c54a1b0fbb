import Foundation

extension NamedFault {
  /// The one table of faults, in the order of the menu.
  package static let all: [NamedFault] = connection + statuses + slow + broken + content

  private static let connection: [NamedFault] = [
    failing("timedOut", "Timed out", as: "timedOut"),
    failing("offline", "Offline", as: "notConnectedToInternet"),
    failing("hostNotFound", "Host not found", as: "cannotFindHost"),
    failing("cannotConnect", "Cannot connect", as: "cannotConnectToHost"),
    failing("tlsFailure", "TLS failure", as: "secureConnectionFailed"),
    failing("connectionLost", "Connection lost before the response", as: "networkConnectionLost"),
    NamedFault(
      name: "connectionLostMidway", title: "Connection lost midway through the body", group: .connection,
      action: .fail(Fault(.named("networkConnectionLost"), after: half))),
    failing("cancelled", "Cancelled", as: "cancelled"),
    failing("badServerResponse", "Bad server response", as: "badServerResponse"),
    failing("redirectLoop", "Redirect loop", as: "httpTooManyRedirects"),
  ]

  private static let statuses: [NamedFault] = [
    400, 401, 403, 404, 408, 409, 410, 418, 422, 429, 500, 502, 503, 504,
  ].map { status in
    let phrase = HTTPStatus.phrase(status)
    var headers: [HeaderField] = []
    if status == 429 || status == 503 { headers.append(HeaderField("Retry-After", status == 429 ? "30" : "120")) }
    if status == 401 { headers.append(HeaderField("WWW-Authenticate", "Bearer")) }
    let body: JSONValue = .members(["error": .string(phrase), "status": .number("\(status)")])
    return NamedFault(
      name: "http\(status)", title: "\(status) \(phrase)", group: .status,
      action: .respond(CannedResponse(status: status, headers: headers, body: .json(body))))
  }

  private static let slow: [NamedFault] = [
    passing("slow2s", "Slow: 2 s", .slow, PassChanges(delay: .fixed(.seconds(2)))),
    passing("slow10s", "Slow: 10 s", .slow, PassChanges(delay: .fixed(.seconds(10)))),
    passing(
      "dripping", "Dripping: 20 pieces over 10 s", .slow, PassChanges(pace: .dribble(pieces: 20, over: .seconds(10)))),
  ]

  /// What URLSession makes of the four faults of that name in WireMock, as a real server's were measured.
  private static let broken: [NamedFault] = [
    NamedFault(
      name: "emptyResponse", title: "Empty response: closed without a byte", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.closedBeforeHead)))),
    NamedFault(
      name: "connectionReset", title: "Connection reset by peer", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.resetBeforeHead)))),
    NamedFault(
      name: "malformedChunk", title: "Malformed chunk: 200, then garbage", group: .broken,
      action: .fail(
        Fault(
          .named(URLSessionReports.brokenBody),
          after: Fault.Partial(response: CannedResponse(headers: [HeaderField("Transfer-Encoding", "chunked")]))))),
    NamedFault(
      name: "randomThenClose", title: "Random data, then closed", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.garbageBeforeHead)))),
    NamedFault(
      name: "cutOffBody", title: "Cut-off body: shorter than its Content-Length", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.brokenBody), after: half))),
  ]

  private static let content: [NamedFault] = [
    answering("emptyBody", "Empty body", CannedResponse(headers: [HeaderField("Content-Type", "application/json")])),
    answering(
      "brokenJSON", "Broken JSON",
      CannedResponse(
        headers: [HeaderField("Content-Type", "application/json")], body: .text("{\"items\": [{\"id\": 1,"))),
    passing(
      "wrongContentType", "Wrong Content-Type: text/html", .content,
      PassChanges(headers: [.init("Content-Type", ["text/html; charset=utf-8"])])),
    passing(
      "wrongContentLength", "Wrong Content-Length", .content, PassChanges(headers: [.init("Content-Length", ["7"])])),
    answering(
      "hugeBody", "Huge body: 100 MB",
      CannedResponse(
        headers: [HeaderField("Content-Type", "application/octet-stream")], body: .filler(bytes: 100_000_000))),
  ]

  /// A JSON answer of which the second half never comes.
  private static let half: Fault.Partial = {
    let text = "{\"items\": [{\"id\": 1, \"name\": \"first\"}, {\"id\": 2, \"name\": \"second\"}]}"
    let headers = [
      HeaderField("Content-Type", "application/json"), HeaderField("Content-Length", "\(text.utf8.count)"),
    ]
    return Fault.Partial(response: CannedResponse(headers: headers, body: .text(text)), bytes: text.utf8.count / 2)
  }()

  private static func failing(_ name: String, _ title: String, as code: String) -> NamedFault {
    NamedFault(name: name, title: title, group: .connection, action: .fail(Fault(.named(code))))
  }

  private static func passing(_ name: String, _ title: String, _ group: Group, _ changes: PassChanges) -> NamedFault {
    NamedFault(name: name, title: title, group: group, action: .pass(changes))
  }

  private static func answering(_ name: String, _ title: String, _ response: CannedResponse) -> NamedFault {
    NamedFault(name: name, title: title, group: .content, action: .respond(response))
  }
}

/// The codes that the platform's own loader reports for a server that misbehaves.
enum URLSessionReports {
  #if os(Linux)
    static let closedBeforeHead = "badServerResponse"
    static let resetBeforeHead = "networkConnectionLost"
    static let garbageBeforeHead = "unsupportedURL"
    static let brokenBody = "unknown"
  #else
    static let closedBeforeHead = "networkConnectionLost"
    static let resetBeforeHead = "networkConnectionLost"
    static let garbageBeforeHead = "cannotParseResponse"
    static let brokenBody = "networkConnectionLost"
  #endif
}
