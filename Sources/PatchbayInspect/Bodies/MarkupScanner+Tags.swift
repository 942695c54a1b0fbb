/// Tags, and how far they reach.
extension MarkupScanner {
  func tag(_ start: Position, _ end: Int, _ token: Token?) -> Line {
    let at = start.offset
    let isClosing = bytes[at + 1] == UInt8(ascii: "/")
    let depth = isClosing ? max(0, start.depth - 1) : start.depth
    var line = Line(indent: depth, next: Position(offset: end, depth: depth), closes: isClosing)
    let name = name(at: at)
    let isAlone =
      isClosing || bytes[at + 1] == UInt8(ascii: "!") || bytes[at + 1] == UInt8(ascii: "?")
      || bytes[end - 2] == UInt8(ascii: "/") || Self.void.contains(lowercased(name))
    guard end - at <= Self.longest else {
      let cut = cutPoint(at + Self.longest)
      runs(at..<cut, isWhole: false, token)
      line.opens = !isAlone
      line.next = Position(
        offset: cut, depth: isAlone ? depth : depth + 1, place: .tag, limit: end, continues: true)
      return line
    }
    runs(at..<end, isWhole: true, token)
    if isAlone { return line }
    if let close = inlineClose(from: end, name: name) {
      let inner = trimmed(end..<close.lowerBound)
      if !inner.isEmpty { token?(.text, inner) }
      runs(close, isWhole: true, token)
      line.next.offset = close.upperBound
      return line
    }
    line.opens = true
    line.next.depth = depth + 1
    let lower = lowercased(name)
    if lower == "script" { line.next.place = .script }
    if lower == "style" { line.next.place = .style }
    return line
  }

  func restOfTag(_ start: Position, _ token: Token?) -> Line? {
    guard start.offset < bytes.count else { return nil }
    let limit = min(start.limit, bytes.count)
    var line = Line(indent: start.depth, next: Position(offset: limit, depth: start.depth))
    guard limit - start.offset > Self.longest else {
      if limit - 1 > start.offset { token?(.attribute, start.offset..<(limit - 1)) }
      token?(.tag, (limit - 1)..<limit)
      return line
    }
    let cut = cutPoint(start.offset + Self.longest)
    token?(.attribute, start.offset..<cut)
    line.next = Position(offset: cut, depth: start.depth, place: .tag, limit: start.limit, continues: true)
    return line
  }

  /// `<name`, attributes and `>` of a tag.
  func runs(_ range: Range<Int>, isWhole: Bool, _ token: Token?) {
    guard let token else { return }
    var head = range.lowerBound + 1
    while head < range.upperBound, !isSpace(bytes[head]), bytes[head] != UInt8(ascii: ">") { head += 1 }
    token(.tag, range.lowerBound..<head)
    let end = isWhole ? range.upperBound - 1 : range.upperBound
    if end > head { token(.attribute, head..<end) }
    if end < range.upperBound { token(.tag, end..<range.upperBound) }
  }

  /// Behind the `>` that ends the tag; one inside quotes does not, unless they are never closed. Nil where there is none.
  func tagEnd(from start: Int) -> Int? {
    let limit = min(bytes.count, start + Self.longestTag)
    var quote: UInt8 = 0
    var first: Int?
    var at = start + 1
    guard beginsTag(at: start) else { return nil }
    while at < limit {
      let byte = bytes[at]
      at += 1
      if byte == UInt8(ascii: ">"), first == nil { first = at }
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return at
      }
    }
    return first
  }

  /// A `<` with what can follow it in a tag, such as a letter.
  func beginsTag(at place: Int) -> Bool {
    guard bytes[place] == UInt8(ascii: "<"), place + 1 < bytes.count else { return false }
    switch bytes[place + 1] {
    case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "_"), 0x80...:
      return true
    default: return false
    }
  }

  func name(at tag: Int) -> Range<Int> {
    var start = tag + 1
    if bytes[start] == UInt8(ascii: "/") { start += 1 }
    var end = start
    while end < bytes.count, !isSpace(bytes[end]), bytes[end] != UInt8(ascii: ">"), bytes[end] != UInt8(ascii: "/") {
      end += 1
    }
    return start..<end
  }

  /// The end tag of that name, where only a short text without line breaks stands before it.
  private func inlineClose(from start: Int, name: Range<Int>) -> Range<Int>? {
    var at = start
    while at < bytes.count, !beginsTag(at: at) {
      guard at - start < Self.inline else { return nil }
      at += 1
    }
    guard at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "/"), let end = tagEnd(from: at),
      end - at <= Self.longest, isSame(name, self.name(at: at))
    else { return nil }
    guard trimmed(start..<at).allSatisfy({ bytes[$0] != 0x0A }) else { return nil }
    return at..<end
  }
}
