extension EditedLines {
  /// The places of a text in one of the pieces, as offsets in it. Parts of a `Character`, such as the letter under a
  /// mark, are no place.
  func hits(of needle: TextNeedle, in piece: Int) -> [Range<Int>] { needle.ranges(in: pieces[piece].text) }

  /// The lines with another text in the place of every place of one.
  ///
  /// - Returns: them and how many places there were; nil for none.
  func replacing(_ needle: TextNeedle, with replacement: String) -> (lines: EditedLines, count: Int)? {
    var count = 0
    var changed: [TextPiece] = []
    changed.reserveCapacity(pieces.count)
    for piece in pieces {
      let hits = needle.ranges(in: piece.text)
      guard !hits.isEmpty else {
        changed.append(piece)
        continue
      }
      count += hits.count
      var text = ""
      text.reserveCapacity(piece.text.utf8.count + hits.count * (replacement.utf8.count - hits[0].count))
      var start = 0
      for hit in hits {
        text += piece.text.part(start..<hit.lowerBound)
        text += replacement
        start = hit.upperBound
      }
      text += piece.text.part(start..<piece.text.utf8.count)
      changed += TextPiece.pieces(of: text)
    }
    return count == 0 ? nil : (EditedLines(pieces: changed), count)
  }
}
