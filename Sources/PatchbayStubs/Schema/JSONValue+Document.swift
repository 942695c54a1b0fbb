extension JSONValue {
  /// The value as JSON. Scalars keep their digits; what YAML's core schema writes otherwise (0x1F, .5, +1) is spelled
  /// as JSON does; infinity and "not a number" have no JSON form and are reported.
  init(_ node: DocumentNode, mistake: (String, DocumentNode) -> Void) {
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
    while body.count > 1, body.hasPrefix("0"), body.dropFirst().first?.isNumber == true { body.removeFirst() }
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
