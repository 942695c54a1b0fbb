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

  /// Parts of a `Character`, such as the letter under a mark, are no place.
  func places(of needle: String) -> [Range<Place>] {
    guard !needle.isEmpty else { return [] }
    return lines.indices.flatMap { line in
      offsets(of: needle, in: line).map {
        Place(line: line, offset: $0.lowerBound)..<Place(line: line, offset: $0.upperBound)
      }
    }
  }

  private func offsets(of needle: String, in line: Int) -> [Range<Int>] {
    let text = lines[line]
    return text.ranges(of: needle, exactCase: needle.contains(where: \.isUppercase)).filter {
      text.isBorder($0.lowerBound) && text.isBorder($0.upperBound)
    }
  }

  /// Replaces every place of a text, as one change.
  ///
  /// - Returns: how many there were.
  mutating func replaceAll(_ needle: String, with replacement: String) -> Int {
    guard !needle.isEmpty else { return 0 }
    var count = 0
    let changed = lines.indices.map { line -> String in
      let found = offsets(of: needle, in: line)
      guard !found.isEmpty else { return lines[line] }
      count += found.count
      var text = ""
      var start = 0
      for range in found {
        text += lines[line].part(start..<range.lowerBound)
        text += replacement
        start = range.upperBound
      }
      return text + lines[line].part(start..<lines[line].utf8.count)
    }
    guard count > 0 else { return 0 }
    replace(Place.start..<end, with: changed.joined(separator: "\n"))
    return count
  }
}
