import Foundation

/// The charset that a document names in itself, where its type does not: `<meta charset>` and `http-equiv` of HTML
/// (WHATWG HTML §13.2.3.2), `encoding` of XML's declaration (XML 1.0 §4.3.3).
enum DeclaredCharset {
  /// It is looked for among the first bytes only.
  private static let reach = 1_024

  static func name(in body: Data, kind: BodyKind) -> String? {
    guard kind == .html || kind == .xml else { return nil }
    let head = String(decoding: body.prefix(reach), as: UTF8.self).lowercased()
    if head.hasPrefix("<?xml"), let end = head.range(of: "?>"),
      let found = value(after: "encoding", in: head[..<end.lowerBound])
    {
      return found
    }
    guard kind == .html else { return nil }
    var rest = head[...]
    while let start = rest.range(of: "<meta") {
      rest = rest[start.upperBound...]
      let tag = rest.prefix { $0 != ">" }
      if let found = value(after: "charset", in: tag) { return found }
    }
    return nil
  }

  /// What stands behind the word and an equals sign, without quotes.
  private static func value(after word: String, in text: Substring) -> String? {
    guard let place = text.range(of: word) else { return nil }
    let rest = text[place.upperBound...].drop { $0 == " " }
    guard rest.first == "=" else { return nil }
    let value = rest.dropFirst().drop { $0 == " " || $0 == "\"" || $0 == "'" }
      .prefix { $0.isLetter || $0.isNumber || "-_.:".contains($0) }
    return value.isEmpty ? nil : String(value)
  }
}
