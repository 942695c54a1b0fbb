/// A `Content-Type` taken apart (RFC 9110 §8.3).
public struct MediaType: Hashable, Sendable {
  /// Lower case, such as `application/json`.
  public var essence: String
  /// Names in lower case.
  public var parameters: [String: String]

  public init(_ value: String) {
    let parts = Self.split(value)
    essence = parts.first.map { $0.trimmed.lowercased() } ?? ""
    parameters = [:]
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "=") else { continue }
      let name = part[..<equals].trimmed.lowercased()
      parameters[name] = Self.unquoted(part[part.index(after: equals)...].trimmed)
    }
  }

  public var charset: String? { parameters["charset"]?.lowercased() }

  /// At semicolons that stand in no quotes.
  private static func split(_ value: String) -> [Substring] {
    var isQuoted = false
    return value.split(omittingEmptySubsequences: false) { character in
      if character == "\"" { isQuoted.toggle() }
      return character == ";" && !isQuoted
    }
  }

  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    return String(text.dropFirst().dropLast()).replacing("\\\"", with: "\"")
  }
}

extension StringProtocol {
  /// Without white space at both ends.
  var trimmed: String {
    let start = drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
