import Foundation

extension Stub {
  /// Reads a stub by the schema of stub files. With `checked` false (a stub that comes from a peer, who checked it),
  /// regular expressions, templates, names of faults and ranges are taken as they are.
  package init(json: JSONValue, checked: Bool = true) throws(StubError) {
    let reader = SchemaReader(checks: checked, allowsCode: true)
    self = try reader.finish(reader.stub(DocumentNode(json))?.stub)
  }

  /// The stub by the schema of stub files; reading it again gives the same stub.
  package var json: JSONValue {
    var members = [JSONValue.Member("name", .string(name))]
    if !enabled { members.append(.init("enabled", false)) }
    let pattern = when.json
    if pattern != .object([]) { members.append(.init("when", pattern)) }
    members.append(.init("then", then.json))
    if skip > 0 { members.append(.init("skip", .number("\(skip)"))) }
    if let chance, chance.isFinite { members.append(.init("chance", .number("\(chance)"))) }
    if let seed { members.append(.init("seed", .number("\(seed)"))) }
    if let times { members.append(.init("times", .number("\(times)"))) }
    if let scenario { members.append(.init("scenario", scenario.json)) }
    return .object(members)
  }
}

extension Stub.Scenario {
  fileprivate var json: JSONValue {
    var members = [JSONValue.Member("name", .string(name))]
    if let state { members.append(.init("in", .string(state))) }
    if let next { members.append(.init("to", .string(next))) }
    return .object(members)
  }
}

extension Action {
  /// Reads what stands after `then:`.
  package init(json: JSONValue, checked: Bool = true) throws(StubError) {
    let reader = SchemaReader(checks: checked)
    self = try reader.finish(reader.action(DocumentNode(json), "the action", steps: true))
  }

  /// What stands after `then:`.
  package var json: JSONValue {
    switch self {
    case .respond(let response): return .members(["respond": response.json])
    case .fail(let fault): return .members(["fail": fault.json])
    case .pass(let changes): return .members(["pass": changes.json])
    case .hold(let point): return .members(["hold": .string(point.rawValue)])
    case .sequence(let actions, let afterwards):
      return .members([
        "sequence": .array(actions.map(\.json)), "afterwards": .string(afterwards.rawValue),
      ])
    case .code: return .members(["code": .object([])])
    }
  }
}

extension CannedResponse {
  /// Reads what stands after `respond:`.
  package init(json: JSONValue, checked: Bool = true) throws(StubError) {
    let action = try Action(json: .members(["respond": json]), checked: checked)
    guard case .respond(let response) = action else { throw StubError("this is no response") }
    self = response
  }

  /// What stands after `respond:`.
  package var json: JSONValue { .object(members) }

  var members: [JSONValue.Member] {
    var members = [JSONValue.Member("status", .number("\(status)"))]
    if !headers.isEmpty { members.append(.init("headers", PairList.json(headers))) }
    switch body {
    case .none: break
    case .text(let text): members.append(.init("body", .string(text)))
    case .json(let json): members.append(.init("json", json))
    case .data(let data): members.append(.init("base64", .string(data.base64EncodedString())))
    case .file(let path): members.append(.init("file", .string(path)))
    case .folder(let path, let otherwise):
      members.append(.init("folder", .string(path)))
      if otherwise != .pass { members.append(.init("otherwise", .string(otherwise.rawValue))) }
    case .events(let events): members.append(.init("events", .array(events.map(\.json))))
    case .filler(let bytes): members.append(.init("filler", .string(SizeText.print(bytes))))
    }
    if let delay { members.append(.init("delay", delay.json)) }
    if let pace { members.append(pace.member) }
    return members
  }
}

extension CannedResponse.Event {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let event { members.append(.init("event", .string(event))) }
    if let id { members.append(.init("id", .string(id))) }
    if let data { members.append(.init("data", data)) }
    if let after { members.append(.init("after", after.json)) }
    return .object(members)
  }
}

extension Fault {
  /// Reads what stands after `fail:`.
  package init(json: JSONValue, checked: Bool = true) throws(StubError) {
    let reader = SchemaReader(checks: checked)
    self = try reader.finish(reader.fault(DocumentNode(json)))
  }

  /// What stands after `fail:`.
  package var json: JSONValue {
    var members: [JSONValue.Member]
    switch error {
    case .named(let name):
      if delay == nil, after == nil { return .string(name) }
      members = [.init("error", .string(name))]
    case .custom(let domain, let code, let message):
      members = [.init("domain", .string(domain)), .init("code", .number("\(code)"))]
      if let message { members.append(.init("message", .string(message))) }
    }
    if let delay { members.append(.init("delay", delay.json)) }
    if let after {
      let bytes = after.bytes.map { [JSONValue.Member("bytes", .number("\(max($0, 0))"))] } ?? []
      members.append(.init("after", .object(after.response.members + bytes)))
    }
    return .object(members)
  }
}

extension PassChanges {
  /// What stands after `pass:`.
  package var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let to { members.append(.init("to", .string(to))) }
    if let request { members.append(.init("request", request.json)) }
    if let delay { members.append(.init("delay", delay.json)) }
    if let pace { members.append(pace.member) }
    if let status { members.append(.init("status", .number("\(status)"))) }
    if !headers.isEmpty { members.append(.init("headers", PairList.json(headers))) }
    if let mergePatch { members.append(.init("mergePatch", mergePatch)) }
    if !replace.isEmpty { members.append(.init("replace", replace.json)) }
    return .object(members)
  }
}

extension RequestChanges {
  /// Reads what stands after `request:`.
  package init(json: JSONValue) throws(StubError) {
    let reader = SchemaReader()
    self = try reader.finish(reader.requestChanges(DocumentNode(json)))
  }

  /// What stands after `request:`.
  package var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let method { members.append(.init("method", .string(method))) }
    if let scheme { members.append(.init("scheme", .string(scheme))) }
    if let host { members.append(.init("host", .string(host))) }
    if let port { members.append(.init("port", .number("\(port)"))) }
    if let path { members.append(.init("path", .string(path))) }
    if !query.isEmpty { members.append(.init("query", PairList.json(query))) }
    if !headers.isEmpty { members.append(.init("headers", PairList.json(headers))) }
    members += CannedResponse(body: body).members.filter { StubSchema.Keys.requestBodies.contains($0.name) }
    if let mergePatch { members.append(.init("mergePatch", mergePatch)) }
    if !replace.isEmpty { members.append(.init("replace", replace.json)) }
    return .object(members)
  }
}

extension [PassChanges.Replacement] {
  fileprivate var json: JSONValue {
    .array(map { JSONValue.members(["find": .string($0.find), "with": .string($0.with)]) })
  }
}

extension Delay {
  var json: JSONValue {
    switch self {
    case .fixed(let duration): .string(DurationText.print(duration))
    case .random(let from, let to):
      .members(["from": .string(DurationText.print(from)), "to": .string(DurationText.print(to))])
    }
  }
}

extension Pace {
  var member: JSONValue.Member {
    switch self {
    case .throttle(let bytes): .init("throttle", .string(SizeText.print(bytes) + "/s"))
    case .dribble(let pieces, let over):
      .init("dribble", .members(["pieces": .number("\(pieces)"), "over": .string(DurationText.print(over))]))
    }
  }
}

extension RequestPattern {
  /// What stands after `when:`; an empty object matches all.
  package var json: JSONValue {
    var members: [JSONValue.Member] = []
    if methods.count == 1 { members.append(.init("method", .string(methods[0]))) }
    if methods.count > 1 { members.append(.init("method", .array(methods.map { .string($0) }))) }
    if let url { members.append(.init("url", url.json)) }
    if let scheme { members.append(.init("scheme", scheme.json)) }
    if let host { members.append(.init("host", host.json)) }
    if let port { members.append(.init("port", .number("\(port)"))) }
    if let path { members.append(.init("path", path.json)) }
    if !query.isEmpty { members.append(.init("query", PairList.json(query))) }
    if !headers.isEmpty { members.append(.init("headers", PairList.json(headers))) }
    if let body { members.append(.init("body", body.schemaJSON)) }
    if let process { members.append(.init("process", process.json)) }
    if !any.isEmpty { members.append(.init("any", .array(any.map(\.json)))) }
    if !not.isEmpty { members.append(.init("not", not.count == 1 ? not[0].json : .array(not.map(\.json)))) }
    return .object(members)
  }
}

extension BodyPattern {
  var schemaJSON: JSONValue {
    var members: [JSONValue.Member] = []
    // Several expressions stand where one does.
    var (contained, expressions) = (contains, matches.map { JSONValue.string($0) })
    if matches == nil, case .all(let parts)? = contains, parts.count == 2, case .any = parts[1],
      let several = parts[1].expressions
    {
      (contained, expressions) = (parts[0], several)
    }
    if let contained { members.append(.init("contains", contained.json)) }
    if let equals { members.append(.init("equals", .string(equals))) }
    if let expressions { members.append(.init("matches", expressions)) }
    if let json { members.append(.init("json", json)) }
    if !pointer.isEmpty { members.append(.init("pointer", PairList.json(pointer))) }
    if !form.isEmpty { members.append(.init("form", PairList.json(form))) }
    if !multipart.isEmpty { members.append(.init("multipart", PairList.json(multipart))) }
    if let graphql { members.append(.init("graphql", graphql.json)) }
    return .object(members)
  }
}

extension BodyPattern.GraphQL {
  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let operation { members.append(.init("operation", operation.json)) }
    if let variables { members.append(.init("variables", variables)) }
    return .object(members)
  }
}

extension TextPattern {
  /// Reads what stands where a text pattern may stand.
  package init(json: JSONValue) throws(StubError) {
    let reader = SchemaReader()
    self = try reader.finish(reader.textPattern(DocumentNode(json), "the text"))
  }

  /// What stands where a text pattern may stand.
  package var json: JSONValue {
    switch self {
    case .glob(let text): return .string(text)
    case .matches(let text): return .members(["matches": .string(text)])
    case .any(let parts): return .array(parts.map(\.json))
    case .not(let parts):
      // A list in a list is one alternative of it.
      if parts.count == 1, case .any = parts[0] { return .members(["not": .array([parts[0].json])]) }
      return .members(["not": parts.count == 1 ? parts[0].json : .array(parts.map(\.json))])
    case .all(let parts):
      if parts.count == 2, case .not = parts[1], let one = parts[0].expressions,
        case .object(let not) = parts[1].json
      {
        return .object([.init("matches", one)] + not)
      }
      // All of them: none does not fit.
      return .members(["not": .array(parts.map { .members(["not": $0.json]) })])
    }
  }

  /// What stands after `matches:`; nil where it is more than regular expressions.
  fileprivate var expressions: JSONValue? {
    switch self {
    case .matches(let text): return .string(text)
    case .any(let parts):
      let texts = parts.compactMap { if case .matches(let text) = $0 { JSONValue.string(text) } else { nil } }
      return texts.count == parts.count ? .array(texts) : nil
    default: return nil
    }
  }
}

/// Names and values as the schema writes them: a map, or where a name comes again a list of maps with one key each.
enum PairList {
  static func json(_ pairs: [JSONValue.Member]) -> JSONValue {
    if Set(pairs.map(\.name)).count == pairs.count { return .object(pairs) }
    return .array(pairs.map { .object([$0]) })
  }

  static func json(_ changes: [PassChanges.HeaderChange]) -> JSONValue {
    json(
      changes.map { change in
        let values = (change.values ?? []).map { JSONValue.string($0) }
        return .init(change.name, values.isEmpty ? .null : values.count == 1 ? values[0] : .array(values))
      })
  }

  static func json(_ conditions: [RequestPattern.Condition]) -> JSONValue {
    json(conditions.map { .init($0.name, $0.value?.json ?? .null) })
  }

  /// Fields of the same name that follow one another are one key with a list.
  static func json(_ headers: [HeaderField]) -> JSONValue {
    var groups: [(name: String, values: [JSONValue])] = []
    for field in headers {
      if groups.last?.name == field.name {
        groups[groups.count - 1].values.append(.string(field.value))
      } else {
        groups.append((field.name, [.string(field.value)]))
      }
    }
    return json(groups.map { .init($0.name, $0.values.count == 1 ? $0.values[0] : .array($0.values)) })
  }
}
