/// A text that is looked for; letter case counts only if it has capitals, and only A to Z are folded.
struct TextNeedle: Sendable {
  private let wanted: [UInt8]
  private let exactCase: Bool

  init(_ text: String) {
    exactCase = text.contains(where: \.isUppercase)
    wanted = exactCase ? Array(text.utf8) : text.utf8.map(TextNeedle.folded)
  }

  var isEmpty: Bool { wanted.isEmpty }

  /// Where it stands, as ranges of UTF-8 offsets that do not overlap and, unless parts of a `Character` are wanted too,
  /// begin and end at borders of those.
  func ranges(in text: String, parts: Bool = false) -> [Range<Int>] {
    guard let first = wanted.first, text.utf8.count >= wanted.count else { return [] }
    let other = exactCase || !(0x61...0x7A).contains(first) ? first : first & 0xDF
    var text = text
    var unsure = false
    var found = text.withUTF8 { bytes in
      var found: [Range<Int>] = []
      var start = 0
      while start + wanted.count <= bytes.count {
        guard bytes[start] == first || bytes[start] == other, fits(bytes, at: start) else {
          start += 1
          continue
        }
        let end = start + wanted.count
        if !isSureBorder(bytes, start) || !isSureBorder(bytes, end) { unsure = true }
        found.append(start..<end)
        start = end
      }
      return found
    }
    if unsure, !parts { found.removeAll { !text.isBorder($0.lowerBound) || !text.isBorder($0.upperBound) } }
    return found
  }

  private func fits(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    for place in 1..<wanted.count where byte(bytes[start + place]) != wanted[place] { return false }
    return true
  }

  /// Whether a `Character` certainly begins at an offset: between ASCII, which the standard library need not be asked
  /// about (it takes about 0.2 µs a place).
  private func isSureBorder(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
    guard offset > 0, offset < bytes.count else { return true }
    return bytes[offset - 1] < 0x80 && bytes[offset] < 0x80 && bytes[offset - 1] != 0x0D
  }

  private func byte(_ byte: UInt8) -> UInt8 { exactCase ? byte : TextNeedle.folded(byte) }

  private static func folded(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}

extension TextEditor {
  /// The next place of a text after the cursor, from the top again at the end; letter case counts only if the text
  /// has capitals. Selects it.
  ///
  /// - Returns: which one it is and how many there are; nil where there is none.
  @discardableResult
  mutating func find(_ text: String) -> (index: Int, count: Int)? {
    let needle = TextNeedle(text)
    let hits = lines.indices.flatMap { line in
      needle.ranges(in: lines[line]).map {
        Place(line: line, offset: $0.lowerBound)..<Place(line: line, offset: $0.upperBound)
      }
    }
    guard !hits.isEmpty else { return nil }
    // What is selected is not found again.
    let next: Int?
    if let selection {
      next = hits.firstIndex { $0.lowerBound > selection.lowerBound }
    } else {
      next = hits.firstIndex { $0.lowerBound >= cursor }
    }
    select(hits[next ?? 0])
    return (next ?? 0, hits.count)
  }

  /// Replaces every place of a text, as one change; the cursor stays in its line.
  ///
  /// - Returns: how many there were; 0, too, where the text would become too large.
  mutating func replaceAll(_ text: String, with replacement: String) -> Int {
    guard let (changed, count) = lines.replacing(TextNeedle(text), with: replacement), replaceAll(with: changed) else {
      return 0
    }
    return count
  }
}

/// Places in a text as offsets in its UTF-8. Long texts are read as bytes, for walking `Character`s is slow.
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
}
