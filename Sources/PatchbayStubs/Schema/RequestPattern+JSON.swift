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
    return .object(members)
  }
}

extension BodyPattern {
  var schemaJSON: JSONValue {
    var members: [JSONValue.Member] = []
    if let contains { members.append(.init("contains", .string(contains))) }
    if let equals { members.append(.init("equals", .string(equals))) }
    if let matches { members.append(.init("matches", .string(matches))) }
    if let json { members.append(.init("json", json)) }
    if !pointer.isEmpty { members.append(.init("pointer", PairList.json(pointer))) }
    if !form.isEmpty { members.append(.init("form", PairList.json(form))) }
    if !multipart.isEmpty { members.append(.init("multipart", PairList.json(multipart))) }
    return .object(members)
  }
}

extension TextPattern {
  var json: JSONValue {
    switch self {
    case .glob(let text): .string(text)
    case .matches(let text): .members(["matches": .string(text)])
    }
  }
}

/// Names and values as the schema writes them: a map, or where a name comes again a list of maps with one key each.
enum PairList {
  static func json(_ pairs: [JSONValue.Member]) -> JSONValue {
    if Set(pairs.map(\.name)).count == pairs.count { return .object(pairs) }
    return .array(pairs.map { .object([$0]) })
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
