extension TextEditor {
  /// The next place of a text after the cursor, from the top again at the end; letter case counts only if the text
  /// has capitals. Selects it.
  ///
  /// - Returns: which one it is and how many there are; nil where there is none.
  @discardableResult
  mutating func find(_ needle: String, backward: Bool = false) -> (index: Int, count: Int)? {
    let found = places(of: needle)
    guard !found.isEmpty else { return nil }
    let here = selection?.lowerBound ?? cursor
    let index: Int
    if backward {
      index = found.lastIndex { $0.lowerBound < here } ?? found.count - 1
    } else {
      let from = selection == nil ? here : Place(line: here.line, offset: here.offset + 1)
      index = found.firstIndex { $0.lowerBound >= from } ?? 0
    }
    select(found[index])
    return (index, found.count)
  }

  func places(of needle: String) -> [Range<Place>] {
    guard !needle.isEmpty else { return [] }
    let exact = needle.contains(where: \.isUppercase)
    return lines.indices.flatMap { line -> [Range<Place>] in
      lines[line].ranges(of: needle, exactCase: exact).map {
        Place(line: line, offset: $0.lowerBound)..<Place(line: line, offset: $0.upperBound)
      }
    }
  }

  /// Replaces every place of a text, as one change.
  ///
  /// - Returns: how many there were.
  mutating func replaceAll(_ needle: String, with replacement: String) -> Int {
    let found = places(of: needle)
    guard !found.isEmpty else { return 0 }
    var changed = lines
    for range in found.reversed() {
      let line = changed[range.lowerBound.line]
      let start = line.index(atUTF8: range.lowerBound.offset)
      let stop = line.index(atUTF8: range.upperBound.offset)
      changed[range.lowerBound.line] = line[..<start] + replacement + line[stop...]
    }
    replace(Place.start..<end, with: changed.joined(separator: "\n"))
    return found.count
  }
}

extension String {
  /// Where a text stands, as ranges of UTF-8 offsets that do not overlap. Only A to Z are folded.
  func ranges(of needle: String, exactCase: Bool) -> [Range<Int>] {
    let haystack = Array(utf8)
    let wanted = Array(needle.utf8).map { exactCase ? $0 : String.folded($0) }
    guard !wanted.isEmpty, haystack.count >= wanted.count else { return [] }
    var found: [Range<Int>] = []
    var start = 0
    while start + wanted.count <= haystack.count {
      var length = 0
      while length < wanted.count,
        (exactCase ? haystack[start + length] : String.folded(haystack[start + length])) == wanted[length]
      {
        length += 1
      }
      if length == wanted.count {
        found.append(start..<(start + length))
        start += length
      } else {
        start += 1
      }
    }
    return found
  }

  static func folded(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
