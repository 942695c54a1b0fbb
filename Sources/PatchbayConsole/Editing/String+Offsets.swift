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
}
