/// Cuts JSON text into the lines of its indented form, one at a time, from any line's beginning. It never refuses:
/// what is no JSON comes out as it stands.
struct JSONScanner {
  /// Where a line begins and what the scanner must know there.
  struct Position: LinePosition, Hashable, Sendable {
    var offset: Int
    var depth: Int
    /// The line begins inside a string that was too long for one.
    var inString = false
    /// That string is a member's name.
    var inKey = false
  }

  /// Text of one line is cut after that many bytes.
  static let longest = 2_000

  let bytes: UnsafeBufferPointer<UInt8>

  /// A member's name is known by the colon behind it, which is looked for within that many bytes.
  static let longestName = 65_536

  /// What `scan` reports of a line; the token closure gets kind and byte range of each run.
  struct Line {
    var indent: Int
    var next: Position
    /// The first byte of its text.
    var first: UInt8
    /// It opens a container that the next lines are in.
    var opens = false
    /// That container is an array.
    var opensArray = false
    /// The first member's name on it.
    var key: Range<Int>?

    /// It begins with the end of a container.
    var closes: Bool { first == UInt8(ascii: "}") || first == UInt8(ascii: "]") }
  }

  /// Scans the line at the position. Nil at the end of the text.
  func scan(_ start: Position, token: ((BodyLine.Kind, Range<Int>) -> Void)? = nil) -> Line? {
    var at = start.inString ? start.offset : skipSpace(start.offset)
    guard at < bytes.count else { return nil }
    let first = at
    var line = Line(indent: start.depth, next: start, first: bytes[at])
    var depth = start.depth
    func end(_ offset: Int) -> Line {
      line.next = Position(offset: offset, depth: depth)
      return line
    }
    func cut(from: Int, isKey: Bool) -> Line {
      let offset = cutPoint(from + Self.longest)
      token?(isKey ? .key : .string, from..<offset)
      if isKey, line.key == nil { line.key = from..<offset }
      line.next = Position(offset: offset, depth: depth, inString: true, inKey: isKey)
      return line
    }
    if start.inString {
      guard let end = stringEnd(from: at, within: Self.longest) else { return cut(from: at, isKey: start.inKey) }
      token?(start.inKey ? .key : .string, at..<end)
      if start.inKey { line.key = at..<end }
      at = end
    }
    var hasValue = start.inString && !start.inKey
    while true {
      at = skipSpace(at)
      guard at < bytes.count, at - first <= 2 * Self.longest else { break }
      switch bytes[at] {
      case UInt8(ascii: "\""):
        if hasValue { return end(at) }
        let close = stringEnd(from: at + 1, within: Self.longestName)
        let isKey = close.map(isColon) ?? false
        guard let close, close - at <= Self.longest else { return cut(from: at, isKey: isKey) }
        token?(isKey ? .key : .string, at..<close)
        if isKey, line.key == nil { line.key = at..<close }
        hasValue = !isKey
        at = close
      case UInt8(ascii: ":"):
        token?(.punctuation, at..<at + 1)
        hasValue = false
        at += 1
      case UInt8(ascii: ","):
        token?(.punctuation, at..<at + 1)
        return end(at + 1)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if hasValue { return end(at) }
        let inner = skipSpace(at + 1)
        if inner < bytes.count, bytes[inner] == bytes[at] + 2 {
          token?(.punctuation, at..<at + 1)
          token?(.punctuation, inner..<inner + 1)
          hasValue = true
          at = inner + 1
          continue
        }
        token?(.punctuation, at..<at + 1)
        line.opens = true
        line.opensArray = bytes[at] == UInt8(ascii: "[")
        depth += 1
        return end(at + 1)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if at != first { return end(at) }
        depth = max(0, depth - 1)
        line.indent = depth
        token?(.punctuation, at..<at + 1)
        hasValue = true
        at += 1
      default:
        if hasValue { return end(at) }
        let close = bareEnd(from: at)
        token?(kind(of: bytes[at]), at..<close)
        hasValue = true
        at = close
      }
    }
    return end(at)
  }

  private func skipSpace(_ start: Int) -> Int {
    var at = start
    while at < bytes.count, bytes[at] == 0x20 || (bytes[at] >= 0x09 && bytes[at] <= 0x0D) { at += 1 }
    return at
  }

  /// Behind the closing quote, or the end of the text; nil where it is further away than that.
  private func stringEnd(from start: Int, within reach: Int) -> Int? {
    let limit = min(bytes.count, start + reach)
    var at = start
    while at < limit {
      if bytes[at] == UInt8(ascii: "\"") { return at + 1 }
      at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    return limit == bytes.count ? bytes.count : nil
  }

  private func bareEnd(from start: Int) -> Int {
    var at = start
    while at < bytes.count, at - start < Self.longest {
      switch bytes[at] {
      case 0x20, 0x09...0x0D, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"),
        UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""):
        return at
      default: at += 1
      }
    }
    return at < bytes.count ? cutPoint(at) : at
  }

  /// The nearest character boundary at or before the offset, and not inside an escape.
  private func cutPoint(_ offset: Int) -> Int {
    var at = min(offset, bytes.count)
    while at > 0, at < bytes.count, bytes[at] & 0xC0 == 0x80 { at -= 1 }
    var escape = at
    for back in 1...6 where at - back >= 0 && bytes[at - back] == UInt8(ascii: "\\") { escape = at - back }
    while escape > 0, escape < at, bytes[escape - 1] == UInt8(ascii: "\\") { escape -= 1 }
    return escape > offset - Self.longest + 8 ? escape : at
  }

  private func isColon(after end: Int) -> Bool {
    let at = skipSpace(end)
    return at < bytes.count && bytes[at] == UInt8(ascii: ":")
  }

  private func kind(of byte: UInt8) -> BodyLine.Kind {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): .literal
    default: .text
    }
  }
}

/// Makes `\uXXXX` escapes of printable characters readable; all other escapes stay as they stand.
enum JSONEscapes {
  static func readable(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")), text.contains("\\u") else { return text }
    var result = ""
    var rest = Substring(text)
    while let slash = rest.firstIndex(of: "\\") {
      result += rest[..<slash]
      rest = rest[slash...]
      if let (scalar, length) = scalar(at: rest) {
        result.unicodeScalars.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        result += rest.prefix(2)
        rest = rest.dropFirst(2)
      }
    }
    return result + rest
  }

  /// The character that the escape at the beginning stands for, where it is one to show, and the escape's length.
  private static func scalar(at text: Substring) -> (Unicode.Scalar, Int)? {
    guard let first = unit(text) else { return nil }
    if (0xD800..<0xDC00).contains(first), let second = unit(text.dropFirst(6)), (0xDC00..<0xE000).contains(second) {
      let value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
      return Unicode.Scalar(value).map { ($0, 12) }
    }
    guard first >= 0xA1, let scalar = Unicode.Scalar(first), !scalar.properties.isWhitespace,
      scalar.properties.generalCategory != .format
    else { return nil }
    return (scalar, 6)
  }

  private static func unit(_ text: Substring) -> UInt32? {
    let digits = text.dropFirst(2).prefix(4)
    guard text.hasPrefix("\\u"), digits.count == 4, digits.allSatisfy(\.isHexDigit) else { return nil }
    return UInt32(digits, radix: 16)
  }
}
