extension TextEditor {
  /// The next place of a text after the cursor, from the top again at the end; letter case counts only if the text
  /// has capitals. Selects it.
  ///
  /// - Returns: which one it is and how many there are; nil where there is none.
  @discardableResult
  mutating func find(_ text: String, backward: Bool = false) -> (index: Int, count: Int)? {
    let needle = TextNeedle(text)
    let here = lines.spot(selection?.lowerBound ?? cursor)
    // What is selected is not found again.
    let from = selection == nil || backward ? here.offset : here.offset + 1
    var count = 0
    var (outermost, nearest): (Hit?, Hit?)
    for piece in lines.pieces.indices {
      let hits = lines.hits(of: needle, in: piece)
      defer { count += hits.count }
      guard let first = hits.first, let last = hits.last else { continue }
      if backward {
        outermost = Hit(index: count + hits.count - 1, piece: piece, range: last)
        guard piece <= here.piece,
          let place = piece < here.piece ? hits.count - 1 : hits.lastIndex(where: { $0.lowerBound < from })
        else { continue }
        nearest = Hit(index: count + place, piece: piece, range: hits[place])
      } else {
        outermost = outermost ?? Hit(index: 0, piece: piece, range: first)
        guard nearest == nil, piece >= here.piece,
          let place = piece > here.piece ? 0 : hits.firstIndex(where: { $0.lowerBound >= from })
        else { continue }
        nearest = Hit(index: count + place, piece: piece, range: hits[place])
      }
    }
    guard let hit = nearest ?? outermost else { return nil }
    select(
      lines.place(
        piece: hit.piece, offset: hit.range.lowerBound)..<lines.place(
          piece: hit.piece, offset: hit.range.upperBound))
    return (hit.index, count)
  }

  private struct Hit {
    var index: Int
    var piece: Int
    var range: Range<Int>
  }

  /// Replaces every place of a text, as one change; the cursor stays in its line.
  ///
  /// - Returns: how many there were.
  mutating func replaceAll(_ text: String, with replacement: String) -> Int {
    guard let (changed, count) = lines.replacing(TextNeedle(text), with: replacement) else { return 0 }
    replaceAll(with: changed)
    return count
  }
}
