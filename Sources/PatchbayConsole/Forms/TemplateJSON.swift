import PatchbayStubs

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
