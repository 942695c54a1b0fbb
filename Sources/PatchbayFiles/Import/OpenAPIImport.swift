import Foundation
import PatchbayStubs

/// OpenAPI 3.0 and 3.1: a stub for each status of each operation, switched off but for the success.
struct OpenAPIImport {
  private let document: OpenAPIDocument
  private var examples: SchemaExample
  /// So many bytes of examples one stub file takes.
  private var room = 4 << 20

  /// A stub file that nobody can look through is no use, and a document without end shall end.
  private static let stubLimit = 20_000
  private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]

  init(_ node: DocumentNode, path: String) {
    document = OpenAPIDocument(node, path: path)
    examples = SchemaExample(document)
  }

  mutating func drafts(_ notes: inout ImportNotes) -> [StubDraft] {
    let root = document.root
    var ordered: [(draft: StubDraft, parameters: Int, length: Int)] = []
    if let hooks = root["webhooks"] ?? root["x-webhooks"] {
      note("`webhooks` are requests to the program and are left out", hooks, &notes)
    }
    if let schemes = root["security"] ?? root["components"]?["securitySchemes"] {
      note("security is no condition: a stub answers by method, host and path", schemes, &notes)
    }
    for (path, item) in root["paths"]?.entries ?? [] where !path.hasPrefix("x-") {
      guard let item = follow(item, &notes) else { continue }
      for (method, entry) in item.entries where Self.methods.contains(method) {
        guard let operation = follow(entry, &notes) else { continue }
        guard ordered.count < Self.stubLimit else {
          note("more than \(Self.stubLimit) stubs: the operations from here on are left out", operation, &notes)
          return finish(ordered)
        }
        let servers = operation["servers"] ?? item["servers"] ?? root["servers"]
        let pattern = OpenAPIPlace(servers: servers, path: path).pattern(method: method.uppercased())
        let found = drafts(operation, name: "\(method.uppercased()) \(path)", when: pattern, &notes)
        let parameters = path.filter { $0 == "{" }.count
        ordered += found.map { ($0, parameters, path.split(separator: "/").count) }
        noteConditions(operation, item, &notes)
      }
    }
    return finish(ordered)
  }

  /// What is said more exactly comes first (`/users/me` before `/users/{id}`): the first stub that fits answers.
  private func finish(_ drafts: [(draft: StubDraft, parameters: Int, length: Int)]) -> [StubDraft] {
    drafts.enumerated().sorted { left, right in
      let (one, other) = (left.element, right.element)
      return one.parameters == other.parameters ? left.offset < right.offset : one.parameters < other.parameters
    }.map(\.element.draft)
  }

  private func noteConditions(_ operation: OpenAPINode, _ item: OpenAPINode, _ notes: inout ImportNotes) {
    if let parameters = operation["parameters"] ?? item["parameters"], parameters.list?.isEmpty == false {
      note("parameters are no conditions, but for those of the path", parameters, &notes)
    }
    if let body = operation["requestBody"] { note("the request's body is no condition", body, &notes) }
    if let callbacks = operation["callbacks"] {
      note("`callbacks` are requests to the program and are left out", callbacks, &notes)
    }
  }

  private func note(_ message: String, _ node: OpenAPINode, _ notes: inout ImportNotes) {
    notes.add(message, path: document.path(of: node), at: node.node.position)
  }

  private func follow(_ node: OpenAPINode, _ notes: inout ImportNotes) -> OpenAPINode? {
    do throws(StubError) {
      return try document.resolved(node)
    } catch {
      notes.add("\(error.message); it is left out", path: document.path(of: node), at: error.position)
      return nil
    }
  }

  // MARK: - Operations

  private mutating func drafts(
    _ operation: OpenAPINode, name: String, when: PatternDraft, _ notes: inout ImportNotes
  ) -> [StubDraft] {
    let responses = (operation["responses"]?.entries ?? []).filter { !$0.key.hasPrefix("x-") }
    guard !responses.isEmpty else {
      note("the operation tells no response: its stub is off and answers 200 without a body", operation, &notes)
      let then = JSONValue.members(["respond": .members(["status": .number("200")])])
      return [
        StubDraft(
          name: name, enabled: false, when: when, then: then, path: document.path(of: operation),
          position: operation.node.position)
      ]
    }
    var found: [(status: Int, draft: StubDraft)] = []
    for (key, response) in responses {
      guard let status = Self.status(key, isOnly: responses.count == 1) else {
        note("`\(key.shortened(to: 20))` is no status; the response is left out", response, &notes)
        continue
      }
      guard let response = follow(response, &notes) else { continue }
      let answer = answer(response, status: status, &notes)
      var draft = StubDraft(
        name: "\(name) \(key)", enabled: false, when: when, then: .members(["respond": answer]),
        path: document.path(of: operation), position: operation.node.position)
      if let text = operation["summary"]?.node.scalar ?? response["description"]?.node.scalar, found.isEmpty {
        draft.comments.append(text.trimmingCharacters(in: .whitespacesAndNewlines).shortened(to: 100))
      }
      found.append((status, draft))
    }
    let order = found.enumerated().sorted { left, right in
      let (one, other) = (Self.rank(left.element.status), Self.rank(right.element.status))
      return one == other ? left.offset < right.offset : one < other
    }
    return order.enumerated().map { place, element in
      var draft = element.element.draft
      draft.enabled = place == 0
      return draft
    }
  }

  /// `2XX` is 200; `default` is an error where there is anything else.
  private static func status(_ key: String, isOnly: Bool) -> Int? {
    if key.lowercased() == "default" { return isOnly ? 200 : 500 }
    if key.count == 3, key.lowercased().hasSuffix("xx"), let first = key.first?.wholeNumberValue,
      (1...5).contains(first)
    {
      return first * 100
    }
    return Int(key).flatMap { (100...599).contains($0) ? $0 : nil }
  }

  /// Successes first, 200 before 201, then redirects, then what went wrong.
  private static func rank(_ status: Int) -> Int {
    switch status {
    case 200..<300: status
    case 300..<400: status + 1_000
    default: status + 2_000
    }
  }

  // MARK: - Answers

  private mutating func answer(_ response: OpenAPINode, status: Int, _ notes: inout ImportNotes) -> JSONValue {
    var members: [JSONValue.Member] = [.init("status", .number(String(status)))]
    var headers = headers(response, &notes)
    if let links = response["links"] { note("`links` are left out", links, &notes) }
    if let (type, media) = media(response, &notes), ![204, 205, 304].contains(status), status >= 200 {
      if type != "application/json" { headers.insert(.init("Content-Type", .string(type)), at: 0) }
      if let body = body(type, media, &notes) { members.append(body) }
    }
    if !headers.isEmpty { members.insert(.init("headers", .object(headers)), at: 1) }
    return .object(members)
  }

  private mutating func headers(_ response: OpenAPINode, _ notes: inout ImportNotes) -> [JSONValue.Member] {
    (response["headers"]?.entries ?? []).compactMap { name, header in
      guard name.lowercased() != "content-type", let header = follow(header, &notes) else { return nil }
      let given =
        header["example"]?.node.json
        ?? header["examples"]?.entries.first.flatMap { example in
          (try? document.resolved(example.value))?["value"]?.node.json
        }
      guard let value = given ?? header["schema"].flatMap({ examples.value(of: $0, &notes) }) else { return nil }
      switch value {
      case .string(let text): return .init(name, .string(Template.quoting(Self.oneLine(text))))
      case .number(let digits): return .init(name, .string(digits))
      case .bool(let value): return .init(name, .string(value ? "true" : "false"))
      default:
        note("the header `\(name)` is no text and is left out", header, &notes)
        return nil
      }
    }
  }

  private static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// One media type: JSON where it is there.
  private func media(_ response: OpenAPINode, _ notes: inout ImportNotes) -> (String, OpenAPINode)? {
    let all = response["content"]?.entries ?? []
    guard let chosen = all.first(where: { Self.isJSON($0.key) }) ?? all.first else { return nil }
    let others = all.map(\.key).filter { $0 != chosen.key }
    if !others.isEmpty, let content = response["content"] {
      let named = others.prefix(3).map { "`\($0.shortened(to: 60))`" }.joined(separator: ", ")
      let rest = others.count > 3 ? " and \(others.count - 3) more" : ""
      note("a stub answers with one type; left out: \(named)\(rest)", content, &notes)
    }
    let usual = chosen.key.hasPrefix("text/") ? "text/plain" : "application/json"
    let type = chosen.key.contains("*") ? usual : chosen.key
    return (type, chosen.value)
  }

  static func isJSON(_ type: String) -> Bool {
    let essence = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    return essence == "application/json" || essence.hasSuffix("+json") || essence == "*/*" || essence == "text/json"
      || essence == "application/*"
  }

  private mutating func body(_ type: String, _ media: OpenAPINode, _ notes: inout ImportNotes) -> JSONValue.Member? {
    let given = example(media, &notes)
    guard let value = given ?? media["schema"].flatMap({ examples.value(of: $0, &notes) }) else { return nil }
    let size = value.roughSize
    guard size <= room else {
      note("the examples are more than one stub file takes: this body is left out", media, &notes)
      return nil
    }
    room -= size
    if Self.isJSON(type) {
      // Examples are often written as the text of the JSON that is meant.
      if given != nil, case .string(let text) = value, let first = text.first(where: { !$0.isWhitespace }),
        first == "{" || first == "[", let json = try? JSONValue(parsing: text)
      {
        return .init("json", json.quotingTemplates)
      }
      return .init("json", value.quotingTemplates)
    }
    switch value {
    case .string(let text): return .init("body", .string(Template.quoting(text)))
    case .number(let text): return .init("body", .string(text))
    case .bool(let value): return .init("body", .string(value ? "true" : "false"))
    case .object(let members) where type.hasPrefix("application/x-www-form-urlencoded"):
      return .init("body", .string(Template.quoting(Self.form(members))))
    case .null: return nil
    default:
      if given != nil, type.hasSuffix("xml") == false {
        return .init("body", .string(Template.quoting(value.compact)))
      }
      note("a body of the type `\(type.shortened(to: 60))` cannot be made from a schema and is empty", media, &notes)
      return nil
    }
  }

  private static func form(_ members: [JSONValue.Member]) -> String {
    members.map { member in
      let text = member.value.text ?? member.value.compact
      let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
      return "\(member.name)=\(text.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
    }.joined(separator: "&")
  }

  /// The example that stands beside the schema.
  private func example(_ media: OpenAPINode, _ notes: inout ImportNotes) -> JSONValue? {
    if let example = media["example"] {
      // A reference does not belong here, but it is found.
      return follow(example, &notes)?.node.json
    }
    var chosen: JSONValue?
    for (name, example) in media["examples"]?.entries ?? [] {
      guard let example = follow(example, &notes) else { continue }
      if chosen != nil {
        note("the example `\(name.shortened(to: 60))` is left out: a stub answers with one", example, &notes)
      } else if let value = example["value"] {
        chosen = follow(value, &notes)?.node.json
      } else if example["externalValue"] != nil {
        note("the example `\(name.shortened(to: 60))` lies elsewhere and is not read", example, &notes)
      }
    }
    return chosen
  }
}

extension JSONValue {
  /// About as many bytes as it takes in a stub file.
  var roughSize: Int {
    switch self {
    case .null, .bool: 6
    case .number(let text), .string(let text): text.utf8.count + 4
    case .array(let elements): elements.reduce(4) { $0 + $1.roughSize + 4 }
    case .object(let members): members.reduce(4) { $0 + $1.name.utf8.count + $1.value.roughSize + 6 }
    }
  }
}

/// Where an operation is: the servers' hosts and paths, and its own path.
private struct OpenAPIPlace {
  private var hosts: [String] = []
  private var ports: [Int?] = []
  private var prefixes: [String] = []
  private var isAnywhere = false
  private let path: String

  /// More are not told apart from one another by anybody.
  private static let serverLimit = 50

  init(servers: OpenAPINode?, path: String) {
    self.path = path
    for server in servers?.list?.prefix(Self.serverLimit) ?? [] {
      guard let url = server["url"]?.node.scalar else { continue }
      add(url, variables: server["variables"])
    }
    if prefixes.isEmpty { prefixes = [""] }
  }

  private mutating func add(_ url: String, variables: OpenAPINode?) {
    var rest = url
    if let scheme = url.range(of: "://") {
      rest = String(url[scheme.upperBound...])
    } else if url.hasPrefix("//") {
      rest = String(url.dropFirst(2))
    } else if url.hasPrefix("{"), let close = url.firstIndex(of: "}") {
      // The whole beginning is a variable.
      isAnywhere = true
      add(prefix: String(url[url.index(after: close)...]), variables)
      return
    } else {
      isAnywhere = true
      add(prefix: url.hasPrefix("/") ? url : "/" + url, variables)
      return
    }
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    var host = Self.filled(String(rest[..<end])) { _ in "*" }
    if let at = host.lastIndex(of: "@") { host = String(host[host.index(after: at)...]) }
    var port: Int?
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
      port = Int(host[host.index(after: colon)...])
      host = String(host[..<colon])
    }
    if host.isEmpty || host == "*" { isAnywhere = true } else if !hosts.contains(host) { hosts.append(host) }
    ports.append(port)
    add(prefix: String(rest[end...]), variables)
  }

  private mutating func add(prefix: String, _ variables: OpenAPINode?) {
    var text = String(prefix.prefix { $0 != "?" && $0 != "#" })
    text = Self.filled(text) { name in
      variables?[name]?["default"]?.node.scalar.flatMap { $0.contains("{") ? nil : $0 } ?? "{\(name)}"
    }
    while text.hasSuffix("/") { text.removeLast() }
    if !prefixes.contains(text) { prefixes.append(text) }
  }

  private static func filled(_ text: String, _ value: (String) -> String) -> String {
    var result = ""
    var rest = Substring(text)
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      result += rest[..<open] + value(String(rest[rest.index(after: open)..<close]))
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  func pattern(method: String) -> PatternDraft {
    var pattern = PatternDraft()
    pattern.require("method", .string(method))
    if !isAnywhere, !hosts.isEmpty {
      pattern.require("host", hosts.count == 1 ? .string(hosts[0]) : .array(hosts.map { .string($0) }))
      if hosts.count == 1, let port = ports.first ?? nil, ports.allSatisfy({ $0 == port }), (0...65_535).contains(port)
      {
        pattern.require("port", .number(String(port)))
      }
    }
    var own = path
    if let mark = own.firstIndex(where: { $0 == "?" || $0 == "#" }) {
      // Some documents tell operations apart by a query in the path.
      if own[mark] == "?" {
        for pair in own[own.index(after: mark)...].prefix(while: { $0 != "#" }).split(separator: "&") {
          let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
          let value = parts.count > 1 ? OpenAPIPlace.filled(parts[1]) { _ in "*" } : "*"
          if let name = parts.first, !name.contains("{") { pattern.require(.query, name, .string(value)) }
        }
      }
      own = String(own[..<mark])
    }
    if !own.hasPrefix("/") { own = "/" + own }
    if prefixes.count == 1 {
      pattern.require("path", ImportedText.path(prefixes[0] + own))
    } else {
      let one = prefixes.map { OpenAPIPlace.expression($0) }.joined(separator: "|")
      pattern.require("path", .members(["matches": .string("^(?:\(one))\(OpenAPIPlace.expression(own))$")]))
    }
    return pattern
  }

  private static func expression(_ template: String) -> String {
    var result = ""
    var rest = Substring(template)
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      result += ImportedText.quoted(String(rest[..<open])) + "[^/]+"
      rest = rest[rest.index(after: close)...]
    }
    return result + ImportedText.quoted(String(rest))
  }
}
