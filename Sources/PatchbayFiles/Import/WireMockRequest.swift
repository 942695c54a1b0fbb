import Foundation
import PatchbayStubs

/// What WireMock's `request` asks for, as a pattern.
struct WireMockRequest {
  let path: String
  private(set) var pattern = PatternDraft()
  /// Of `urlPathTemplate`: its text, whose names answers may mean.
  private(set) var template: String?
  /// A condition could not be said.
  private(set) var isWider = false
  /// Method and URL, as a name.
  var title: String { "\(method) \(place)" }
  private var method = "ANY"
  private var place = "*"

  init(path: String) { self.path = path }

  mutating func read(_ request: DocumentNode, _ notes: inout ImportNotes) {
    for entry in request.entries where !entry.value.isNull {
      let value = entry.value
      switch entry.key {
      case "method": readMethod(value, &notes)
      case "url", "urlPattern", "urlPath", "urlPathPattern": readURL(entry.key, value, &notes)
      case "urlPathTemplate":
        guard let text = value.scalar else {
          lost(entry, &notes)
          continue
        }
        template = text
        place = text
      case "pathParameters": break
      case "scheme": require("scheme", value, &notes)
      case "host": require("host", value, &notes)
      case "port":
        guard let port = value.integer(in: 0...65_535) else {
          lost(entry, &notes)
          continue
        }
        pattern.require("port", .number(String(port)))
      case "queryParameters": readNamed(.query, value, &notes)
      case "headers": readNamed(.headers, value, &notes)
      case "formParameters": readNamed(.form, value, &notes)
      case "cookies": readCookies(value, &notes)
      case "basicAuth", "basicAuthCredentials": readBasicAuth(value)
      case "bodyPatterns":
        for item in value.list ?? [value] { readBody(item, &notes) }
      case "multipartPatterns": readMultipart(value, &notes)
      default: lost(entry, &notes)
      }
    }
    if let template { pattern.require("path", pathPattern(template, request["pathParameters"], &notes)) }
  }

  private mutating func lost(_ entry: DocumentNode.Entry, _ notes: inout ImportNotes) {
    lost("`\(entry.key)`", at: entry.keyPosition, &notes)
  }

  /// - Parameter what: the condition, in quotes.
  private mutating func lost(_ what: String, at position: SourcePosition?, _ notes: inout ImportNotes) {
    isWider = true
    notes.add("the condition \(what) cannot be said in a stub file and is left out", path: path, at: position)
  }

  // MARK: - Method and URL

  private mutating func readMethod(_ node: DocumentNode, _ notes: inout ImportNotes) {
    if let name = node.scalar {
      method = name.uppercased()
      if method != "ANY", method != "ANYTHING" { pattern.require("method", .string(method)) }
    } else if let names = node["oneOf"]?.list {
      method = names.compactMap(\.scalar).joined(separator: ",")
      pattern.require("method", .array(names.compactMap(\.scalar).map { .string($0.uppercased()) }))
    } else if let names = node["noneOf"]?.list {
      let refused = names.compactMap(\.scalar).map { JSONValue.string($0.uppercased()) }
      pattern.refuse(.members(["method": .array(refused)]))
    } else {
      lost("`method`", at: node.position, &notes)
    }
  }

  /// WireMock's `url` is path and query, whatever the host; without a query there must be none.
  private mutating func readURL(_ key: String, _ node: DocumentNode, _ notes: inout ImportNotes) {
    guard let text = node.scalar else { return lost("`\(key)`", at: node.position, &notes) }
    place = text
    switch key {
    case "url":
      let end = text.firstIndex(of: "?") ?? text.endIndex
      if text.contains("*") {
        pattern.require("url", .members(["matches": .string("^[^:/?#]+://[^/?#]*\(ImportedText.quoted(text))$")]))
      } else {
        pattern.require("path", .string(String(text[..<end])))
        pattern.require("url", .string("*\(text)"))
      }
    case "urlPattern":
      if text == ".*" || text == "/.*" { break }
      pattern.require("url", .members(["matches": .string("^[^:/?#]+://[^/?#]*(?:\(text))$")]))
    case "urlPath": pattern.require("path", ImportedText.exactly(text))
    default:
      if text == ".*" || text == "/.*" { break }
      pattern.require("path", ImportedText.wholly(text))
    }
  }

  private mutating func pathPattern(
    _ template: String, _ parameters: DocumentNode?, _ notes: inout ImportNotes
  ) -> JSONValue {
    for entry in parameters?.entries ?? [] {
      guard entry.value["equalTo"]?.scalar == nil, entry.value["matches"]?.scalar == nil else { continue }
      lost("on the path parameter `\(entry.key)`", at: entry.keyPosition, &notes)
    }
    return ImportedText.path(template) { name in
      guard let matcher = parameters?[name] else { return nil }
      if let text = matcher["equalTo"]?.scalar { return ImportedText.quoted(text) }
      return matcher["matches"]?.scalar.map { "(?:\($0))" }
    }
  }

  // MARK: - Named values

  private mutating func require(_ key: String, _ node: DocumentNode, _ notes: inout ImportNotes) {
    guard let patterns = node.scalar.map({ [ImportedText.exactly($0)] }) ?? WireMockText.patterns(node),
      !patterns.contains(.null)
    else { return lost("`\(key)`", at: node.position, &notes) }
    for value in patterns { pattern.require(key, value) }
  }

  private mutating func readNamed(_ group: PatternDraft.Named, _ node: DocumentNode, _ notes: inout ImportNotes) {
    for entry in node.entries {
      let many = entry.value["hasExactly"]?.list ?? entry.value["includes"]?.list
      if entry.value["hasExactly"] != nil {
        notes.add(
          "`hasExactly` is read as `includes`: other values of that name fit too", path: path, at: entry.keyPosition)
      }
      for matcher in many ?? [entry.value] {
        if let alternatives = matcher["or"]?.list, alternatives.contains(where: { $0["absent"] != nil }) {
          readAlternatives(group, entry, alternatives, &notes)
          continue
        }
        guard let values = matcher.scalar.map({ [ImportedText.exactly($0)] }) ?? WireMockText.patterns(matcher) else {
          lost("on `\(entry.key)` (\(WireMockText.words(matcher)))", at: entry.keyPosition, &notes)
          continue
        }
        for value in values { pattern.require(group, entry.key, value) }
      }
    }
  }

  /// That a value may be absent is no alternative of texts.
  private mutating func readAlternatives(
    _ group: PatternDraft.Named, _ entry: DocumentNode.Entry, _ alternatives: [DocumentNode],
    _ notes: inout ImportNotes
  ) {
    var patterns: [JSONValue] = []
    for alternative in alternatives {
      guard let values = WireMockText.patterns(alternative) else {
        return lost("on `\(entry.key)` (\(WireMockText.words(alternative)))", at: entry.keyPosition, &notes)
      }
      var one = PatternDraft()
      for value in values { one.require(group, entry.key, value) }
      patterns.append(one.json)
    }
    pattern.either(patterns)
  }

  private mutating func readCookies(_ node: DocumentNode, _ notes: inout ImportNotes) {
    for entry in node.entries {
      let name = ImportedText.quoted(entry.key)
      func header(_ value: String) -> JSONValue {
        .members(["matches": .string("(?:^|;\\s*)\(name)=\(value)\\s*(?:;|$)")])
      }
      if let text = entry.value["equalTo"]?.scalar {
        pattern.require(.headers, "Cookie", header(ImportedText.quoted(text)))
      } else if let text = entry.value["contains"]?.scalar {
        pattern.require(.headers, "Cookie", header("[^;]*\(ImportedText.quoted(text))[^;]*"))
      } else if let text = entry.value["matches"]?.scalar {
        // A dot would go on into the next cookie.
        pattern.require(.headers, "Cookie", header("(?:\(text.replacingOccurrences(of: ".*", with: "[^;]*")))"))
      } else if let text = entry.value["doesNotContain"]?.scalar {
        pattern.require(
          .headers, "Cookie", .members(["not": header("[^;]*\(ImportedText.quoted(text))[^;]*")]))
      } else if entry.value["absent"]?.isTrue == true {
        pattern.refuse(.members(["headers": .members(["Cookie": header("[^;]*")])]))
      } else {
        lost("on the cookie `\(entry.key)`", at: entry.keyPosition, &notes)
      }
    }
  }

  private mutating func readBasicAuth(_ node: DocumentNode) {
    let pair = "\(node["username"]?.scalar ?? ""):\(node["password"]?.scalar ?? "")"
    pattern.require(.headers, "Authorization", .string("Basic " + Data(pair.utf8).base64EncodedString()))
  }

  // MARK: - Bodies

  private mutating func readBody(_ matcher: DocumentNode, _ notes: inout ImportNotes) {
    for entry in matcher.entries {
      let value = entry.value
      switch (entry.key, value.scalar) {
      case ("equalTo", let text?):
        if matcher["caseInsensitive"]?.isTrue == true {
          pattern.requireBody("matches", .string("^(?i)\(ImportedText.quoted(text))$"))
        } else {
          pattern.requireBody("equals", .string(text))
        }
      case ("contains", let text?): pattern.requireBody("contains", .string(text))
      case ("matches", let text?): pattern.requireBody("matches", .string("^(?:\(text))$"))
      case ("doesNotContain", let text?): pattern.refuse(.members(["body": .members(["contains": .string(text)])]))
      case ("doesNotMatch", let text?):
        pattern.refuse(.members(["body": .members(["matches": .string("^(?:\(text))$")])]))
      case ("absent", _): pattern.requireBody("equals", "")
      case ("anything", _): break
      case ("binaryEqualTo", let text?):
        if let bytes = Data(base64Encoded: text), let plain = String(data: bytes, encoding: .utf8),
          !plain.contains("\0")
        {
          pattern.requireBody("equals", .string(plain))
        } else {
          lost("`binaryEqualTo`, whose bytes are no text,", at: entry.keyPosition, &notes)
        }
      case ("equalToJson", _): readJSON(entry, matcher, &notes)
      case ("matchesJsonPath", _): readJSONPath(entry, &notes)
      case ("and", _): for item in value.list ?? [] { readBody(item, &notes) }
      case ("or", _): readEither(value, &notes)
      case ("not", _):
        var inner = WireMockRequest(path: path)
        inner.readBody(value, &notes)
        if inner.isWider { isWider = true } else { pattern.refuse(inner.pattern.json) }
      case ("caseInsensitive", _), ("ignoreArrayOrder", _), ("ignoreExtraElements", _): break
      default:
        if WireMockText.isOption(entry.key) { break }
        lost("`\(entry.key)`", at: entry.keyPosition, &notes)
      }
    }
  }

  private mutating func readEither(_ node: DocumentNode, _ notes: inout ImportNotes) {
    var patterns: [JSONValue] = []
    for item in node.list ?? [] {
      var inner = WireMockRequest(path: path)
      inner.readBody(item, &notes)
      if inner.isWider {
        isWider = true
        return
      }
      patterns.append(inner.pattern.json)
    }
    if !patterns.isEmpty { pattern.either(patterns) }
  }

  private mutating func readJSON(
    _ entry: DocumentNode.Entry, _ matcher: DocumentNode, _ notes: inout ImportNotes
  ) {
    let given = entry.value.string.map { try? JSONValue(parsing: $0) } ?? entry.value.json
    guard let given else { return lost("`equalToJson`, which is no JSON,", at: entry.keyPosition, &notes) }
    let (ignoresOrder, ignoresExtra) = (
      matcher["ignoreArrayOrder"]?.isTrue == true, matcher["ignoreExtraElements"]?.isTrue == true
    )
    if given.withoutPlaceholders == given, !ignoresOrder, !ignoresExtra {
      return pattern.require(.pointer, "", given)
    }
    if !ignoresExtra {
      notes.add(
        "`equalToJson` is read as a subset: a body with more members fits too", path: path, at: entry.keyPosition)
    }
    if !ignoresOrder, given.hasOrder {
      notes.add(
        "`equalToJson` is read as a subset: lists in another order fit too", path: path, at: entry.keyPosition)
    }
    guard let subset = given.withoutPlaceholders else {
      return lost("`equalToJson` with a placeholder alone", at: entry.keyPosition, &notes)
    }
    if subset != given {
      notes.add(
        "placeholders (`${json-unit…}`) in `equalToJson` are left out: anything fits there", path: path,
        at: entry.keyPosition)
    }
    pattern.requireBody("json", subset)
  }

  private mutating func readJSONPath(_ entry: DocumentNode.Entry, _ notes: inout ImportNotes) {
    let node = entry.value
    guard let expression = node.scalar ?? node["expression"]?.scalar, let steps = JSONPath(expression) else {
      return lost("`matchesJsonPath` with that expression", at: entry.keyPosition, &notes)
    }
    func require(_ pattern: inout PatternDraft, _ values: [JSONValue]) -> Bool {
      let subsets = values.compactMap { steps.subset($0) }
      guard subsets.count == values.count, !subsets.isEmpty else { return false }
      if subsets.count == 1 {
        pattern.requireBody("json", subsets[0])
      } else {
        pattern.either(subsets.map { .members(["body": .members(["json": $0])]) })
      }
      return true
    }
    if let text = node["equalTo"]?.scalar {
      // WireMock compares the value's text.
      let bare = (try? JSONValue(parsing: text)).flatMap { value -> JSONValue? in
        switch value {
        case .number, .bool: value
        default: Optional.none
        }
      }
      if require(&pattern, (bare.map { [$0] } ?? []) + [.string(text)]) { return }
    } else if let given = node["equalToJson"] {
      if let value = given.string.map({ try? JSONValue(parsing: $0) }) ?? given.json, require(&pattern, [value]) {
        return
      }
    } else if let value = steps.value, node.scalar != nil || node["absent"] != nil {
      if node["absent"]?.isTrue == true, let subset = steps.subset(value) {
        pattern.refuse(.members(["body": .members(["json": subset])]))
        return
      }
      if require(&pattern, [value]) { return }
    } else if node.scalar != nil || node["absent"] != nil, let name = steps.lastName {
      // There is no pattern for "is there"; a member of that name anywhere comes near.
      notes.add(
        "a `matchesJsonPath` that asks whether something is there is read as “a member of that name anywhere”",
        path: path,
        at: entry.keyPosition)
      let found = "\"\(ImportedText.quoted(name))\"\\s*:"
      if node["absent"]?.isTrue == true {
        pattern.refuse(.members(["body": .members(["matches": .string(found)])]))
      } else {
        pattern.requireBody("matches", .string(found))
      }
      return
    }
    lost("`matchesJsonPath` with that expression", at: entry.keyPosition, &notes)
  }

  private mutating func readMultipart(_ node: DocumentNode, _ notes: inout ImportNotes) {
    for item in node.list ?? [node] {
      guard let name = item["name"]?.scalar else {
        lost("`multipartPatterns` without a `name`", at: item.position, &notes)
        continue
      }
      if let headers = item["headers"], !headers.entries.isEmpty {
        lost("on the headers of the part `\(name)`", at: headers.position, &notes)
      }
      let matchers = item["bodyPatterns"]?.list ?? []
      if matchers.isEmpty { pattern.require(.multipart, name, "*") }
      for matcher in matchers {
        if let values = WireMockText.patterns(matcher), !values.contains(.null) {
          for value in values { pattern.require(.multipart, name, value) }
        } else {
          lost("on the part `\(name)` (\(WireMockText.words(matcher)))", at: matcher.position, &notes)
        }
      }
    }
  }
}

/// WireMock's matchers of one text.
enum WireMockText {
  /// What must hold, all of it; `null` is "absent". Nil where it cannot be said.
  static func patterns(_ matcher: DocumentNode, depth: Int = 0) -> [JSONValue]? {
    guard depth < 20 else { return nil }
    var all: [JSONValue] = []
    for entry in matcher.entries {
      let value = entry.value
      switch (entry.key, value.scalar) {
      case ("equalTo", let text?):
        if matcher["caseInsensitive"]?.isTrue == true {
          all.append(.members(["matches": .string("^(?i)\(ImportedText.quoted(text))$")]))
        } else {
          all.append(ImportedText.exactly(text))
        }
      case ("contains", let text?): all.append(ImportedText.containing(text))
      case ("doesNotContain", let text?): all.append(.members(["not": ImportedText.containing(text)]))
      case ("matches", let text?): all.append(text == ".*" ? "*" : ImportedText.wholly(text))
      case ("doesNotMatch", let text?): all.append(.members(["not": ImportedText.wholly(text)]))
      case ("equalToNumber", let text?): all.append(ImportedText.exactly(text))
      case ("absent", _): all.append(value.isTrue ? .null : "*")
      case ("anything", _): all.append("*")
      case ("and", _):
        for item in value.list ?? [] {
          guard let inner = patterns(item, depth: depth + 1) else { return nil }
          all += inner
        }
      case ("or", _):
        var alternatives: [JSONValue] = []
        for item in value.list ?? [] {
          guard let inner = patterns(item, depth: depth + 1), inner.count == 1, inner[0] != .null else { return nil }
          alternatives.append(inner[0])
        }
        if !alternatives.isEmpty { all.append(alternatives.count == 1 ? alternatives[0] : .array(alternatives)) }
      case ("not", _):
        guard let inner = patterns(value, depth: depth + 1), inner.count == 1 else { return nil }
        if inner[0] == .null {
          all.append("*")
        } else if case .object(let members) = inner[0], members.first?.name == "not" {
          all.append(members[0].value)
        } else {
          all.append(.members(["not": inner[0]]))
        }
      default:
        if !isOption(entry.key) { return nil }
      }
    }
    return all.isEmpty ? nil : all
  }

  /// What only says how another matcher is meant.
  static func isOption(_ key: String) -> Bool {
    [
      "caseInsensitive", "actualFormat", "truncateExpected", "truncateActual", "applyTruncationLast", "schemaVersion",
      "xPathNamespaces", "enablePlaceholders", "placeholderOpeningDelimiterRegex", "placeholderClosingDelimiterRegex",
      "exemptedComparisons", "ignoreOrderOfSameNode", "namespaceAwareness", "expectedOffset", "expectedOffsetUnit",
    ].contains(key)
  }

  /// The matchers' names, for a sentence.
  static func words(_ matcher: DocumentNode) -> String {
    let names = matcher.entries.map(\.key).filter { !isOption($0) }.prefix(4)
    return names.isEmpty ? "nothing that is known" : names.map { "`\($0)`" }.joined(separator: ", ")
  }
}

extension JSONValue {
  /// Whether a list of several elements is in it.
  fileprivate var hasOrder: Bool {
    switch self {
    case .array(let elements): elements.count > 1 || elements.contains { $0.hasOrder }
    case .object(let members): members.contains { $0.value.hasOrder }
    default: false
    }
  }

  /// Without what JSON Unit's placeholders stand for; nil where nothing is left.
  fileprivate var withoutPlaceholders: JSONValue? {
    switch self {
    case .string(let text): text.hasPrefix("${json-unit") || text.hasPrefix("#{json-unit") ? Optional.none : self
    case .array(let elements): .array(elements.compactMap(\.withoutPlaceholders))
    case .object(let members):
      .object(members.compactMap { member in member.value.withoutPlaceholders.map { Member(member.name, $0) } })
    default: self
    }
  }
}
