/// A media type with its parameters (RFC 9110 §8.3.1).
package struct MediaType: Hashable, Sendable {
  /// Type and subtype in small letters, such as `text/html`.
  package var essence: String
  /// Names in small letters, with their values as they mean (quotes taken off).
  package var parameters: [(name: String, value: String)] { pairs.map { ($0.name, $0.value) } }
  private var pairs: [Pair]

  private struct Pair: Hashable {
    var name: String
    var value: String
  }

  package init(_ value: String) {
    var pieces = Self.split(value)
    essence = pieces.removeFirst().trimmed.lowercased()
    pairs = pieces.compactMap { piece in
      guard let equals = piece.firstIndex(of: "=") else { return nil }
      let name = String(piece[..<equals]).trimmed.lowercased()
      return Pair(name: name, value: Self.unquoted(String(piece[piece.index(after: equals)...]).trimmed))
    }
  }

  /// The value of the first parameter of that name (small letters).
  package subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

  /// Cuts at the semicolons that stand outside of quotes.
  private static func split(_ value: String) -> [String] {
    var pieces = [""]
    var quoted = false
    var escaped = false
    for scalar in value.unicodeScalars {
      if scalar == ";", !quoted {
        pieces.append("")
        continue
      }
      if scalar == "\"", !escaped { quoted.toggle() }
      escaped = quoted && scalar == "\\" && !escaped
      pieces[pieces.count - 1].unicodeScalars.append(scalar)
    }
    return pieces
  }

  private static func unquoted(_ value: String) -> String {
    guard value.hasPrefix("\""), value.count >= 2, value.hasSuffix("\"") else { return value }
    var result = ""
    var escaped = false
    for character in value.dropFirst().dropLast() {
      if character == "\\", !escaped {
        escaped = true
      } else {
        result.append(character)
        escaped = false
      }
    }
    return result
  }
}

extension String {
  /// Without blanks at its ends.
  var trimmed: String {
    let blanks: Set<Unicode.Scalar> = [" ", "\t", "\r", "\n"]
    var scalars = unicodeScalars[...]
    while let first = scalars.first, blanks.contains(first) { scalars.removeFirst() }
    while let last = scalars.last, blanks.contains(last) { scalars.removeLast() }
    return String(scalars)
  }
}
