import Foundation
import PatchbayStubs
import PatchbayWire

/// WireMock's mappings: one JSON file, as `POST /__admin/mappings/import` and a folder of mappings take it.
///
/// They are the recorded stubs: what was answered differently when it was asked again is a scenario. The host is a
/// condition only where two hosts were asked for the same, since programs reach WireMock under a name of its own.
struct WireMockExporter: ExchangeExporter {
  private(set) var stubCount: Int?
  private var exchanges = GatheredExchanges()

  mutating func entry(_ exchange: Exchange) throws -> String {
    try exchanges.add(exchange)
    return ""
  }

  mutating func end() -> String {
    var bodies = BodyFiles()
    let stubs = StubsExport.recorded(from: exchanges.list, bodies: &bodies)
    let mappings = WireMockMappings(stubs)
    stubCount = stubs.count
    return JSONValue.members(["mappings": .array(mappings.list)]).indented(escaping: .printable) + "\n"
  }
}

extension ExportFormat {
  package static let wiremock = ExportFormat(
    "wiremock", key: "m", title: "WireMock", detail: "mappings", label: "WireMock", noun: "WireMock mappings",
    output: .file(ending: ".json") { _ in WireMockExporter() })
}

/// Recorded stubs as mappings.
private struct WireMockMappings {
  private(set) var list: [JSONValue] = []
  /// Methods and places that more than one host was asked for.
  private let shared: Set<String>

  init(_ stubs: [RecordedStub]) {
    var hosts: [String: Set<String>] = [:]
    for stub in stubs {
      let place = Place(stub.stub.when.url)
      hosts[Self.key(stub.stub, place), default: []].insert(place.authority)
    }
    shared = Set(hosts.filter { $0.value.count > 1 }.keys)
    for stub in stubs { add(stub) }
  }

  private static func key(_ stub: Stub, _ place: Place) -> String { "\(stub.when.methods.first ?? "") \(place.text)" }

  private mutating func add(_ recorded: RecordedStub) {
    let stub = recorded.stub
    let request = request(stub)
    guard case .sequence(let steps, _) = stub.then, steps.count > 1 else {
      var answer = stub.then
      if case .sequence(let steps, _) = answer, let only = steps.first { answer = only }
      list.append(mapping(stub.name, request, answer, recorded.notes))
      return
    }
    for (index, step) in steps.enumerated() {
      var scenario = [
        JSONValue.Member("scenarioName", .string(stub.name)),
        .init("requiredScenarioState", .string(index == 0 ? "Started" : "\(index + 1)")),
      ]
      if index + 1 < steps.count { scenario.append(.init("newScenarioState", .string("\(index + 2)"))) }
      list.append(mapping("\(stub.name), \(index + 1) of \(steps.count)", request, step, recorded.notes, scenario))
    }
  }

  private func mapping(
    _ name: String, _ request: JSONValue, _ action: Action, _ notes: [String], _ scenario: [JSONValue.Member] = []
  ) -> JSONValue {
    // A mapping cannot be off.
    var notes = notes.map {
      $0.replacingOccurrences(of: RequestResponsePair.isOff, with: ": a program takes the part for the whole.")
    }
    let response = response(action, &notes)
    var members = [JSONValue.Member("name", .string(name))]
    // What looks at the body is asked before what does not.
    if request["bodyPatterns"] != nil { members.append(.init("priority", .number("1"))) }
    members += scenario
    members += [.init("request", request), .init("response", response)]
    if !notes.isEmpty { members.append(.init("metadata", .members(["notes": .array(notes.map { .string($0) })]))) }
    return .object(members)
  }

  // MARK: - Requests

  /// A recorded URL without its scheme: whom was asked, and for what.
  private struct Place {
    /// Host and port.
    let authority: String
    /// Path and query, as text or as an expression.
    let text: String
    let isExpression: Bool

    init(_ pattern: TextPattern?) {
      let source: String
      switch pattern {
      case .matches(let expression):
        source = expression.hasPrefix("^") ? String(expression.dropFirst()) : expression
        isExpression = true
      case .glob(let glob):
        source = glob
        isExpression = glob.contains("*")
      default:
        source = ""
        isExpression = false
      }
      let start = source.range(of: "://")?.upperBound ?? source.startIndex
      let end = source[start...].firstIndex { $0 == "/" || $0 == "?" } ?? source.endIndex
      authority = source[start..<end].replacingOccurrences(of: "\\", with: "")
      let rest = String(source[end...])
      switch pattern {
      case .matches: text = rest.hasSuffix("$") ? String(rest.dropLast()) : rest
      default:
        text = isExpression ? rest.components(separatedBy: "*").map(StubsExport.quoted).joined(separator: ".*") : rest
      }
    }
  }

  private func request(_ stub: Stub) -> JSONValue {
    let place = Place(stub.when.url)
    var members: [JSONValue.Member] = []
    if let method = stub.when.methods.first { members.append(.init("method", .string(method))) }
    members.append(.init(place.isExpression ? "urlPattern" : "url", .string(place.text.isEmpty ? "/" : place.text)))
    if shared.contains(Self.key(stub, place)) {
      let parts = place.authority.split(separator: ":", maxSplits: 1).map(String.init)
      if !place.authority.hasPrefix("["), let host = parts.first {
        members.append(.init("host", .members(["equalTo": .string(host)])))
        if parts.count > 1, Int(parts[1]) != nil { members.append(.init("port", .number(parts[1]))) }
      }
    }
    if let body = stub.when.body {
      var patterns: [JSONValue] = []
      if let text = body.equals {
        patterns.append(text.isEmpty ? .members(["absent": true]) : .members(["equalTo": .string(text)]))
      }
      if let expression = body.matches {
        let bare =
          expression.hasPrefix("^") && expression.hasSuffix("$")
          ? String(expression.dropFirst().dropLast()) : expression
        patterns.append(.members(["matches": .string(bare)]))
      }
      if !patterns.isEmpty { members.append(.init("bodyPatterns", .array(patterns))) }
    }
    return .object(members)
  }

  // MARK: - Responses

  private func response(_ action: Action, _ notes: inout [String]) -> JSONValue {
    switch action {
    case .respond(let response): return response.wireMock
    case .fail(let fault): return failure(fault, &notes)
    default: return .members(["status": .number("200")])
    }
  }

  /// WireMock has four faults; what the program saw stands in a note.
  private func failure(_ fault: Fault, _ notes: inout [String]) -> JSONValue {
    let error = fault.error.resolved
    notes.append("The program saw \(error.name ?? "an error") (\(error.domain) \(error.code)).")
    if fault.after != nil { return .members(["fault": "MALFORMED_RESPONSE_CHUNK"]) }
    switch error.name {
    case "badServerResponse": return .members(["fault": "EMPTY_RESPONSE"])
    // As long as URLSession waits where nothing else is said.
    case "timedOut": return .members(["fault": "CONNECTION_RESET_BY_PEER", "fixedDelayMilliseconds": .number("60000")])
    default: return .members(["fault": "CONNECTION_RESET_BY_PEER"])
    }
  }
}

extension CannedResponse {
  fileprivate var wireMock: JSONValue {
    var members = [JSONValue.Member("status", .number("\(status)"))]
    var fields: [JSONValue.Member] = []
    for header in headers {
      let value = JSONValue.string(Self.plain(header.value))
      if let place = fields.firstIndex(where: { $0.name.lowercased() == header.name.lowercased() }) {
        if case .array(let values) = fields[place].value {
          fields[place].value = .array(values + [value])
        } else {
          fields[place].value = .array([fields[place].value, value])
        }
      } else {
        fields.append(.init(header.name, value))
      }
    }
    if case .json = body, headers.first(named: "Content-Type") == nil {
      fields.append(.init("Content-Type", "application/json"))
    }
    if !fields.isEmpty { members.append(.init("headers", .object(fields))) }
    switch body {
    case .json(let json): members.append(.init("jsonBody", json))
    case .text(let text): members.append(.init("body", .string(Self.plain(text))))
    case .data(let data): members.append(.init("base64Body", .string(data.base64EncodedString())))
    default: break
    }
    return .object(members)
  }

  /// The text that a quoted template gives.
  private static func plain(_ text: String) -> String {
    guard Template.isNeeded(for: text), let template = try? Template(text) else { return text }
    var result = ""
    for part in template.parts {
      guard case .literal(let literal) = part else { return text }
      result += literal
    }
    return result
  }
}
