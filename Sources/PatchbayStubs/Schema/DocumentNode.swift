/// A piece of a stub document, as YAML, JSON and the wire have it in common: values with their places in the text.
package struct DocumentNode: Hashable, Sendable {
  package var value: Value
  package var position: SourcePosition?
  /// The bytes of the text that the node covers, where the reader knows them.
  package var bytes: Range<Int>?

  package indirect enum Value: Hashable, Sendable {
    /// The text as it was written, and what it is by YAML's core schema (in JSON, by its syntax).
    case scalar(String, Kind)
    case list([DocumentNode])
    case map([Entry])
  }

  package enum Kind: Hashable, Sendable {
    case null
    case bool
    case number
    case text
  }

  /// One key and value of a map; keys may repeat until a decoder objects.
  package struct Entry: Hashable, Sendable {
    package var key: String
    package var keyPosition: SourcePosition?
    /// The bytes of the text that the key covers, where the reader knows them.
    package var keyBytes: Range<Int>?
    package var value: DocumentNode

    package init(
      _ key: String, at keyPosition: SourcePosition? = nil, bytes: Range<Int>? = nil, value: DocumentNode
    ) {
      self.key = key
      self.keyPosition = keyPosition
      self.keyBytes = bytes
      self.value = value
    }
  }

  package init(_ value: Value, at position: SourcePosition? = nil, bytes: Range<Int>? = nil) {
    self.value = value
    self.position = position
    self.bytes = bytes
  }
}

extension DocumentNode {
  /// A node without places.
  package init(_ json: JSONValue) {
    switch json {
    case .null: self.init(.scalar("null", .null))
    case .bool(let value): self.init(.scalar(value ? "true" : "false", .bool))
    case .number(let digits): self.init(.scalar(digits, .number))
    case .string(let text): self.init(.scalar(text, .text))
    case .array(let elements): self.init(.list(elements.map { DocumentNode($0) }))
    case .object(let members): self.init(.map(members.map { Entry($0.name, value: DocumentNode($0.value)) }))
    }
  }

  /// The value of the first entry with that key, where this is a map.
  package subscript(_ key: String) -> DocumentNode? {
    guard case .map(let entries) = value else { return nil }
    return entries.first { $0.key == key }?.value
  }

  package var isNull: Bool {
    if case .scalar(_, .null) = value { return true }
    return false
  }

  /// What the node is, for messages: "a list", "the number 7".
  package var summary: String {
    switch value {
    case .scalar(_, .null): "nothing"
    case .scalar(let text, .bool): "`\(text)`"
    case .scalar(let text, .number): "the number \(text)"
    case .scalar(let text, .text): "the text `\(text.shortened(to: 40))`"
    case .list: "a list"
    case .map: "a map"
    }
  }
}

extension String {
  /// At most that many characters, with `…` in the place of the rest.
  package func shortened(to limit: Int) -> String {
    count <= limit ? self : prefix(max(limit - 1, 0)) + "…"
  }
}

extension JSONValue {
  /// The value as JSON. Scalars keep their digits; what YAML's core schema writes otherwise (0x1F, .5, +1) is spelled
  /// as JSON does; infinity and "not a number" have no JSON form and are reported.
  package init(_ node: DocumentNode, mistake: (String, DocumentNode) -> Void) {
    switch node.value {
    case .scalar(_, .null): self = .null
    case .scalar(let text, .bool): self = .bool(text.lowercased() == "true")
    case .scalar(let text, .text): self = .string(text)
    case .scalar(let text, .number):
      if let spelled = Self.spelledNumber(text) {
        self = .number(spelled)
      } else {
        mistake("the number \(text) has no form in JSON", node)
        self = .null
      }
    case .list(let nodes): self = .array(nodes.map { JSONValue($0, mistake: mistake) })
    case .map(let entries):
      self = .object(entries.map { Member($0.key, JSONValue($0.value, mistake: mistake)) })
    }
  }

  /// nil for what is no finite number.
  static func spelledNumber(_ text: String) -> String? {
    if isNumber(text) { return text }
    var body = Substring(text)
    var sign = ""
    if body.first == "+" || body.first == "-" { sign = body.removeFirst() == "-" ? "-" : "" }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] where body.hasPrefix(prefix) {
      return UInt64(body.dropFirst(2), radix: radix).map { sign + String($0) }
    }
    if body.hasPrefix(".") { body = "0" + body }
    while body.first == "0", body.dropFirst().first?.isNumber == true { body.removeFirst() }
    if let point = body.firstIndex(of: ".") {
      let next = body.index(after: point)
      if next == body.endIndex || !body[next].isNumber { body.insert("0", at: next) }
    }
    let spelled = sign + body
    return isNumber(spelled) ? spelled : nil
  }

  /// Whether the text is a number by RFC 8259 §6.
  static func isNumber(_ text: String) -> Bool {
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else { return false }
    guard case .number(let digits)? = try? JSONValue(parsing: text) else { return false }
    return digits == text
  }
}
