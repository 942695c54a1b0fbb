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
