import Foundation
import PatchbayStubs

/// What WireMock's `response` answers, as an action.
struct WireMockResponse {
  let path: String
  /// The folder that `bodyFileName` means; nil where there is none.
  let filesFolder: String?
  /// The request's `urlPathTemplate`.
  let template: String?

  /// Longer waits are for nobody.
  private static let longest = 86_400_000

  mutating func action(
    _ node: DocumentNode, _ bodies: inout ImportedBodies, _ notes: inout ImportNotes
  ) -> JSONValue {
    let texts = Texts(node, template)
    for entry in node.entries where !entry.value.isNull {
      switch entry.key {
      case "status", "headers", "body", "jsonBody", "base64Body", "bodyFileName", "fault", "proxyBaseUrl",
        "fixedDelayMilliseconds", "delayDistribution", "chunkedDribbleDelay", "additionalProxyRequestHeaders",
        "removeProxyRequestHeaders", "fromConfiguredStub", "transformerParameters":
        break
      case "transformers":
        for item in entry.value.list ?? [] where item.scalar != "response-template" {
          notes.add("the transformer `\(item.scalar ?? "")` is not known", path: path, at: item.position)
        }
      case "statusMessage":
        notes.add(
          "`statusMessage` is left out: programs see the number alone", path: path, at: entry.keyPosition)
      default: notes.add("`\(entry.key)` of a response is left out", path: path, at: entry.keyPosition)
      }
    }
    if let fault = node["fault"]?.scalar {
      return failure(fault, node, &notes)
    }
    if let target = node["proxyBaseUrl"]?.scalar { return pass(target, node, texts, &notes) }
    return respond(node, texts, &bodies, &notes)
  }

  /// Texts of the answer, which are templates where the mapping says so.
  private struct Texts {
    let isTemplated: Bool
    let translation: WireMockTemplate

    init(_ node: DocumentNode, _ template: String?) {
      isTemplated = node["transformers"]?.list?.contains { $0.scalar == "response-template" } ?? false
      translation = WireMockTemplate(pathTemplate: template, parameters: node["transformerParameters"])
    }

    func text(_ text: String, _ unknown: inout [String]) -> String {
      isTemplated ? translation.text(text, &unknown) : Template.quoting(text)
    }

    func json(_ value: JSONValue, _ unknown: inout [String]) -> JSONValue {
      switch value {
      case .string(let text): .string(self.text(text, &unknown))
      case .array(let elements): .array(elements.map { json($0, &unknown) })
      case .object(let members): .object(members.map { .init($0.name, json($0.value, &unknown)) })
      default: value
      }
    }
  }

  private func note(_ unknown: [String], _ node: DocumentNode, _ notes: inout ImportNotes) {
    for expression in unknown {
      notes.add(
        "the template {{\(expression.shortened(to: 80))}} cannot be said here and stands as text", path: path,
        at: node.position)
    }
  }

  // MARK: - Respond

  private func respond(
    _ node: DocumentNode, _ texts: Texts, _ bodies: inout ImportedBodies, _ notes: inout ImportNotes
  ) -> JSONValue {
    var members: [JSONValue.Member] = []
    var status = node["status"]?.integer(in: 0...10_000) ?? 200
    if !(100...599).contains(status) {
      notes.add("the status \(status) is none of HTTP; 200 is answered", path: path, at: node["status"]?.position)
      status = 200
    }
    members.append(.init("status", .number(String(status))))
    var unknown: [String] = []
    let headers = (node["headers"]?.entries ?? []).compactMap { entry -> JSONValue.Member? in
      let values = (entry.value.list ?? [entry.value]).compactMap(\.scalar).map {
        JSONValue.string(texts.text(Self.oneLine($0), &unknown))
      }
      return values.isEmpty ? nil : .init(entry.key, values.count == 1 ? values[0] : .array(values))
    }
    if !headers.isEmpty { members.append(.init("headers", .object(headers))) }
    if let body = body(node, texts, &bodies, &unknown, &notes) { members.append(body) }
    members += timing(node, &notes)
    note(unknown, node["body"] ?? node["jsonBody"] ?? node["headers"] ?? node, &notes)
    return .members(["respond": .object(members)])
  }

  private static func oneLine(_ text: String) -> String {
    text.contains(where: \.isNewline) ? text.split(whereSeparator: \.isNewline).joined(separator: " ") : text
  }

  private func body(
    _ node: DocumentNode, _ texts: Texts, _ bodies: inout ImportedBodies, _ unknown: inout [String],
    _ notes: inout ImportNotes
  ) -> JSONValue.Member? {
    if let json = node["jsonBody"] { return .init("json", texts.json(json.json, &unknown)) }
    if let body = node["body"], body.scalar == nil, !body.isNull {
      notes.add("`body` is no text; the body is empty", path: path, at: body.position)
      return nil
    }
    if let text = node["body"]?.scalar { return .init("body", .string(texts.text(text, &unknown))) }
    if let encoded = node["base64Body"], let text = encoded.scalar {
      if Data(base64Encoded: text) != nil { return .init("base64", .string(text)) }
      notes.add("`base64Body` is no base64; the body is empty", path: path, at: encoded.position)
      return nil
    }
    guard let file = node["bodyFileName"], let name = file.scalar else { return nil }
    guard let filesFolder else {
      notes.add(
        "the body of `\(name.shortened(to: 80))` is missing: there is no `__files` beside the mappings", path: path,
        at: file.position)
      return nil
    }
    if texts.isTemplated, name.contains("{{") {
      var strange: [String] = []
      let translated = texts.text(name, &strange)
      if let place = bodies.place(translated, in: filesFolder), strange.isEmpty {
        notes.add(
          "templates in the files that `\(name.shortened(to: 80))` names stand as text", path: path, at: file.position)
        return .init("file", .string(place))
      }
      notes.add(
        "the templated file name `\(name.shortened(to: 80))` cannot be said here", path: path, at: file.position)
      return nil
    }
    do throws(StubError) {
      switch try bodies.body(name, in: filesFolder) {
      case .text(let text):
        if !texts.isTemplated, name.lowercased().hasSuffix(".json"), let json = try? JSONValue(parsing: text) {
          return .init("json", json.quotingTemplates)
        }
        return .init("body", .string(texts.text(text, &unknown)))
      case .bytes(let data): return .init("base64", .string(data.base64EncodedString()))
      case .file(let place): return .init("file", .string(place))
      }
    } catch {
      notes.add("\(error.message); the body is empty", path: path, at: file.position)
      return nil
    }
  }

  private func timing(_ node: DocumentNode, _ notes: inout ImportNotes) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if let delay = delay(node, &notes) { members.append(.init("delay", delay)) }
    if let dribble = node["chunkedDribbleDelay"] {
      let pieces = dribble["numberOfChunks"]?.integer(in: 1...1_000_000) ?? 1
      let over = dribble["totalDuration"]?.integer(in: 0...Self.longest) ?? 0
      members.append(
        .init("dribble", .members(["pieces": .number(String(pieces)), "over": .string("\(over)ms")])))
    }
    return members
  }

  private func delay(_ node: DocumentNode, _ notes: inout ImportNotes) -> JSONValue? {
    let fixed = node["fixedDelayMilliseconds"]?.integer(in: 0...Self.longest)
    guard let spread = node["delayDistribution"] else {
      guard let fixed, fixed > 0 else { return nil }
      return .string("\(fixed)ms")
    }
    func time(_ key: String) -> Int { spread[key]?.integer(in: 0...Self.longest) ?? 0 }
    switch spread["type"]?.scalar {
    case "uniform":
      let (from, to) = (min(time("lower"), time("upper")), max(time("lower"), time("upper")))
      return .members(["from": .string("\(from)ms"), "to": .string("\(to)ms")])
    case "fixed": return .string("\(time("milliseconds"))ms")
    case "lognormal":
      notes.add("the log-normal delay is said as its median", path: path, at: spread.position)
      return .string("\(time("median"))ms")
    default:
      notes.add("this `delayDistribution` is left out", path: path, at: spread.position)
      return nil
    }
  }

  // MARK: - Fail and pass

  private static let faults = [
    "EMPTY_RESPONSE": "emptyResponse", "MALFORMED_RESPONSE_CHUNK": "malformedChunk",
    "RANDOM_DATA_THEN_CLOSE": "randomThenClose", "CONNECTION_RESET_BY_PEER": "connectionReset",
  ]

  private func failure(_ fault: String, _ node: DocumentNode, _ notes: inout ImportNotes) -> JSONValue {
    let name = Self.faults[fault]
    if name == nil {
      notes.add(
        "the fault `\(fault.shortened(to: 60))` is not known; the connection is lost", path: path, at: node.position)
    }
    let word = JSONValue.string(name ?? "connectionLost")
    guard let delay = delay(node, &notes) else { return .members(["fail": word]) }
    return .members(["fail": .members(["error": word, "delay": delay])])
  }

  private func pass(
    _ target: String, _ node: DocumentNode, _ texts: Texts, _ notes: inout ImportNotes
  ) -> JSONValue {
    var unknown: [String] = []
    var to = texts.text(target, &unknown)
    while to.hasSuffix("/") { to.removeLast() }
    note(unknown, node["proxyBaseUrl"] ?? node, &notes)
    var members: [JSONValue.Member] = []
    if unknown.isEmpty {
      members.append(.init("to", .string(to)))
    } else {
      notes.add("the request goes where the program sends it", path: path, at: node["proxyBaseUrl"]?.position)
    }
    var headers = (node["additionalProxyRequestHeaders"]?.entries ?? []).compactMap { entry in
      entry.value.scalar.map { JSONValue.Member(entry.key, .string(Template.quoting(Self.oneLine($0)))) }
    }
    headers += (node["removeProxyRequestHeaders"]?.list ?? []).compactMap(\.scalar).map { .init($0, .null) }
    if !headers.isEmpty { members.append(.init("request", .members(["headers": .object(headers)]))) }
    let answer = (node["headers"]?.entries ?? []).compactMap { entry -> JSONValue.Member? in
      let values = (entry.value.list ?? [entry.value]).compactMap(\.scalar)
      return values.isEmpty ? nil : .init(entry.key, .array(values.map { .string(Template.quoting(Self.oneLine($0))) }))
    }
    if !answer.isEmpty { members.append(.init("headers", .object(answer))) }
    members += timing(node, &notes)
    return .members(["pass": .object(members)])
  }
}
