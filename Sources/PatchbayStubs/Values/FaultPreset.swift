/// A row of the fault menu, and a word after `fail:` in stub files: an action under a name. Not each of them is a
/// ``Fault``: some answer (`http503`) and some only slow the request down (`slow2s`).
package struct FaultPreset: Hashable, Sendable, Identifiable {
  /// What stub files write; unlike every name of a `URLError` code, unless it means the same.
  package var name: String
  /// What the menu shows.
  package var title: String
  /// The key in the menu. It stays with the row wherever further rows are put; nil has none.
  package var letter: Character?
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

  package init(name: String, title: String, letter: Character?, group: Group, action: Action) {
    self.name = name
    self.title = title
    self.letter = letter
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
    failing("timedOut", "a", "Timed out", as: "timedOut"),
    failing("offline", "b", "Offline", as: "notConnectedToInternet"),
    failing("hostNotFound", "c", "Host not found", as: "cannotFindHost"),
    failing("cannotConnect", "d", "Cannot connect", as: "cannotConnectToHost"),
    failing("tlsFailure", "e", "TLS failure", as: "secureConnectionFailed"),
    failing("connectionLost", "f", "Connection lost before the response", as: "networkConnectionLost"),
    FaultPreset(
      name: "connectionLostMidway", title: "Connection lost midway through the body", letter: "g", group: .connection,
      action: .fail(Fault(.named("networkConnectionLost"), after: half))),
    failing("cancelled", "h", "Cancelled", as: "cancelled"),
    failing("badServerResponse", "i", "Bad server response", as: "badServerResponse"),
    failing("redirectLoop", "l", "Redirect loop", as: "httpTooManyRedirects"),
  ]

  private static let statuses: [FaultPreset] = [
    (400, "m"), (401, "n"), (403, "o"), (404, "p"), (408, "r"), (409, "s"), (410, "t"), (418, "u"), (422, "v"),
    (429, "w"), (500, "x"), (502, "y"), (503, "z"), (504, "A"),
  ].map { (status: Int, letter: Character) in
    let phrase = HTTPStatus.phrase(status)
    var headers: [HeaderField] = []
    if status == 429 || status == 503 { headers.append(HeaderField("Retry-After", status == 429 ? "30" : "120")) }
    if status == 401 { headers.append(HeaderField("WWW-Authenticate", "Bearer")) }
    let body: JSONValue = .members(["error": .string(phrase), "status": .number("\(status)")])
    return FaultPreset(
      name: "http\(status)", title: "\(status) \(phrase)", letter: letter, group: .status,
      action: .respond(CannedResponse(status: status, headers: headers, body: .json(body))))
  }

  private static let slow: [FaultPreset] = [
    passing("slow2s", "B", "Slow: 2 s", .slow, PassChanges(delay: .fixed(.seconds(2)))),
    passing("slow10s", "C", "Slow: 10 s", .slow, PassChanges(delay: .fixed(.seconds(10)))),
    passing(
      "dripping", "D", "Dripping: 20 pieces over 10 s", .slow,
      PassChanges(pace: .dribble(pieces: 20, over: .seconds(10)))),
  ]

  /// What URLSession makes of the four faults of that name in WireMock, as a real server's were measured.
  private static let broken: [FaultPreset] = [
    FaultPreset(
      name: "emptyResponse", title: "Empty response: closed without a byte", letter: "E", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.closedBeforeHead)))),
    FaultPreset(
      name: "connectionReset", title: "Connection reset by peer", letter: "F", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.resetBeforeHead)))),
    FaultPreset(
      name: "malformedChunk", title: "Malformed chunk: 200, then garbage", letter: "H", group: .broken,
      action: .fail(
        Fault(
          .named(URLSessionReports.brokenBody),
          after: Fault.Partial(response: CannedResponse(headers: [HeaderField("Transfer-Encoding", "chunked")]))))),
    FaultPreset(
      name: "randomThenClose", title: "Random data, then closed", letter: "I", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.garbageBeforeHead)))),
    FaultPreset(
      name: "cutOffBody", title: "Cut-off body: shorter than its Content-Length", letter: "L", group: .broken,
      action: .fail(Fault(.named(URLSessionReports.brokenBody), after: half))),
  ]

  private static let content: [FaultPreset] = [
    answering(
      "emptyBody", "M", "Empty body", CannedResponse(headers: [HeaderField("Content-Type", "application/json")])),
    answering(
      "brokenJSON", "N", "Broken JSON",
      CannedResponse(
        headers: [HeaderField("Content-Type", "application/json")], body: .text("{\"items\": [{\"id\": 1,"))),
    passing(
      "wrongContentType", "O", "Wrong Content-Type: text/html", .content,
      PassChanges(headers: [.init("Content-Type", ["text/html; charset=utf-8"])])),
    passing(
      "wrongContentLength", "P", "Wrong Content-Length", .content,
      PassChanges(headers: [.init("Content-Length", ["7"])])),
    answering(
      "hugeBody", "R", "Huge body: 100 MB",
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

  private static func failing(_ name: String, _ letter: Character, _ title: String, as code: String) -> FaultPreset {
    FaultPreset(name: name, title: title, letter: letter, group: .connection, action: .fail(Fault(.named(code))))
  }

  private static func passing(
    _ name: String, _ letter: Character, _ title: String, _ group: Group, _ changes: PassChanges
  ) -> FaultPreset {
    FaultPreset(name: name, title: title, letter: letter, group: group, action: .pass(changes))
  }

  private static func answering(_ name: String, _ letter: Character, _ title: String, _ response: CannedResponse)
    -> FaultPreset
  {
    FaultPreset(name: name, title: title, letter: letter, group: .content, action: .respond(response))
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
