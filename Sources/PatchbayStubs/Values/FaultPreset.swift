/// A row of the fault menu, and a word after `fail:` in stub files: an action under a name. Not each of them is a
/// ``Fault``: some answer (`http503`) and some only slow the request down (`slow2s`).
package struct FaultPreset: Hashable, Sendable, Identifiable {
  /// What stub files write; unlike every name of a `URLError` code, unless it means the same.
  package var name: String
  /// What the menu shows.
  package var title: String
  package var group: Group
  package var action: Action

  package var id: String { name }

  package enum Group: String, Hashable, Sendable, CaseIterable {
    case connection = "Connection"
    case status = "Status"
    case slow = "Slow"
    case broken = "Broken transfer"
    case content = "Wrong content"
  }

  package init(name: String, title: String, group: Group, action: Action) {
    self.name = name
    self.title = title
    self.group = group
    self.action = action
  }

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  package static subscript(_ name: String) -> FaultPreset? { byName[name] }

  /// The fault that does just that, if one does.
  package static func of(_ action: Action) -> FaultPreset? { all.first { $0.action == action } }

  /// The action with the names of faults replaced by what they do. A delay and a partial answer that were given beside
  /// the name are kept.
  package static func resolve(_ action: Action) -> Action {
    guard case .fail(let fault) = action, case .named(let name) = fault.error,
      URLErrorCode.code(named: name) == nil
    else { return action }
    switch Self[name]?.action {
    case .fail(var found):
      found.delay = fault.delay ?? found.delay
      found.after = fault.after ?? found.after
      return .fail(found)
    case .respond(var response):
      response.delay = fault.delay ?? response.delay
      return .respond(response)
    case .pass(var changes):
      changes.delay = fault.delay ?? changes.delay
      return .pass(changes)
    default:
      var unknown = fault
      unknown.error = .named("unknown")
      return .fail(unknown)
    }
  }
}

extension FaultPreset {
  /// The one table of faults, in the order of the menu: one row more here is all that a new fault takes.
  package static let all: [FaultPreset] = connection + statuses + slow + broken + content

  private static let connection: [FaultPreset] = [
    failing("timedOut", "Timed out", as: "timedOut"),
    // The hook ends a wait that is longer than the request may be silent with just this error.
    FaultPreset(
      name: "noAnswer", title: "No answer until the request times out", group: .connection,
      action: .fail(Fault(.named("timedOut"), delay: .fixed(.seconds(86_400))))),
    failing("offline", "Offline", as: "notConnectedToInternet"),
    failing("hostNotFound", "Host not found", as: "cannotFindHost"),
    failing("cannotConnect", "Cannot connect", as: "cannotConnectToHost"),
    failing("tlsFailure", "TLS failure", as: "secureConnectionFailed"),
    failing("connectionLost", "Connection lost before the response", as: "networkConnectionLost"),
    FaultPreset(
      name: "connectionLostMidway", title: "Connection lost midway through the body", group: .connection,
      action: .fail(Fault(.named("networkConnectionLost"), after: half))),
    failing("cancelled", "Cancelled", as: "cancelled"),
    failing("badServerResponse", "Bad server response", as: "badServerResponse"),
    failing("redirectLoop", "Redirect loop", as: "httpTooManyRedirects"),
  ]

  private static let statuses: [FaultPreset] = [
    400, 401, 403, 404, 408, 409, 410, 418, 422,
    429, 500, 502, 503, 504,
  ].map { (status: Int) in
    let phrase = HTTPStatus.phrase(status)
    var headers: [HeaderField] = []
    if status == 429 || status == 503 { headers.append(HeaderField("Retry-After", status == 429 ? "30" : "120")) }
    if status == 401 { headers.append(HeaderField("WWW-Authenticate", "Bearer")) }
    let body: JSONValue = .members(["error": .string(phrase), "status": .number("\(status)")])
    return FaultPreset(
      name: "http\(status)", title: "\(status) \(phrase)", group: .status,
      action: .respond(CannedResponse(status: status, headers: headers, body: .json(body))))
  }

  private static let slow: [FaultPreset] = [
    passing("slow2s", "Slow: 2 s", .slow, PassChanges(delay: .fixed(.seconds(2)))),
    passing("slow10s", "Slow: 10 s", .slow, PassChanges(delay: .fixed(.seconds(10)))),
    passing(
      "dripping", "Dripping: 20 pieces over 10 s", .slow,
      PassChanges(pace: .dribble(pieces: 20, over: .seconds(10)))),
    network("slowNetwork", "20 kB/s and 2 s", .seconds(2), 20_000),
    network("slow3G", "slow 3G, 50 kB/s and 2 s", .seconds(2), 50_000),
    network("fast3G", "fast 3G, 180 kB/s and 560 ms", .milliseconds(560), 180_000),
  ]

  /// 3G as the throttling of browsers' developer tools has it.
  private static func network(_ name: String, _ title: String, _ delay: Duration, _ bytes: Int) -> FaultPreset {
    FaultPreset(
      name: name, title: "Slow network: \(title)", group: .slow,
      action: .pass(PassChanges(delay: .fixed(delay), pace: .throttle(bytesPerSecond: bytes))))
  }

  /// What URLSession makes of the four faults of that name in WireMock, as a real server's were measured.
  private static let broken: [FaultPreset] = [
    FaultPreset(
      name: "emptyResponse", title: "Empty response: closed without a byte", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.closedBeforeHead)))),
    FaultPreset(
      name: "connectionReset", title: "Connection reset by peer", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.resetBeforeHead)))),
    FaultPreset(
      name: "malformedChunk", title: "Malformed chunk: 200, then garbage", group: .broken,
      action: .fail(
        Fault(
          .named(URLSessionReports.brokenBody),
          after: Fault.Partial(response: CannedResponse(headers: [HeaderField("Transfer-Encoding", "chunked")]))))),
    FaultPreset(
      name: "randomThenClose", title: "Random data, then closed", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.garbageBeforeHead)))),
    FaultPreset(
      name: "cutOffBody", title: "Cut-off body: shorter than its Content-Length", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.brokenBody), after: half))),
  ]

  private static let content: [FaultPreset] = [
    answering(
      "emptyBody", "Empty body", CannedResponse(headers: [HeaderField("Content-Type", "application/json")])),
    answering(
      "brokenJSON", "Broken JSON",
      CannedResponse(
        headers: [HeaderField("Content-Type", "application/json")], body: .text("{\"items\": [{\"id\": 1,"))),
    passing(
      "wrongContentType", "Wrong Content-Type: text/html", .content,
      PassChanges(headers: [.init("Content-Type", ["text/html; charset=utf-8"])])),
    passing(
      "wrongContentLength", "Wrong Content-Length", .content,
      PassChanges(headers: [.init("Content-Length", ["7"])])),
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

  private static func failing(_ name: String, _ title: String, as code: String) -> FaultPreset {
    FaultPreset(name: name, title: title, group: .connection, action: .fail(Fault(.named(code))))
  }

  private static func passing(
    _ name: String, _ title: String, _ group: Group, _ changes: PassChanges
  ) -> FaultPreset {
    FaultPreset(name: name, title: title, group: group, action: .pass(changes))
  }

  private static func answering(_ name: String, _ title: String, _ response: CannedResponse)
    -> FaultPreset
  {
    FaultPreset(name: name, title: title, group: .content, action: .respond(response))
  }
}

/// The codes that the platform's own loader reports for a server that misbehaves.
package enum URLSessionReports {
  #if os(Linux)
    static let closedBeforeHead = "badServerResponse"
    static let resetBeforeHead = "networkConnectionLost"
    static let garbageBeforeHead = "unsupportedURL"
    package static let brokenBody = "unknown"
  #else
    static let closedBeforeHead = "networkConnectionLost"
    static let resetBeforeHead = "networkConnectionLost"
    static let garbageBeforeHead = "cannotParseResponse"
    package static let brokenBody = "networkConnectionLost"
  #endif
}
