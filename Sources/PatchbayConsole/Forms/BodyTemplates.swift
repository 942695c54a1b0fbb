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

  /// The first mistake in header fields, one a line.
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

/// JSON with places to be filled in, such as `{"n": {{count}}}`.
enum TemplateJSON {
  /// Reads a body as JSON; what is to be filled in counts as a number, or as letters within a string.
  ///
  /// - Throws: `StubError` with its place in the body as it stands.
  static func check(_ body: String) throws(StubError) { _ = try JSONValue(parsing: standIn(body)) }

  /// The body with a digit in the place of each scalar that is to be filled in, so that all others stay where they are.
  static func standIn(_ body: String) -> String {
    guard Template.isNeeded(for: body) else { return body }
    var text = String.UnicodeScalarView()
    var rest = body.unicodeScalars[...]
    while let open = rest.firstIndex(of: "{") {
      let inside = rest[open...].dropFirst(2)
      guard rest[open...].dropFirst().first == "{", let end = end(of: inside) else {
        text.append(contentsOf: rest[...open])
        rest = rest[open...].dropFirst()
        continue
      }
      text.append(contentsOf: rest[..<open])
      text.append(contentsOf: rest[open..<end].map { _ in "1" })
      rest = rest[end...]
    }
    text.append(contentsOf: rest)
    return String(text)
  }

  /// Behind the braces that close an expression.
  private static func end(of text: Substring.UnicodeScalarView) -> String.Index? {
    for place in text.indices where text[place] == "}" {
      let next = text.index(after: place)
      if next < text.endIndex, text[next] == "}" { return text.index(after: next) }
    }
    return nil
  }
}

/// What the templates in a stub's body and headers become for a request that was recorded.
struct TemplatePreview: Sendable, Equatable {
  /// What is sent; nil where no recorded request fits.
  var text: String?
  var request = ""

  /// Nil where there are no templates; their mistakes are ``TemplateCheck``'s to find before.
  init?(body: String, headers: String, sample: RequestFacts?, hits: Int) {
    guard body.utf8.count <= TemplateCheck.limit, Template.isNeeded(for: body) || Template.isNeeded(for: headers)
    else { return nil }
    guard let sample else { return }
    let context = TemplateContext(sample, count: UInt64(hits) + 1)
    request = "\(sample.method) \(sample.url)"
    let fields = Template.isNeeded(for: headers) ? context.render(headers) + "\n\n" : ""
    let json = try? JSONValue(parsing: body)
    text = fields + (json.map { context.render($0).indented(escaping: .minimal) } ?? context.render(body))
  }
}
