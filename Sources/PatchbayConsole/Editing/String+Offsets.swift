/// Places in a text as offsets in its UTF-8. Texts of many megabytes are read as bytes, for `Character`s take long.
extension String {
  /// The index at an offset in UTF-8, moved down to the border of a `Character`.
  func index(atUTF8 offset: Int) -> Index {
    let index = utf8.index(startIndex, offsetBy: max(0, min(offset, utf8.count)))
    return index == endIndex ? index : self.index(characterAt: index)
  }

  private func index(characterAt index: Index) -> Index {
    guard let scalar = index.samePosition(in: unicodeScalars) else {
      return self.index(before: self.index(after: index))
    }
    if let same = String.Index(scalar, within: self) { return same }
    return self.index(before: self.index(after: scalar))
  }

  func offset(of index: Index) -> Int { utf8.distance(from: startIndex, to: index) }

  /// Whether a `Character` begins at the offset, or the text ends there.
  func isBorder(_ offset: Int) -> Bool { self.offset(of: index(atUTF8: offset)) == offset }

  /// The offset, or the next one at which a `Character` begins.
  func border(from offset: Int) -> Int {
    let index = index(atUTF8: offset)
    let found = self.offset(of: index)
    return found >= offset || index == endIndex ? found : self.offset(of: self.index(after: index))
  }

  /// The text between two offsets at borders of scalars.
  func part(_ range: Range<Int>) -> Substring { self[indices(range)] }

  /// Puts a text between two offsets at borders of scalars, without a copy of the rest where nobody else has it.
  mutating func replace(_ range: Range<Int>, with text: String) { replaceSubrange(indices(range), with: text) }

  private func indices(_ range: Range<Int>) -> Range<Index> {
    utf8.index(startIndex, offsetBy: range.lowerBound)..<utf8.index(startIndex, offsetBy: range.upperBound)
  }

  /// The lines, each without its end: LF, CR or both.
  func splitLines() -> [String] {
    var text = self
    let found = text.withUTF8 { bytes -> [String]? in
      guard bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
      var lines: [String] = []
      lines.reserveCapacity(bytes.count { $0 == 0x0A } + 1)
      var start = 0
      for place in bytes.indices where bytes[place] == 0x0A || bytes[place] == 0x0D {
        if bytes[place] == 0x0A, place > 0, bytes[place - 1] == 0x0D {
          start = place + 1
          continue
        }
        lines.append(String(decoding: bytes[start..<place], as: UTF8.self))
        start = place + 1
      }
      lines.append(String(decoding: bytes[start...], as: UTF8.self))
      return lines
    }
    return found ?? [self]
  }

  /// Where a text stands, as ranges of UTF-8 offsets that do not overlap. Only A to Z are folded.
  func ranges(of needle: String, exactCase: Bool) -> [Range<Int>] {
    let wanted = Array(needle.utf8).map { exactCase ? $0 : String.folded($0) }
    guard let first = wanted.first, utf8.count >= wanted.count else { return [] }
    let other = exactCase || !(0x61...0x7A).contains(first) ? first : first & 0xDF
    var text = self
    return text.withUTF8 { bytes in
      var found: [Range<Int>] = []
      var start = 0
      while start + wanted.count <= bytes.count {
        guard bytes[start] == first || bytes[start] == other else {
          start += 1
          continue
        }
        var length = 1
        while length < wanted.count,
          (exactCase ? bytes[start + length] : String.folded(bytes[start + length])) == wanted[length]
        {
          length += 1
        }
        guard length == wanted.count else {
          start += 1
          continue
        }
        found.append(start..<(start + length))
        start += length
      }
      return found
    }
  }

  static func folded(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
