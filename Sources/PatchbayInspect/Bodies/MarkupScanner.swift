/// Cuts XML and HTML into the lines of their indented form, one at a time, from any line's beginning. Elements that
/// hold only a short text stay on one line. It never refuses: what is no markup comes out as it stands.
struct MarkupScanner {
  /// What the line is in.
  enum Place: UInt8, Sendable {
    case content
    /// Text that was too long for one line.
    case text
    /// Attributes that were: the tag ends at `Position.limit`.
    case tag
    case comment
    case data
    case script
    case style
  }

  /// Where a line begins and what the scanner must know there.
  struct Position: LinePosition, Hashable, Sendable {
    var offset: Int
    var depth: Int
    var place = Place.content
    /// Behind the tag that goes on here.
    var limit = 0
    /// The line goes on the one before it.
    var continues = false
  }

  struct Line {
    var indent: Int
    var next: Position
    /// It opens an element that the next lines are in.
    var opens = false
    /// It is the end of an element.
    var closes = false
  }

  typealias Token = (BodyLine.Kind, Range<Int>) -> Void

  /// Text of one line is cut after that many bytes.
  static let longest = 2_000
  /// A text up to that many bytes stays between its tags.
  static let inline = 400
  /// The end of a tag is looked for within that many bytes.
  static let longestTag = 1 << 20

  static let void: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]

  let bytes: UnsafeBufferPointer<UInt8>

  /// Scans the line at the position. Nil at the end of the text.
  func scan(_ start: Position, token: Token? = nil) -> Line? {
    switch start.place {
    case .content: content(start, token)
    case .text: text(start, token)
    case .tag: restOfTag(start, token)
    case .comment: enclosed(start, "-->", .comment, token)
    case .data: enclosed(start, "]]>", .text, token)
    case .script: rawText(start, "</script", token)
    case .style: rawText(start, "</style", token)
    }
  }

  func content(_ start: Position, _ token: Token?) -> Line? {
    var position = start
    position.offset = skipSpace(start.offset)
    guard position.offset < bytes.count else { return nil }
    guard bytes[position.offset] == UInt8(ascii: "<") else { return text(position, token) }
    if has("<!--", at: position.offset) { return enclosed(position, "-->", .comment, token) }
    if has("<![CDATA[", at: position.offset) { return enclosed(position, "]]>", .text, token) }
    guard let end = tagEnd(from: position.offset) else { return text(position, token) }
    return tag(position, end, token)
  }

  // MARK: Text

  /// Up to the next tag or the end of the line.
  private func text(_ start: Position, _ token: Token?) -> Line? {
    let first = start.offset
    guard first < bytes.count else { return nil }
    let limit = min(bytes.count, first + Self.longest)
    // A `<` that begins no tag is text; so is one of a tag that never ends.
    var end = first + (bytes[first] == UInt8(ascii: "<") && start.place == .content ? 1 : 0)
    while end < limit, bytes[end] != 0x0A, !beginsTag(at: end) { end += 1 }
    var line = Line(indent: start.depth, next: Position(offset: end, depth: start.depth))
    if end == limit, limit < bytes.count, bytes[limit] != 0x0A, !beginsTag(at: limit) {
      end = cutPoint(limit)
      token?(.text, first..<end)
      line.next = Position(offset: end, depth: start.depth, place: .text, continues: true)
      return line
    }
    token?(.text, trimmed(first..<end))
    // What follows a long text may be nothing but the next tag.
    return trimmed(first..<end).isEmpty && start.place == .text
      ? scan(Position(offset: end, depth: start.depth), token: token) : line
  }

  /// A line of a comment or of CDATA.
  private func enclosed(_ start: Position, _ close: StaticString, _ kind: BodyLine.Kind, _ token: Token?) -> Line? {
    let first = start.place == .content || start.continues ? start.offset : skipSpace(start.offset)
    guard first < bytes.count else { return nil }
    let place: Place = kind == .comment ? .comment : .data
    let limit = min(bytes.count, first + Self.longest)
    var end = first
    while end < limit, bytes[end] != 0x0A {
      if has(close, at: end) {
        end += close.utf8CodeUnitCount
        token?(kind, first..<end)
        return Line(indent: start.depth, next: Position(offset: end, depth: start.depth))
      }
      end += 1
    }
    let isCut = end == limit && limit < bytes.count && bytes[limit] != 0x0A
    if isCut { end = cutPoint(limit) }
    token?(kind, isCut ? first..<end : trimmed(first..<end))
    return Line(
      indent: start.depth, next: Position(offset: end, depth: start.depth, place: place, continues: isCut))
  }

  /// A line of a script or a style sheet.
  private func rawText(_ start: Position, _ close: StaticString, _ token: Token?) -> Line? {
    let first = start.continues ? start.offset : skipSpace(start.offset)
    guard first < bytes.count else { return nil }
    let limit = min(bytes.count, first + Self.longest)
    var end = first
    while end < limit, bytes[end] != 0x0A, !has(close, at: end) { end += 1 }
    if has(close, at: end) {
      let position = Position(offset: end, depth: start.depth)
      let inner = trimmed(first..<end)
      if inner.isEmpty { return content(position, token) }
      token?(.text, inner)
      return Line(indent: start.depth, next: position)
    }
    let isCut = end == limit && limit < bytes.count && bytes[limit] != 0x0A
    if isCut { end = cutPoint(limit) }
    token?(.text, isCut ? first..<end : trimmed(first..<end))
    return Line(
      indent: start.depth, next: Position(offset: end, depth: start.depth, place: start.place, continues: isCut))
  }
}

/// What the scanner asks of single bytes.
extension MarkupScanner {
  func skipSpace(_ start: Int) -> Int {
    var at = start
    while at < bytes.count, isSpace(bytes[at]) { at += 1 }
    return at
  }

  func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, isSpace(bytes[start]) { start += 1 }
    while end > start, isSpace(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  /// Whether a text of lower case letters stands there, in any case.
  func has(_ text: StaticString, at start: Int) -> Bool {
    guard start < bytes.count, start + text.utf8CodeUnitCount <= bytes.count else { return false }
    for place in 0..<text.utf8CodeUnitCount {
      let wanted = text.utf8Start[place]
      guard bytes[start + place] == wanted || folded(bytes[start + place]) == wanted else { return false }
    }
    return true
  }

  func isSame(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { folded(bytes[$0]) == folded(bytes[$1]) }
  }

  func folded(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

  /// A name that is short enough to be one that counts.
  func lowercased(_ range: Range<Int>) -> String {
    range.count > 8 ? "" : String(decoding: range.map { folded(bytes[$0]) }, as: UTF8.self)
  }

  /// Not within a character.
  func cutPoint(_ offset: Int) -> Int {
    var at = min(offset, bytes.count)
    while at < bytes.count, at > 0, bytes[at] & 0xC0 == 0x80 { at -= 1 }
    return at
  }
}
