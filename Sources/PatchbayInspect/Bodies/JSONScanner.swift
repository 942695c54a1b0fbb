/// Cuts JSON text into the lines of its indented form, one at a time, from any line's beginning. It never refuses:
/// what is no JSON comes out as it stands.
struct JSONScanner {
  /// Where a line begins and what the scanner must know there.
  struct Position: Hashable, Sendable {
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

  /// What `scan` reports of a line; the token closure gets kind and byte range of each run.
  struct Line {
    var indent: Int
    var opens: Bool
    var next: Position
  }

  /// Scans the line at the position. Nil at the end of the text.
  func scan(_ start: Position, token: ((BodyLine.Kind, Range<Int>) -> Void)? = nil) -> Line? {
    var at = start.inString ? start.offset : skipSpace(start.offset)
    guard at < bytes.count else { return nil }
    let first = at
    var depth = start.depth
    var indent = depth
    if start.inString {
      let end = stringEnd(from: at)
      if end - at > Self.longest {
        let cut = cutPoint(at + Self.longest)
        token?(start.inKey ? .key : .string, at..<cut)
        return Line(
          indent: indent, opens: false,
          next: Position(offset: cut, depth: depth, inString: true, inKey: start.inKey))
      }
      token?(start.inKey ? .key : .string, at..<end)
      at = end
    }
    var hasValue = start.inString && !start.inKey
    while true {
      at = skipSpace(at)
      guard at < bytes.count, at - first <= 2 * Self.longest || at == first else { break }
      switch bytes[at] {
      case UInt8(ascii: "\""):
        if hasValue { return Line(indent: indent, opens: false, next: Position(offset: at, depth: depth)) }
        let end = stringEnd(from: at + 1)
        let isKey = isColon(after: end)
        if end - at > Self.longest {
          let cut = cutPoint(at + Self.longest)
          token?(isKey ? .key : .string, at..<cut)
          return Line(
            indent: indent, opens: false, next: Position(offset: cut, depth: depth, inString: true, inKey: isKey))
        }
        token?(isKey ? .key : .string, at..<end)
        hasValue = !isKey
        at = end
      case UInt8(ascii: ":"):
        token?(.punctuation, at..<at + 1)
        hasValue = false
        at += 1
      case UInt8(ascii: ","):
        token?(.punctuation, at..<at + 1)
        return Line(indent: indent, opens: false, next: Position(offset: at + 1, depth: depth))
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if hasValue { return Line(indent: indent, opens: false, next: Position(offset: at, depth: depth)) }
        let inner = skipSpace(at + 1)
        if inner < bytes.count, bytes[inner] == bytes[at] + 2 {
          token?(.punctuation, at..<at + 1)
          token?(.punctuation, inner..<inner + 1)
          hasValue = true
          at = inner + 1
          continue
        }
        token?(.punctuation, at..<at + 1)
        return Line(indent: indent, opens: true, next: Position(offset: at + 1, depth: depth + 1))
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if at != first { return Line(indent: indent, opens: false, next: Position(offset: at, depth: depth)) }
        depth = max(0, depth - 1)
        indent = depth
        token?(.punctuation, at..<at + 1)
        hasValue = true
        at += 1
      default:
        if hasValue { return Line(indent: indent, opens: false, next: Position(offset: at, depth: depth)) }
        let end = bareEnd(from: at)
        token?(kind(of: bytes[at]), at..<end)
        hasValue = true
        at = end
      }
    }
    return Line(indent: indent, opens: false, next: Position(offset: at, depth: depth))
  }

  private func skipSpace(_ start: Int) -> Int {
    var at = start
    while at < bytes.count, bytes[at] == 0x20 || (bytes[at] >= 0x09 && bytes[at] <= 0x0D) { at += 1 }
    return at
  }

  /// Behind the closing quote, or the end of the text.
  private func stringEnd(from start: Int) -> Int {
    var at = start
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "\"") { return at + 1 }
      at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    return bytes.count
  }

  private func bareEnd(from start: Int) -> Int {
    var at = start
    while at < bytes.count, at - start < Self.longest {
      switch bytes[at] {
      case 0x20, 0x09...0x0D, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"),
        UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""):
        return max(at, start + 1)
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
