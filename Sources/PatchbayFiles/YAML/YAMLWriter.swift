import PatchbayStubs

/// Writes JSON values as people write YAML: block style, quotes only where they are needed, long texts under `|`.
/// What it writes reads back as the same value.
package enum YAMLWriter {
  /// The lines of a value, without line ends.
  package static func lines(_ value: JSONValue) -> [String] {
    switch value {
    case .object(let members) where !members.isEmpty: return members.flatMap { entry($0) }
    case .array(let elements) where !elements.isEmpty: return elements.flatMap { item($0) }
    default: return block(value) ?? [scalar(value)]
    }
  }

  /// `key: value`, over as many lines as it needs.
  package static func entry(_ member: JSONValue.Member) -> [String] {
    let name = key(member.name)
    switch member.value {
    case .object(let members) where !members.isEmpty: return [name + ":"] + indented(lines(member.value))
    case .array(let elements) where !elements.isEmpty:
      if let flow = flow(elements) { return ["\(name): \(flow)"] }
      return [name + ":"] + lines(member.value)
    default:
      guard let block = block(member.value) else { return ["\(name): \(scalar(member.value))"] }
      return ["\(name): \(block[0])"] + indented(Array(block.dropFirst()))
    }
  }

  /// `- value`
  package static func item(_ value: JSONValue) -> [String] {
    let inner = lines(value)
    if case .string = value, inner.count > 1 { return ["- \(inner[0])"] + indented(Array(inner.dropFirst())) }
    return inner.enumerated().map { offset, line in
      offset == 0 ? "- " + line : line.isEmpty ? line : "  " + line
    }
  }

  static func indented(_ lines: [String]) -> [String] { lines.map { $0.isEmpty ? $0 : "  " + $0 } }

  // MARK: - Scalars

  private static func scalar(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let digits): digits
    case .string(let text): isPlain(text) ? text : quoted(text)
    case .array(let elements): elements.isEmpty ? "[]" : value.compact
    case .object(let members): members.isEmpty ? "{}" : value.compact
    }
  }

  /// A single value as it may stand on its line, also between brackets; nil for a text of several lines in block style,
  /// which is better written as one.
  static func inline(_ value: JSONValue, inFlow: Bool) -> String? {
    guard case .string(let text) = value else { return scalar(value) }
    if text.contains("\n"), !inFlow { return nil }
    return inFlow && isPlain(text) && text.contains(where: { ",[]{}:".contains($0) }) ? quoted(text) : scalar(value)
  }

  private static func key(_ name: String) -> String { isPlain(name) ? name : quoted(name) }

  /// A short list of plain scalars on one line.
  private static func flow(_ elements: [JSONValue]) -> String? {
    var parts: [String] = []
    for element in elements {
      switch element {
      case .array, .object: return nil
      case .string(let text) where isPlain(text) && text.contains(where: { ",[]{}".contains($0) }):
        parts.append(quoted(text))
      case .string(let text) where text.contains("\n"): return nil
      default: parts.append(scalar(element))
      }
    }
    let joined = parts.joined(separator: ", ")
    return joined.count <= 60 ? "[\(joined)]" : nil
  }

  /// A text of several lines under `|`: the sign, then the lines.
  private static func block(_ value: JSONValue) -> [String]? {
    guard case .string(let text) = value, text.contains("\n"),
      text.unicodeScalars.allSatisfy({ isPrintable($0) || $0 == "\n" })
    else { return nil }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    guard let first = lines.first(where: { !$0.isEmpty }), first.first != " ", first.first != "\t" else { return nil }
    // Lines of spaces only, and line ends of other kinds, would not come back as they were.
    guard !lines.contains(where: { !$0.isEmpty && $0.allSatisfy { $0 == " " || $0 == "\t" } }) else { return nil }
    var trailing = 0
    while lines.last?.isEmpty == true {
      lines.removeLast()
      trailing += 1
    }
    // Empty lines at its end would be one with those that part it from what follows.
    guard trailing <= 1 else { return nil }
    return [trailing == 0 ? "|-" : "|"] + lines
  }

  /// Whether the text may stand without quotes, anywhere in block style, for readers of YAML 1.1 too.
  static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return false }
    guard CoreSchema.kind(of: text) == .text, !isOldKeyword(text), !looksLikeNumber(text) else { return false }
    if "-?:,[]{}#&*!|>'\"%@`=<. \t".unicodeScalars.contains(first) || last == " " || last == ":" { return false }
    var previous: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      guard isPrintable(scalar), scalar != "\t", scalar != "\u{FEFF}" else { return false }
      if scalar == " ", previous == ":" { return false }
      if scalar == "#", previous == " " { return false }
      previous = scalar
    }
    return text.utf8.count <= 500
  }

  /// Words and forms that YAML 1.1 takes for something else.
  private static func isOldKeyword(_ text: String) -> Bool {
    ["y", "n", "yes", "no", "on", "off", "true", "false", "null"].contains(text.lowercased())
  }

  /// Dates, times, version numbers, 1_000, 0b1: better in quotes.
  private static func looksLikeNumber(_ text: String) -> Bool {
    guard let first = text.utf8.first, (0x30...0x39).contains(first) || first == UInt8(ascii: "+") else { return false }
    return text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-_.,:bBeExXoOTZ ".utf8.contains($0) }
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x20...0x7E, 0xA0...0x2027, 0x202F...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x1_0000...0x10_FFFF:
      // Marks that change the direction of text are better seen.
      return scalar.value != 0x061C && !(0x200E...0x200F).contains(scalar.value)
        && !(0x2066...0x2069).contains(scalar.value)
    default: return false
    }
  }

  /// In double quotes, all that is not printable as an escape.
  static func quoted(_ text: String) -> String {
    text.doubleQuoted { scalar in
      if isPrintable(scalar) { return nil }
      // All beyond the first plane is printable.
      let hex = String(scalar.value, radix: 16, uppercase: true)
      return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
    }
  }
}
