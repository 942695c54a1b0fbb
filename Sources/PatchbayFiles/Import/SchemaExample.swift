import Foundation
import PatchbayStubs

/// A value that fits a schema: its example where it has one, else made of what it says.
struct SchemaExample {
  private let document: OpenAPIDocument
  /// The references that are being followed.
  private var open: Set<String> = []
  private var left = 0
  /// Of the whole document.
  private var allLeft = 1_000_000

  /// So many values one body is made of.
  private static let valueLimit = 5_000
  /// From here on only what is required; a little further nothing.
  private static let deep = 8
  private static let depthLimit = 20
  private static let itemLimit = 10
  private static let textLimit = 1_000

  init(_ document: OpenAPIDocument) { self.document = document }

  /// - Returns: nil where nothing can be made.
  mutating func value(of schema: OpenAPINode, _ notes: inout ImportNotes) -> JSONValue? {
    left = min(Self.valueLimit, allLeft)
    let before = left
    defer { allLeft -= before - left }
    return value(schema, depth: 0, &notes)
  }

  private func note(_ message: String, _ node: OpenAPINode, _ notes: inout ImportNotes) {
    notes.add(message, path: document.path(of: node), at: node.node.position)
  }

  private mutating func value(_ node: OpenAPINode, depth: Int, _ notes: inout ImportNotes) -> JSONValue? {
    left -= 1
    guard left > 0, depth < Self.depthLimit else {
      left = max(left, 0)
      note("the schema is larger than an example may be: what is made of it is cut here", node, &notes)
      return nil
    }
    if let given = given(node) { return given }
    guard node.node["$ref"]?.string != nil else { return made(node, depth: depth, &notes) }
    var followed: [String] = []
    let schema: OpenAPINode
    do throws(StubError) {
      schema = try document.resolved(node, followed: &followed)
    } catch {
      notes.add("\(error.message); nothing is made of it", path: document.path(of: node), at: error.position)
      return nil
    }
    guard open.isDisjoint(with: followed) else {
      note("the schema refers to itself: what is made of it ends there", node, &notes)
      return nil
    }
    open.formUnion(followed)
    defer { open.subtract(followed) }
    return given(schema) ?? made(schema, depth: depth, &notes)
  }

  /// What the schema itself gives.
  private func given(_ schema: OpenAPINode) -> JSONValue? {
    guard let node = schema["example"] ?? schema["examples"]?.list?.first ?? schema["const"] ?? schema["default"] else {
      guard let values = schema["enum"]?.list else { return nil }
      return (values.first { !$0.node.isNull } ?? values.first)?.node.json
    }
    // Null stands for "no example" as often as for itself.
    if node.node.isNull, schema["const"] == nil { return nil }
    return node.node.json
  }

  private mutating func made(_ schema: OpenAPINode, depth: Int, _ notes: inout ImportNotes) -> JSONValue? {
    if case .scalar(_, .bool) = schema.node.value { return .object([]) }
    if let parts = schema["allOf"]?.list, !parts.isEmpty {
      var values = parts.compactMap { value($0, depth: depth + 1, &notes) }
      if schema["properties"] != nil, let own = object(schema, depth: depth, &notes) { values.append(own) }
      return Self.together(values)
    }
    if let parts = schema["oneOf"]?.list ?? schema["anyOf"]?.list, !parts.isEmpty {
      let chosen = parts.first { !Self.isNull($0) } ?? parts[0]
      guard var value = value(chosen, depth: depth + 1, &notes) else { return nil }
      if schema["properties"] != nil, let own = object(schema, depth: depth, &notes) {
        value = Self.together([own, value]) ?? value
      }
      return discriminated(value, schema, chosen)
    }
    switch Self.type(schema) {
    case "object": return object(schema, depth: depth, &notes)
    case "array": return array(schema, depth: depth, &notes)
    case "string": return .string(text(schema, &notes))
    case "integer": return number(schema, isWhole: true)
    case "number": return number(schema, isWhole: false)
    case "boolean": return true
    case "null": return .null
    default: return .object([])
    }
  }

  private static func isNull(_ schema: OpenAPINode) -> Bool { schema["type"]?.node.scalar == "null" }

  /// The one type, or the first that is not null; where none is said, what the other keys tell.
  private static func type(_ schema: OpenAPINode) -> String? {
    if let name = schema["type"]?.node.scalar { return name }
    if case .scalar(_, .null)? = schema.node["type"]?.value { return "null" }
    if let names = schema["type"]?.list?.compactMap(\.node.scalar), !names.isEmpty {
      return names.first { $0 != "null" } ?? "null"
    }
    if schema["properties"] != nil || schema["additionalProperties"] != nil { return "object" }
    if schema["items"] != nil || schema["prefixItems"] != nil { return "array" }
    if ["format", "pattern", "minLength", "maxLength"].contains(where: { schema[$0] != nil }) { return "string" }
    if ["minimum", "maximum", "multipleOf"].contains(where: { schema[$0] != nil }) { return "number" }
    return nil
  }

  /// Objects as one object, of which the later ones count; of other values the first.
  private static func together(_ values: [JSONValue]) -> JSONValue? {
    var merged: [JSONValue.Member] = []
    var places: [String: Int] = [:]
    var isObject = false
    for value in values {
      guard case .object(let members) = value else { continue }
      isObject = true
      for member in members {
        if let place = places[member.name] {
          merged[place] = member
        } else {
          places[member.name] = merged.count
          merged.append(member)
        }
      }
    }
    return isObject && (!merged.isEmpty || values.count == 1) ? .object(merged) : values.first
  }

  /// The member by which readers tell the alternatives apart.
  private func discriminated(_ value: JSONValue, _ schema: OpenAPINode, _ chosen: OpenAPINode) -> JSONValue {
    guard let name = schema["discriminator"]?["propertyName"]?.node.scalar, case .object(var members) = value,
      let reference = chosen.node["$ref"]?.string
    else { return value }
    let mapping = schema["discriminator"]?["mapping"]?.entries.first { entry in
      entry.value.node.scalar.map { reference == $0 || reference.hasSuffix("/\($0)") } ?? false
    }
    let word = mapping?.key ?? reference.split(separator: "/").last.map(String.init) ?? ""
    if let place = members.firstIndex(where: { $0.name == name }) {
      if mapping != nil { members[place].value = .string(word) }
    } else {
      members.append(.init(name, .string(word)))
    }
    return .object(members)
  }

  // MARK: - Objects and lists

  private mutating func object(_ schema: OpenAPINode, depth: Int, _ notes: inout ImportNotes) -> JSONValue? {
    let required = Set(schema["required"]?.list?.compactMap(\.node.scalar) ?? [])
    var members: [JSONValue.Member] = []
    for (name, property) in schema["properties"]?.entries ?? [] {
      if depth >= Self.deep, !required.contains(name) { continue }
      if property["writeOnly"]?.node.isTrue == true { continue }
      guard left > 0 else { break }
      if let value = value(property, depth: depth + 1, &notes) { members.append(.init(name, value)) }
    }
    if schema["properties"] == nil, let others = schema["additionalProperties"], others.node.isMap, depth < Self.deep,
      let value = value(others, depth: depth + 1, &notes)
    {
      members.append(.init("key", value))
    }
    return .object(members)
  }

  private mutating func array(_ schema: OpenAPINode, depth: Int, _ notes: inout ImportNotes) -> JSONValue? {
    if let first = schema["prefixItems"]?.list, !first.isEmpty {
      return .array(first.prefix(Self.itemLimit).compactMap { value($0, depth: depth + 1, &notes) })
    }
    let most = schema["maxItems"]?.node.integer(in: 0...Self.itemLimit) ?? Self.itemLimit
    let count = min(max(schema["minItems"]?.node.integer(in: 0...Self.itemLimit) ?? 1, 1), most)
    guard count > 0, let items = schema["items"], let value = value(items, depth: depth + 1, &notes) else {
      return .array([])
    }
    if count > 1, schema["uniqueItems"]?.node.isTrue == true {
      note("different items for `uniqueItems` are not made: there is one", schema, &notes)
      return .array([value])
    }
    // The same value shares its memory, but not its place in the file.
    let room = max(left, 1) / max(value.roughSize / 8, 1)
    return .array([JSONValue](repeating: value, count: max(1, min(count, room))))
  }

  // MARK: - Scalars

  private static let formats: [String: String] = [
    "date": "2024-01-31", "date-time": "2024-01-31T12:00:00Z", "time": "12:00:00Z", "duration": "PT1H",
    "uuid": "3fa85f64-5717-4562-b3fc-2c963f66afa6", "email": "user@example.com", "idn-email": "user@example.com",
    "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com",
    "url": "https://example.com", "uri-reference": "/example", "iri": "https://example.com", "byte": "c3RyaW5n",
    "binary": "string", "password": "password", "json-pointer": "/example", "regex": "^.*$",
  ]

  /// For patterns of letters and digits that are often met.
  private static let candidates = [
    "string", "abc", "ABC", "123", "1", "a", "A", "ab", "AB", "US", "USD", "en-US", "1.0", "1.0.0", "2024-01-31",
    "12:00", "user@example.com", "https://example.com", "3fa85f64-5717-4562-b3fc-2c963f66afa6", "#ffffff",
    "+15555550100",
    "12345", "1234567890", "a1", "A1", "example.com", "/example", "0.00", "10.00", "2024-01-31T12:00:00Z", "abc123",
    "us-east-1", "192.0.2.1", "abcdefghij", "0123456789abcdef", "0123456789abcdef01234567", "a_1", "$1",
  ]

  private func text(_ schema: OpenAPINode, _ notes: inout ImportNotes) -> String {
    let least = schema["minLength"]?.node.integer(in: 0...Self.textLimit) ?? 0
    let most = max(schema["maxLength"]?.node.integer(in: 0...Self.textLimit) ?? Self.textLimit, least)
    let plain = schema["format"]?.node.scalar.flatMap { Self.formats[$0] } ?? "string"
    guard let node = schema["pattern"] else { return Self.fitted(plain, least, most) }
    guard let pattern = node.node.scalar, pattern.utf8.count <= Self.textLimit,
      let expression = try? PatternRegex(pattern)
    else {
      note("the pattern is not looked at: the text may not fit it", node, &notes)
      return Self.fitted(plain, least, most)
    }
    let long = ["a", "A", "1"].map { String(repeating: $0, count: max(least, 1)) }
    let made = RegexSample.texts(pattern, length: least)
    let found = ([plain] + Self.candidates + long + made).first {
      (least...most).contains($0.count) && expression.search($0) == .found
    }
    if let found { return found }
    note("no text is found that fits the pattern: `\(plain)` stands there", node, &notes)
    return Self.fitted(plain, least, most)
  }

  private static func fitted(_ text: String, _ least: Int, _ most: Int) -> String {
    if text.count > most { return String(text.prefix(most)) }
    guard text.count < least else { return text }
    return String(String(repeating: text, count: least / max(text.count, 1) + 1).prefix(least))
  }

  private func number(_ schema: OpenAPINode, isWhole: Bool) -> JSONValue {
    func bound(_ key: String) -> Double? {
      schema[key]?.node.scalar.flatMap { Double($0) }.flatMap { $0.isFinite && abs($0) <= 9e15 ? $0 : nil }
    }
    let step = bound("multipleOf").flatMap { $0 > 0 ? $0 : nil } ?? 1
    var low = bound("minimum")
    var high = bound("maximum")
    if let limit = bound("exclusiveMinimum") { low = limit + (isWhole ? 1 : step) }
    if let limit = bound("exclusiveMaximum") { high = limit - (isWhole ? 1 : step) }
    if schema["exclusiveMinimum"]?.node.isTrue == true, let limit = low { low = limit + (isWhole ? 1 : step) }
    if schema["exclusiveMaximum"]?.node.isTrue == true, let limit = high { high = limit - (isWhole ? 1 : step) }
    var value = 0.0
    if let low, value < low { value = low }
    if let high, value > high { value = high }
    if isWhole { value = (low ?? 0) > 0 ? value.rounded(.up) : value.rounded(.down) }
    if schema["multipleOf"] != nil {
      let multiple = (value / step).rounded(.up) * step
      if multiple <= high ?? .infinity { value = multiple }
    }
    if value == value.rounded(), abs(value) < 9e15 { return .number(String(Int(value))) }
    return .number(String(value))
  }
}
