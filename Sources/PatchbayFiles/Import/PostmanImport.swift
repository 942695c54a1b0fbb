import Foundation
import PatchbayStubs

/// Postman collections, version 2.0 and 2.1: a stub for each saved answer. Of several for the same request the first
/// success is on.
struct PostmanImport {
  private let path: String
  private let root: DocumentNode
  private let variables: PostmanVariables
  private var drafts: [StubDraft] = []

  private static let stubLimit = 20_000

  init(_ node: DocumentNode, path: String) {
    self.path = path
    root = node["collection"].flatMap { $0["item"] != nil ? $0 : nil } ?? node
    variables = PostmanVariables(root["variable"])
  }

  mutating func drafts(_ notes: inout ImportNotes) -> [StubDraft] {
    if let schema = root["info"]?["schema"]?.scalar, !schema.contains("v2.") {
      notes.add(
        "says that it is no collection of version 2: what is known of it is read", path: path, at: root.position)
    }
    read(root, name: [], &notes)
    return switched()
  }

  private mutating func read(_ node: DocumentNode, name: [String], _ notes: inout ImportNotes) {
    for key in ["event", "auth", "protocolProfileBehavior"] {
      guard let part = node[key], part.list?.isEmpty != true, !part.isNull else { continue }
      let what = key == "event" ? "scripts are" : key == "auth" ? "authorization is" : "settings of the request are"
      notes.add("\(what) not carried over (`\(key)`)", path: path, at: part.position)
    }
    if let items = node["item"]?.list {
      for item in items { read(item, name: name + [item["name"]?.scalar ?? ""], &notes) }
      return
    }
    guard let request = node["request"] else { return }
    let title = name.filter { !$0.isEmpty }.joined(separator: " / ")
    let answers = node["response"]?.list?.filter(\.isMap) ?? []
    guard drafts.count + max(answers.count, 1) <= Self.stubLimit else {
      notes.add(
        "more than \(Self.stubLimit) stubs: the requests from here on are left out", path: path, at: node.position)
      return
    }
    if answers.isEmpty {
      guard let when = pattern(request, &notes) else { return }
      notes.add(
        "the request has no saved answer: its stub is off and answers 200 without a body", path: path,
        at: node.position)
      drafts.append(
        StubDraft(
          name: title, enabled: false, when: when, then: .members(["respond": .members(["status": .number("200")])]),
          comments: ["No answer is saved: write one, and switch it on."], path: path, position: node.position))
    }
    for answer in answers {
      guard let when = pattern(answer["originalRequest"] ?? request, &notes) else { continue }
      let label = answer["name"]?.scalar ?? answer["status"]?.scalar ?? ""
      drafts.append(
        StubDraft(
          name: label.isEmpty || label == name.last ? title : "\(title): \(label)", when: when,
          then: .members(["respond": response(answer, &notes)]), path: path, position: answer.position))
    }
  }

  /// One stub of each request is on: the first success, else the first.
  private func switched() -> [StubDraft] {
    var groups: [JSONValue: [Int]] = [:]
    for (index, draft) in drafts.enumerated() where draft.enabled { groups[draft.when.json, default: []].append(index) }
    var drafts = drafts
    for places in groups.values where places.count > 1 {
      let chosen = places.first { Self.isSuccess(drafts[$0]) } ?? places[0]
      for place in places where place != chosen { drafts[place].enabled = false }
    }
    return drafts
  }

  private static func isSuccess(_ draft: StubDraft) -> Bool {
    (200..<300).contains(draft.then["respond"]?["status"]?.integer ?? 0)
  }

  // MARK: - Requests

  private func pattern(_ request: DocumentNode, _ notes: inout ImportNotes) -> PatternDraft? {
    var pattern = PatternDraft()
    let method = request["method"]?.scalar?.uppercased() ?? "GET"
    pattern.require("method", .string(method))
    guard let url = request["url"] ?? (request.scalar != nil ? request : nil),
      let place = PostmanPlace(url, variables: variables)
    else {
      notes.add("the request has no URL and is left out", path: path, at: request.position)
      return nil
    }
    place.require(&pattern)
    if let headers = request["header"]?.list, !headers.isEmpty {
      notes.add(
        "headers of requests are no conditions: a stub answers by method, URL and query", path: path,
        at: request["header"]?.position)
    }
    if let auth = request["auth"], !auth.isNull {
      notes.add("authorization is not carried over (`auth`)", path: path, at: auth.position)
    }
    guard let body = request["body"], let mode = body["mode"]?.scalar, body["disabled"]?.isTrue != true else {
      return pattern
    }
    if mode == "graphql", let query = body["graphql"]?["query"]?.scalar {
      // All operations have the same URL.
      let operation =
        body["graphql"]?["operationName"]?.scalar.flatMap { $0.isEmpty ? nil : $0 } ?? Self.operation(query)
      if let operation {
        pattern.requireBody("graphql", .members(["operation": .string(operation)]))
        return pattern
      }
    }
    if body[mode]?.scalar?.isEmpty != true, body[mode]?.list?.isEmpty != true {
      notes.add("the body of a request is no condition", path: path, at: body.position)
    }
    return pattern
  }

  /// The name in `query Name(…)`.
  static func operation(_ query: String) -> String? {
    let text = query.drop(while: \.isWhitespace)
    for word in ["query", "mutation", "subscription"] where text.hasPrefix(word) {
      let rest = text.dropFirst(word.count)
      guard rest.first?.isWhitespace == true else { return nil }
      let name = rest.drop(while: \.isWhitespace).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      return name.isEmpty ? nil : String(name)
    }
    return nil
  }

  // MARK: - Answers

  private func response(_ node: DocumentNode, _ notes: inout ImportNotes) -> JSONValue {
    var status = node["code"]?.integer(in: 0...10_000) ?? 200
    if !(100...599).contains(status) {
      notes.add("the status \(status) is none of HTTP; 200 is answered", path: path, at: node["code"]?.position)
      status = 200
    }
    var members: [JSONValue.Member] = [.init("status", .number(String(status)))]
    var unknown: [String] = []
    var groups: [JSONValue.Member] = []
    var type: String?
    for header in node["header"]?.list ?? [] where header["disabled"]?.isTrue != true {
      guard let name = header["key"]?.scalar ?? header["name"]?.scalar, let value = header["value"]?.scalar else {
        continue
      }
      if ["content-length", "content-encoding", "transfer-encoding", "connection"].contains(name.lowercased()) {
        notes.add("`\(name)` is left out: a saved body is whole and decoded", path: path, at: header.position)
        continue
      }
      if name.lowercased() == "content-type" { type = value }
      let line = value.split(whereSeparator: \.isNewline).joined(separator: " ")
      let text = JSONValue.string(variables.template(line, &unknown))
      if let place = groups.firstIndex(where: { $0.name.lowercased() == name.lowercased() }) {
        if case .array(let values) = groups[place].value {
          groups[place].value = .array(values + [text])
        } else {
          groups[place].value = .array([groups[place].value, text])
        }
      } else {
        groups.append(.init(name, text))
      }
    }
    let language = node["_postman_previewlanguage"]?.scalar
    if type == nil, language == "html" || language == "xml" {
      groups.append(.init("Content-Type", .string(language == "html" ? "text/html" : "application/xml")))
    }
    if !groups.isEmpty { members.append(.init("headers", .object(groups))) }
    if let text = node["body"]?.scalar, !text.isEmpty {
      let isJSON = type.map { OpenAPIImport.isJSON($0) } ?? (language == "json")
      if isJSON, let json = try? JSONValue(parsing: text) {
        members.append(.init("json", variables.template(json, &unknown)))
      } else {
        members.append(.init("body", .string(variables.template(text, &unknown))))
      }
    }
    for name in unknown {
      notes.add(
        "the variable {{\(name.shortened(to: 60))}} is not known and stands as text", path: path, at: node.position)
    }
    return .object(members)
  }
}

/// The variables of a collection, and Postman's own that templates of ours can say.
struct PostmanVariables {
  private var values: [String: String] = [:]

  /// So often a value may name another; a text may grow to so many bytes.
  private static let rounds = 5
  private static let limit = 16 << 10

  /// In a text with more of them none is a variable.
  private static let braceLimit = 2_000

  private static let dynamic = [
    "$guid": "{{uuid}}", "$randomUUID": "{{uuid}}", "$isoTimestamp": "{{now}}", "$timestamp": "{{now unix}}",
    "$randomInt": "{{random 0 1000}}", "$randomAlphaNumeric": "{{randomText 1}}",
    "$randomPassword": "{{randomText 15}}",
  ]

  init(_ node: DocumentNode?) {
    for item in node?.list ?? [] where item["disabled"]?.isTrue != true {
      guard let name = item["key"]?.scalar ?? item["id"]?.scalar, let value = item["value"]?.scalar else { continue }
      values[name] = value
    }
    for _ in 0..<Self.rounds {
      for (name, value) in values where value.contains("{{") {
        let filled = replaced(value) { $0 == name ? nil : values[$0] }
        if filled.utf8.count <= Self.limit { values[name] = filled }
      }
    }
  }

  /// The text with what is known filled in; what is not stays as `{{name}}`.
  func filled(_ text: String) -> String {
    let result = replaced(text) { values[$0] }
    return result.utf8.count <= Self.limit + text.utf8.count ? result : text
  }

  /// The text as a template of ours.
  func template(_ text: String, _ unknown: inout [String]) -> String {
    guard text.contains("{{") else { return text }
    guard text.braces <= Self.braceLimit else { return Template.quoting(text) }
    var missing: [String] = []
    var result = ""
    var rest = Substring(filled(text))
    while let open = rest.range(of: "{{"), let close = rest[open.upperBound...].range(of: "}}") {
      let name = String(rest[open.upperBound..<close.lowerBound])
      result += rest[..<open.lowerBound]
      if let own = Self.dynamic[name], (try? Template(own)) != nil {
        result += own
      } else {
        // Braces in JSON are no variable.
        if !name.isEmpty, name.count < 80, name.allSatisfy({ $0.isLetter || $0.isNumber || "_-.$".contains($0) }) {
          missing.append(name)
        }
        result += Template.quoting(String(rest[open.lowerBound..<close.upperBound]))
      }
      rest = rest[close.upperBound...]
    }
    unknown += missing
    return result + Template.quoting(String(rest))
  }

  func template(_ value: JSONValue, _ unknown: inout [String]) -> JSONValue {
    switch value {
    case .string(let text): .string(template(text, &unknown))
    case .array(let elements): .array(elements.map { template($0, &unknown) })
    case .object(let members): .object(members.map { .init($0.name, template($0.value, &unknown)) })
    default: value
    }
  }

  private func replaced(_ text: String, _ value: (String) -> String?) -> String {
    guard text.contains("{{"), text.braces <= Self.braceLimit else { return text }
    var result = ""
    var rest = Substring(text)
    while let open = rest.range(of: "{{"), let close = rest[open.upperBound...].range(of: "}}") {
      let name = String(rest[open.upperBound..<close.lowerBound])
      result += rest[..<open.lowerBound]
      result += value(name.trimmingCharacters(in: .whitespaces)) ?? "{{\(name)}}"
      rest = rest[close.upperBound...]
      if result.utf8.count > Self.limit { break }
    }
    return result + rest
  }
}

/// The URL of a request, with what its variables leave open.
private struct PostmanPlace {
  /// nil is any.
  private var host: String?
  private var port: Int?
  private var segments: [String] = []
  private var query: [(name: String, value: String)] = []

  init?(_ node: DocumentNode, variables: PostmanVariables) {
    let raw: String
    if let text = node.scalar ?? node["raw"]?.scalar, !text.isEmpty {
      raw = variables.filled(text)
    } else {
      func joined(_ key: String, _ separator: String) -> String? {
        node[key]?.scalar
          ?? node[key]?.list.map { parts in
            parts.compactMap { $0.scalar ?? $0["value"]?.scalar }.joined(separator: separator)
          }
      }
      guard let host = joined("host", ".") else { return nil }
      let port = node["port"]?.scalar.map { ":\($0)" } ?? ""
      raw = variables.filled("\(host)\(port)/\(joined("path", "/") ?? "")")
    }
    var rest = Substring(raw.trimmingCharacters(in: .whitespaces))
    if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
    if let scheme = rest.range(of: "://") { rest = rest[scheme.upperBound...] }
    let mark = rest.firstIndex(of: "?")
    let end = rest[..<(mark ?? rest.endIndex)].firstIndex(of: "/") ?? mark ?? rest.endIndex
    readHost(String(rest[..<end]))
    segments = rest[end..<(mark ?? rest.endIndex)].split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      .map(String.init)
    if let items = node["query"]?.list {
      for item in items where item["disabled"]?.isTrue != true {
        guard let name = item["key"]?.scalar, !name.isEmpty else { continue }
        query.append((name, variables.filled(item["value"]?.scalar ?? "")))
      }
    } else if let mark {
      for pair in rest[rest.index(after: mark)...].split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if !parts[0].isEmpty { query.append((parts[0], parts.count > 1 ? parts[1] : "")) }
      }
    }
  }

  private mutating func readHost(_ text: String) {
    var text = text
    if let at = text.lastIndex(of: "@") { text = String(text[text.index(after: at)...]) }
    if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]"), !text[colon...].contains("}") {
      port = Int(text[text.index(after: colon)...]).flatMap { (0...65_535).contains($0) ? $0 : nil }
      text = String(text[..<colon])
    }
    var glob = Self.glob(text)
    // A port that is not known.
    if glob.hasSuffix(":*") { glob = String(glob.dropLast(2)) }
    if !glob.isEmpty, glob != "*" { host = glob }
  }

  /// With `*` for what is not known.
  private static func glob(_ text: String) -> String {
    var result = ""
    var rest = Substring(text)
    while let open = rest.range(of: "{{"), let close = rest[open.upperBound...].range(of: "}}") {
      result += rest[..<open.lowerBound] + "*"
      rest = rest[close.upperBound...]
    }
    return result + rest
  }

  func require(_ pattern: inout PatternDraft) {
    if let host { pattern.require("host", .string(host)) }
    if let port, host != nil { pattern.require("port", .number(String(port))) }
    let template = segments.map { segment in
      if segment.hasPrefix(":"), segment.count > 1 { return "{\(segment.dropFirst())}" }
      guard segment.contains("{{") else { return segment }
      return Self.glob(segment).replacingOccurrences(of: "*", with: "{x}")
    }.joined(separator: "/")
    // A variable for the beginning may hold a part of the path.
    if host == nil {
      let path = ImportedText.path("/" + template)
      if let text = path.text {
        pattern.require("path", .string("*\(text)"))
      } else if let expression = path["matches"]?.text {
        pattern.require("path", .members(["matches": .string(String(expression.dropFirst()))]))
      }
    } else {
      pattern.require("path", ImportedText.path("/" + template))
    }
    for (name, value) in query {
      // An empty value is one that is still to be filled in.
      guard !value.isEmpty else {
        pattern.require(.query, name.removingPercentEncoding ?? name, "*")
        continue
      }
      let plain = value.replacingOccurrences(of: "+", with: " ")
      let decoded = plain.removingPercentEncoding ?? plain
      pattern.require(
        .query, name.removingPercentEncoding ?? name,
        value.contains("{{") ? .string(Self.glob(decoded)) : ImportedText.exactly(decoded))
    }
  }
}
