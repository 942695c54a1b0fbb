import PatchbayStubs

/// What a pattern asks of a body beside a text in it, as one types it in a form: `json: {"id": 7}; form: {"a": "1"}`.
enum BodyAsks {
  static func text(_ body: BodyPattern?) -> String {
    guard var body else { return "" }
    body.contains = nil
    guard case .object(let members)? = body.asked else { return "" }
    return members.map { "\($0.name): \($0.value.compact)" }.joined(separator: "; ")
  }

  /// Nil where nothing is asked.
  static func pattern(_ text: String) throws(FormProblem) -> BodyPattern? {
    var rest = text.drop { $0 == " " || $0 == ";" }
    guard !rest.isEmpty else { return nil }
    if rest.hasPrefix("{") { return try read(String(rest)) }
    var members: [String] = []
    while !rest.isEmpty {
      guard let colon = rest.firstIndex(of: ":") else { throw FormProblem("write json: {…}, or matches: \"…\"") }
      let name = rest[..<colon].filter { $0 != " " }
      let value = rest[rest.index(after: colon)...].drop { $0 == " " }
      let end = self.end(of: value)
      members.append("\(JSONValue.string(name).compact):\(value[..<end])")
      rest = value[end...].drop { $0 == " " || $0 == ";" }
    }
    return try read("{\(members.joined(separator: ","))}")
  }

  private static func read(_ json: String) throws(FormProblem) -> BodyPattern? {
    do throws(StubError) {
      let stub: JSONValue = .members([
        "name": "a", "when": .members(["body": try JSONValue(parsing: json)]), "then": .members(["pass": .object([])]),
      ])
      return try Stub(json: stub).when.body
    } catch {
      throw FormProblem(error.message)
    }
  }

  /// Where a JSON value ends: at the semicolon that stands neither in a text nor in brackets.
  private static func end(of text: Substring) -> String.Index {
    var depth = 0
    var isText = false
    var isEscaped = false
    for place in text.indices {
      let letter = text[place]
      if isText {
        if isEscaped {
          isEscaped = false
        } else if letter == "\\" {
          isEscaped = true
        } else if letter == "\"" {
          isText = false
        }
        continue
      }
      switch letter {
      case "\"": isText = true
      case "{", "[": depth += 1
      case "}", "]": depth -= 1
      case ";" where depth <= 0: return place
      default: break
      }
    }
    return text.endIndex
  }
}

extension BodyPattern {
  /// What stands after `body:` in a stub file.
  fileprivate var asked: JSONValue? {
    guard case .object(let when) = RequestPattern(body: self).json else { return nil }
    return when.first { $0.name == "body" }?.value
  }
}
