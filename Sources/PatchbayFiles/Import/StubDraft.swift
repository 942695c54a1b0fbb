import PatchbayStubs

/// A stub on its way from another tool's document, by the schema of stub files.
struct StubDraft {
  var name: String
  var enabled = true
  var when = PatternDraft()
  /// What stands after `then:`.
  var then: JSONValue
  /// What stands after `scenario:`.
  var scenario: JSONValue?
  /// What is to be said before it in the file.
  var comments: [String] = []
  /// Where it comes from.
  var path: String
  var position: SourcePosition?

  var json: JSONValue {
    var members = [JSONValue.Member("name", .string(name))]
    if !enabled { members.append(.init("enabled", false)) }
    if let scenario { members.append(.init("scenario", scenario)) }
    let pattern = when.json
    if pattern != .object([]) { members.append(.init("when", pattern)) }
    members.append(.init("then", then))
    return .object(members)
  }
}

/// Conditions as they are found. Everything that is given must hold, also where the schema has a key only once.
struct PatternDraft {
  /// `method`, `url`, `scheme`, `host`, `port`, `path`.
  private var members: [JSONValue.Member] = []
  private var query: [JSONValue.Member] = []
  private var headers: [JSONValue.Member] = []
  private var body: [JSONValue.Member] = []
  private var form: [JSONValue.Member] = []
  private var multipart: [JSONValue.Member] = []
  private var pointer: [JSONValue.Member] = []
  /// Whole patterns that must hold too.
  private var more: [[JSONValue.Member]] = []
  /// Whole patterns of which none may hold.
  private(set) var none: [JSONValue] = []

  enum Named { case query, headers, form, multipart, pointer }

  /// One of the keys that stand by themselves.
  mutating func require(_ key: String, _ value: JSONValue) {
    if let known = members.first(where: { $0.name == key }) {
      if known.value != value { more.append([.init(key, value)]) }
      return
    }
    members.append(.init(key, value))
  }

  /// A named value; nothing means that the name must be absent.
  mutating func require(_ group: Named, _ name: String, _ value: JSONValue) {
    let member = JSONValue.Member(name, value)
    switch group {
    case .query: query.append(member)
    case .headers: headers.append(member)
    case .form: form.append(member)
    case .multipart: multipart.append(member)
    case .pointer: pointer.append(member)
    }
  }

  /// A key of `body`; two subsets of JSON become one.
  mutating func requireBody(_ key: String, _ value: JSONValue) {
    guard let index = body.firstIndex(where: { $0.name == key }) else {
      body.append(.init(key, value))
      return
    }
    if body[index].value == value { return }
    if key == "json", let merged = body[index].value.merged(with: value) {
      body[index].value = merged
    } else {
      more.append([.init("body", .object([.init(key, value)]))])
    }
  }

  /// Whole patterns of which at least one must hold.
  mutating func either(_ patterns: [JSONValue]) { more.append([.init("any", .array(patterns))]) }

  /// A whole pattern that must not hold.
  mutating func refuse(_ pattern: JSONValue) { none.append(pattern) }

  /// What stands after `when:`.
  var json: JSONValue {
    var all = members
    if !query.isEmpty { all.append(.init("query", Self.pairs(query))) }
    if !headers.isEmpty { all.append(.init("headers", Self.pairs(headers))) }
    var parts = body
    if !pointer.isEmpty { parts.append(.init("pointer", Self.pairs(pointer))) }
    if !form.isEmpty { parts.append(.init("form", Self.pairs(form))) }
    if !multipart.isEmpty { parts.append(.init("multipart", Self.pairs(multipart))) }
    if !parts.isEmpty { all.append(.init("body", .object(parts))) }
    if !none.isEmpty { all.append(.init("not", none.count == 1 ? none[0] : .array(none))) }
    // `any` of one pattern is that pattern; each holds the next one.
    var nested: JSONValue?
    for pattern in more.reversed() {
      nested = .object(pattern + (nested.map { [.init("any", .array([$0]))] } ?? []))
    }
    if let nested { all.append(.init("any", .array([nested]))) }
    return .object(all)
  }

  /// A map, or where a name comes again a list of maps with one key each.
  private static func pairs(_ pairs: [JSONValue.Member]) -> JSONValue {
    Set(pairs.map(\.name)).count == pairs.count ? .object(pairs) : .array(pairs.map { .object([$0]) })
  }
}

/// Text patterns of what other tools say.
enum ImportedText {
  /// A pattern that fits this text only.
  static func exactly(_ text: String) -> JSONValue {
    text.contains("*") ? .members(["matches": .string("^\(quoted(text))$")]) : .string(text)
  }

  /// A pattern that fits wherever the text is found.
  static func containing(_ text: String) -> JSONValue {
    text.contains("*") ? .members(["matches": .string(quoted(text))]) : .string("*\(text)*")
  }

  /// A pattern for what the whole regular expression fits, as Java's `matches` has it.
  static func wholly(_ expression: String) -> JSONValue {
    .members(["matches": .string("^(?:\(expression))$")])
  }

  /// A regular expression for this text only.
  static func quoted(_ text: String) -> String {
    let special: Set<Character> = ["\\", "^", "$", ".", "|", "?", "*", "+", "(", ")", "[", "]", "{", "}"]
    return text.map { special.contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  /// A path in which `{name}` stands for one segment, or a part of one, as a pattern.
  ///
  /// - Parameter inside: the expression for a name; nil is one segment.
  static func path(_ template: String, inside: (String) -> String? = { _ in nil }) -> JSONValue {
    var expression = ""
    var isPlain = true
    var rest = Substring(template)
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      expression += quoted(String(rest[..<open]))
      expression += inside(String(rest[rest.index(after: open)..<close])) ?? "[^/]+"
      isPlain = false
      rest = rest[rest.index(after: close)...]
    }
    return isPlain ? exactly(template) : .members(["matches": .string("^\(expression)\(quoted(String(rest)))$")])
  }
}

extension JSONValue {
  /// Both as one subset; nil where they say different things of the same place.
  fileprivate func merged(with other: JSONValue) -> JSONValue? {
    switch (self, other) {
    case (.object(var members), .object(let others)):
      for member in others {
        if let index = members.firstIndex(where: { $0.name == member.name }) {
          guard let both = members[index].value.merged(with: member.value) else { return nil }
          members[index].value = both
        } else {
          members.append(member)
        }
      }
      return .object(members)
    case (.array(let left), .array(let right)): return .array(left + right)
    // A bare nil would be the JSON null.
    default: return self == other ? self : Optional.none
    }
  }

  /// How often `{{` stands in its texts.
  var braces: Int {
    switch self {
    case .string(let text): text.braces
    case .array(let elements): elements.reduce(0) { $0 + $1.braces }
    case .object(let members): members.reduce(0) { $0 + $1.value.braces }
    default: 0
    }
  }

  /// The value with its texts as templates that give exactly them.
  var quotingTemplates: JSONValue {
    switch self {
    case .string(let text): .string(Template.quoting(text))
    case .array(let elements): .array(elements.map(\.quotingTemplates))
    case .object(let members): .object(members.map { Member($0.name, $0.value.quotingTemplates) })
    default: self
    }
  }
}

extension String {
  /// How often `{{` stands in it.
  var braces: Int {
    var count = 0
    var isOpen = false
    for byte in utf8 {
      if byte == UInt8(ascii: "{"), isOpen { count += 1 }
      isOpen = byte == UInt8(ascii: "{") && !isOpen
    }
    return count
  }
}
