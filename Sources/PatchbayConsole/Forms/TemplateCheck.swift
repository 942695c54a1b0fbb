import PatchbayStubs

/// What cannot be filled in of the templates that one types: it would be sent as it stands.
enum TemplateCheck {
  /// Above this nothing is looked at: each key would pay for it.
  static let limit = 128 << 10

  /// The first mistake, with its place in the body as it stands.
  static func body(_ text: String) -> StubError? {
    guard text.utf8.count <= limit, Template.isNeeded(for: text) else { return nil }
    // In JSON each text is a template of its own, in which quotes are not escaped.
    guard let value = try? JSONValue(parsing: text) else { return problem(in: text)?.error }
    var texts: [String] = []
    value.collectTexts(into: &texts)
    for own in texts {
      guard let (error, source) = problem(in: own) else { continue }
      let written = JSONValue.string(source).compact.dropFirst().dropLast()
      let place = text.firstRange(of: written) ?? text.firstRange(of: "{{")
      return StubError(error.message, at: place.map { SourcePosition(of: $0.lowerBound, in: text) })
    }
    return nil
  }

  /// The same for header fields, one a line.
  static func headers(_ text: String) -> StubError? {
    guard text.utf8.count <= limit, Template.isNeeded(for: text) else { return nil }
    return problem(in: text)?.error
  }

  private static func problem(in text: String) -> (error: StubError, source: String)? {
    guard Template.isNeeded(for: text) else { return nil }
    do throws(StubError) {
      _ = try Template(text)
      return nil
    } catch {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      guard let at = error.position, lines.indices.contains(at.line - 1) else { return (error, text) }
      let rest = String(lines[at.line - 1].unicodeScalars.dropFirst(at.column - 1))
      let end = rest.firstRange(of: "}}")?.upperBound ?? rest.endIndex
      return (error, String(rest[..<end]))
    }
  }
}

extension JSONValue {
  /// With what cannot be filled in written so that it is sent as it stands.
  var quotingMistakes: JSONValue {
    switch self {
    case .string(let text): .string(Template.quotingMistakes(text))
    case .array(let elements): .array(elements.map(\.quotingMistakes))
    case .object(let members): .object(members.map { .init($0.name, $0.value.quotingMistakes) })
    default: self
    }
  }
}
