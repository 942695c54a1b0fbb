import Foundation

extension RequestCondition {
  /// A sentence with both values: what the request has, and what the pattern asks.
  func difference(from request: MatchedRequest, in pattern: RequestPattern) -> String {
    let url = request.url
    switch self {
    case .method:
      return Self.sentence("method", request.facts.method, Self.list(pattern.methods, none: "anything"))
    case .process where request.facts.process.isEmpty:
      return "process: none was given, so it is not \(pattern.process.map { Self.spelled($0) } ?? "anything")"
    case .process:
      let pid = request.facts.pid.map { " \($0)" } ?? ""
      let asksOne =
        pattern.process?.leaves.contains { if case .glob(let text) = $0 { ProcessName(text).asksOne } else { false } }
        == true
      return Self.sentence("process", request.facts.process + (asksOne ? pid : ""), pattern.process)
    case .scheme: return Self.sentence("scheme", request.text(url.scheme), pattern.scheme)
    case .host: return Self.sentence("host", HostName.unicode(request.text(url.host)), pattern.host)
    case .port(let port): return "port: \(url.port.map { "\($0)" } ?? "none") is not \(port)"
    case .path: return Self.sentence("path", request.text(url.path), pattern.path)
    case .url: return Self.sentence("url", String(decoding: url.text, as: UTF8.self), pattern.url)
    case .query(let name, _):
      let text = String(decoding: name, as: UTF8.self)
      let values = request.queryItems.filter { $0.name == name }.map(\.value)
      return Self.named("query", text, values, pattern.query.first { $0.name == text }?.value)
    case .header(let name, _):
      let values = request.facts.headers.all(named: name).map { Array($0.utf8) }
      let difference = Self.named("header", name, values, self.wanted(in: pattern.headers, name))
      return values.isEmpty && Self.isAddedLater(name)
        ? difference + " (the loading system adds it only when the request goes out, behind the stubs)" : difference
    case .body(let condition): return condition.difference(from: request, in: pattern.body)
    case .any(let compiled): return Self.closest(of: compiled, pattern.any, request)
    case .not(let compiled):
      let place = compiled.firstIndex { $0.firstFailure(request) == nil } ?? 0
      let which = compiled.count > 1 ? " (\(place + 1) of \(compiled.count))" : ""
      let what = pattern.not.indices.contains(place) ? pattern.not[place].json.compact : "{}"
      return "not\(which): the request fits \(Self.quoted(what))"
    }
  }

  /// The alternative of which the fewest conditions fail; of several the first.
  private static func closest(
    of alternatives: [CompiledPattern], _ patterns: [RequestPattern], _ request: MatchedRequest
  ) -> String {
    let failing = alternatives.map { $0.conditions.count { $0.test(request) != .fits } }
    guard let fewest = failing.min(), let place = failing.firstIndex(of: fewest), patterns.indices.contains(place),
      let failure = alternatives[place].firstFailure(request)
    else { return "any: no alternative fits" }
    let difference = failure.condition.difference(from: request, in: patterns[place])
    if alternatives.count == 1 { return "any: \(difference)" }
    return "any: none of \(alternatives.count) fits; closest is number \(place + 1): \(difference)"
  }

  /// Header fields that stand in the record of a request which went to the network though its program set none.
  private static func isAddedLater(_ name: String) -> Bool {
    ["host", "user-agent", "accept", "accept-encoding", "content-length", "content-type", "connection"]
      .contains(name.lowercased())
  }

  private func wanted(in conditions: [RequestPattern.Condition], _ name: String) -> TextPattern? {
    conditions.first { $0.name == name }?.value
  }

  static func named(_ what: String, _ name: String, _ values: [[UInt8]], _ pattern: TextPattern?) -> String {
    let first = values.first.map { quoted(String(decoding: $0, as: UTF8.self)) }
    guard let pattern else {
      return
        "\(what) `\(name)`: is \(values.first?.isEmpty == false ? first ?? "" : "there, though empty"), must be absent"
    }
    guard let first else { return "\(what) `\(name)`: is missing, must be \(spelled(pattern))" }
    let more = values.count - 1
    if case .not(let parts) = pattern {
      // One value that fits is enough to break it.
      let matcher = TextMatcher(.any(parts), for: .plain)
      let breaking =
        values.first { matcher.test(ArraySlice($0)) == .fits } ?? Array(values.joined(separator: Array(", ".utf8)))
      let value = quoted(String(decoding: breaking, as: UTF8.self))
      return "\(what) `\(name)`: \(value) must not be \(some(parts, "or"))"
    }
    let others = more > 1 ? " (nor are \(more) others)" : more == 1 ? " (nor is 1 other)" : ""
    let text = String(decoding: values[0], as: UTF8.self)
    return "\(what) `\(name)`: \(first) is not \(spelled(pattern))\(others)\(closest(to: text, pattern))"
  }

  private static func sentence(_ what: String, _ value: String, _ pattern: TextPattern?) -> String {
    if case .not(let parts) = pattern { return "\(what): \(quoted(value)) must not be \(some(parts, "or"))" }
    return sentence(what, value, pattern.map { spelled($0) } ?? "anything")
      + (pattern.map { closest(to: value, $0) } ?? "")
  }

  /// Of a list the text that is most like the value.
  private static func closest(to value: String, _ pattern: TextPattern) -> String {
    guard case .any(let parts) = pattern, parts.count > 1 else { return "" }
    let text = Array(value.utf8)
    let likeness = parts.map { part -> Int in
      guard case .glob(let glob) = part else { return 0 }
      let pieces = Glob(glob.utf8).pieces
      let front = zip(pieces[0], text).prefix { $0 == $1 }.count
      return front + zip(pieces[pieces.count - 1].reversed(), text.reversed()).prefix { $0 == $1 }.count
    }
    guard let most = likeness.max(), most > 0, let place = likeness.firstIndex(of: most) else { return "" }
    return " (closest: \(spelled(parts[place])))"
  }

  private static func sentence(_ what: String, _ value: String, _ wanted: String) -> String {
    "\(what): \(quoted(value)) is not \(wanted)"
  }

  static func spelled(_ pattern: TextPattern) -> String {
    switch pattern {
    case .glob(let text): quoted(text)
    case .matches(let text): "matched by " + quoted(text)
    case .any(let parts): some(parts, "or")
    case .not(let parts): "anything but " + some(parts, "and")
    case .all(let parts): some(parts, "and")
    }
  }

  static func some(_ parts: [TextPattern], _ joint: String) -> String {
    let shown = parts.prefix(6).map { spelled($0) }
    if parts.count > shown.count {
      return shown.joined(separator: ", ") + " \(joint) \(parts.count - shown.count) more"
    }
    return shown.count < 2
      ? shown.joined() : shown.dropLast().joined(separator: ", ") + " \(joint) " + shown[shown.count - 1]
  }

  static func quoted(_ text: String) -> String { "`" + text.shortened(to: 200) + "`" }

  private static func list(_ values: [String], none: String) -> String {
    values.isEmpty ? none : values.map { quoted($0) }.joined(separator: " or ")
  }
}

extension BodyCondition {
  func difference(from request: MatchedRequest, in pattern: BodyPattern?) -> String {
    if case .graphql(let operation, let variables) = self {
      return Self.graphqlDifference(from: request, operation, variables, pattern?.graphql?.operation)
    }
    guard request.body != nil else { return "body: there is none, " + wanted(pattern) }
    let start = RequestCondition.quoted(
      String(decoding: request.bodyBytes.prefix(400), as: UTF8.self).shortened(to: 80))
    switch self {
    case .contains, .equals, .matches: return "body: \(start) " + wanted(pattern)
    case .graphql: return "body: \(start) " + wanted(pattern)
    case .json(let json):
      guard let body = request.json else { return "body: \(start) is not JSON" }
      return "body: " + JSONDifference.first(of: json, in: body, at: "")
    case .pointer(let pointer, let json):
      guard let body = request.json else { return "body: \(start) is not JSON" }
      guard let found = body.value(at: pointer) else {
        return "body at \(pointer): is missing, must be \(JSONDifference.short(json))"
      }
      return "body at \(pointer): \(JSONDifference.short(found)) is not \(JSONDifference.short(json))"
    case .form(let name, _):
      let text = String(decoding: name, as: UTF8.self)
      let values = request.formFields.filter { $0.name == name }.map(\.value)
      return RequestCondition.named("form field", text, values, pattern?.form.first { $0.name == text }?.value)
    case .multipart(let name, _):
      let text = String(decoding: name, as: UTF8.self)
      let values = request.multipartParts.filter { $0.name == name }.map(\.value)
      return RequestCondition.named("part", text, values, pattern?.multipart.first { $0.name == text }?.value)
    }
  }

  private static func graphqlDifference(
    from request: MatchedRequest, _ operation: TextMatcher?, _ variables: JSONValue?, _ pattern: TextPattern?
  ) -> String {
    guard let first = request.graphqlOperations.first else { return "graphql: the request asks for no operation" }
    let named = operation.map { operation in request.graphqlOperations.first { operation.test($0.name) == .fits } }
    guard let asked = named ?? first else {
      let name = first.name.isEmpty ? "an operation without a name" : RequestCondition.quoted(first.name)
      if case .not(let parts) = pattern {
        return "graphql operation: \(name) must not be \(RequestCondition.some(parts, "or"))"
      }
      return "graphql operation: \(name) is not \(pattern.map { RequestCondition.spelled($0) } ?? "anything")"
    }
    guard let variables else { return "graphql: the request asks for no such operation" }
    return "graphql variables: " + JSONDifference.first(of: variables, in: asked.variables, at: "")
  }

  private func wanted(_ pattern: BodyPattern?) -> String {
    switch self {
    case .contains:
      if case .not(let parts)? = pattern?.contains {
        "must not contain " + RequestCondition.some(parts, "or")
      } else {
        "does not contain " + (pattern?.contains.map { RequestCondition.spelled($0) } ?? "")
      }
    case .graphql: "must be a GraphQL request"
    case .equals: "is not " + RequestCondition.quoted(pattern?.equals ?? "")
    case .matches: "is not matched by " + RequestCondition.quoted(pattern?.matches ?? "")
    case .json(let json): "must hold the JSON " + JSONDifference.short(json)
    case .pointer(let pointer, let json): "must have \(JSONDifference.short(json)) at \(pointer)"
    case .form(let name, _): "must have the form field `\(String(decoding: name, as: UTF8.self))`"
    case .multipart(let name, _): "must have the part `\(String(decoding: name, as: UTF8.self))`"
    }
  }
}

/// Where a JSON subset first fails.
enum JSONDifference {
  static func first(of wanted: JSONValue, in body: JSONValue, at path: String) -> String {
    let place = path.isEmpty ? "JSON" : "JSON at \(path)"
    if case .object(let members) = wanted, case .object = body {
      for member in members {
        let inner = path + "/" + member.name
        guard let value = body[member.name] else {
          return "JSON at \(inner) is missing, must be \(short(member.value))"
        }
        if !member.value.isSubset(of: value) { return first(of: member.value, in: value, at: inner) }
      }
    }
    if case .array(let elements) = wanted, case .array(let others) = body {
      for element in elements where !others.contains(where: { element.isSubset(of: $0) }) {
        return "\(place) has no element \(short(element))"
      }
    }
    return "\(place): \(short(body)) is not \(short(wanted))"
  }

  static func short(_ value: JSONValue) -> String { RequestCondition.quoted(value.compact.shortened(to: 80)) }
}
