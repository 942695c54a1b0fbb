import Foundation

extension RequestCondition {
  /// A sentence with both values: what the request has, and what the pattern asks.
  func difference(from request: MatchedRequest, in pattern: RequestPattern) -> String {
    let url = request.url
    switch self {
    case .never: return "it can never match"
    case .method:
      return Self.sentence("method", request.facts.method, Self.list(pattern.methods, none: "anything"))
    case .process where request.facts.process.isEmpty:
      return "process: none was given, so it is not \(pattern.process.map { Self.spelled($0) } ?? "anything")"
    case .process:
      let pid = request.facts.pid.map { " \($0)" } ?? ""
      let asksOne = pattern.process.map { ProcessMatcher($0).asksOne } == true
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
    }
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
    guard let pattern else { return "\(what) `\(name)`: is \(first ?? "``"), must be absent" }
    guard let first else { return "\(what) `\(name)`: is missing, must be \(spelled(pattern))" }
    let others = values.count > 1 ? " (nor are \(values.count - 1) others)" : ""
    return "\(what) `\(name)`: \(first) is not \(spelled(pattern))\(others)"
  }

  private static func sentence(_ what: String, _ value: String, _ pattern: TextPattern?) -> String {
    sentence(what, value, pattern.map { spelled($0) } ?? "anything")
  }

  private static func sentence(_ what: String, _ value: String, _ wanted: String) -> String {
    "\(what): \(quoted(value)) is not \(wanted)"
  }

  static func spelled(_ pattern: TextPattern) -> String {
    switch pattern {
    case .glob(let text): quoted(text)
    case .matches(let text): "matched by " + quoted(text)
    }
  }

  static func quoted(_ text: String) -> String { "`" + text.shortened(to: 200) + "`" }

  private static func list(_ values: [String], none: String) -> String {
    values.isEmpty ? none : values.map { quoted($0) }.joined(separator: " or ")
  }
}

extension BodyCondition {
  func difference(from request: MatchedRequest, in pattern: BodyPattern?) -> String {
    guard request.body != nil else { return "body: there is none, " + wanted(pattern) }
    let start = RequestCondition.quoted(
      String(decoding: request.bodyBytes.prefix(400), as: UTF8.self).shortened(to: 80))
    switch self {
    case .contains, .equals, .matches: return "body: \(start) " + wanted(pattern)
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

  private func wanted(_ pattern: BodyPattern?) -> String {
    switch self {
    case .contains: "does not contain " + RequestCondition.quoted(pattern?.contains ?? "")
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
