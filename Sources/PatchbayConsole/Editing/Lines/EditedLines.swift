import Foundation

/// The lines of a text, without their ends: LF, CR or both.
///
/// They are kept in pieces that copies share, so that an old text is kept, and put back, at the cost of a few words,
/// and a letter of a text of many megabytes is changed without a copy of the rest.
package struct EditedLines: Sendable {
  /// Never empty.
  private(set) var pieces: [TextPiece]
  /// The first line of each piece.
  private var firsts: [Int] = [0]
  package private(set) var count = 1
  /// Bytes of UTF-8 in all lines.
  private(set) var size = 0

  package init(_ text: String = "") {
    self.init(pieces: TextPiece.pieces(of: text.utf8.contains(0x0D) ? EditedLines.withLineFeeds(text) : text))
  }

  init(pieces: [TextPiece]) {
    self.pieces = pieces.isEmpty ? [TextPiece("")] : pieces
    index()
  }

  private mutating func index() {
    (count, size) = (0, 0)
    firsts.removeAll(keepingCapacity: true)
    for piece in pieces {
      firsts.append(count)
      count += piece.count
      size += piece.size
    }
  }

  private static func withLineFeeds(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var isAfterReturn = false
    for byte in text.utf8 {
      if byte != 0x0A || !isAfterReturn { bytes.append(byte == 0x0D ? 0x0A : byte) }
      isAfterReturn = byte == 0x0D
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Joined by line feeds.
  package var text: String {
    guard pieces.count > 1 else { return pieces[0].text }
    var text = ""
    text.reserveCapacity(size + count)
    for (place, piece) in pieces.enumerated() {
      if place > 0 { text += "\n" }
      text += piece.text
    }
    return text
  }

  /// The piece in which a line is, and which of its lines that is.
  private func place(of line: Int) -> (piece: Int, line: Int) {
    var (low, high) = (0, firsts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if firsts[middle] <= line { low = middle } else { high = middle }
    }
    return (low, line - firsts[low])
  }

  /// The piece in which a place is, and the offset in its text.
  func spot(_ place: TextEditor.Place) -> (piece: Int, offset: Int) {
    let (piece, line) = self.place(of: place.line)
    return (piece, pieces[piece].starts[line] + place.offset)
  }

  /// The place of an offset in the text of a piece.
  func place(piece: Int, offset: Int) -> TextEditor.Place {
    let line = pieces[piece].line(at: offset)
    return TextEditor.Place(line: firsts[piece] + line, offset: offset - pieces[piece].starts[line])
  }

  /// Bytes of UTF-8 in a line.
  func size(of line: Int) -> Int {
    let (piece, line) = place(of: line)
    return pieces[piece].range(of: line).count
  }

  var end: TextEditor.Place { TextEditor.Place(line: count - 1, offset: size(of: count - 1)) }

  // MARK: Parts

  mutating func append(_ text: EditedLines) { splice(end..<end, with: text) }

  /// What is between two places at borders of scalars.
  func part(_ range: Range<TextEditor.Place>) -> EditedLines {
    let (first, last) = (spot(range.lowerBound), spot(range.upperBound))
    let end = pieces[last.piece].text.utf8.count
    if first.offset == 0, first.piece == 0, last.offset == end, last.piece == pieces.count - 1 { return self }
    if first.piece == last.piece {
      return EditedLines(pieces: [TextPiece(String(pieces[first.piece].text.part(first.offset..<last.offset)))])
    }
    let head = pieces[first.piece]
    let tail = pieces[last.piece]
    var part = [first.offset == 0 ? head : TextPiece(String(head.text.part(first.offset..<head.text.utf8.count)))]
    part += pieces[(first.piece + 1)..<last.piece]
    part.append(last.offset == end ? tail : TextPiece(String(tail.text.part(0..<last.offset))))
    return EditedLines(pieces: part)
  }

  /// Puts lines in the place of a range, whose ends need only be borders of scalars.
  ///
  /// - Returns: where they end.
  @discardableResult
  mutating func splice(_ range: Range<TextEditor.Place>, with new: EditedLines) -> TextEditor.Place {
    let (first, last) = (spot(range.lowerBound), spot(range.upperBound))
    let stop = range.lowerBound.after(new)
    if first.piece == last.piece, new.pieces.count == 1 {
      let before = (count: pieces[first.piece].count, size: pieces[first.piece].size)
      pieces[first.piece].replace(first.offset..<last.offset, with: new.pieces[0].text)
      if pieces[first.piece].isTooLong {
        pieces.replaceSubrange(first.piece...first.piece, with: TextPiece.pieces(of: pieces[first.piece].text))
        index()
      } else if pieces[first.piece].count == before.count {
        size += pieces[first.piece].size - before.size
      } else {
        index()
      }
      return stop
    }
    let head = pieces[first.piece].text.part(0..<first.offset)
    let tail = pieces[last.piece].text.part(last.offset..<pieces[last.piece].text.utf8.count)
    let middle =
      new.pieces.count == 1
      ? TextPiece.pieces(of: head + new.pieces[0].text + tail)
      : EditedLines.joined(head, new.pieces[0], "") + new.pieces.dropFirst().dropLast()
        + EditedLines.joined("", new.pieces[new.pieces.count - 1], tail)
    pieces.replaceSubrange(first.piece...last.piece, with: middle)
    index()
    return stop
  }

  private static func joined(_ head: Substring, _ piece: TextPiece, _ tail: Substring) -> [TextPiece] {
    head.isEmpty && tail.isEmpty ? [piece] : TextPiece.pieces(of: head + piece.text + tail)
  }
}

extension EditedLines: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(line: Int) -> String {
    let (piece, line) = place(of: line)
    return pieces[piece].line(line)
  }
}

extension EditedLines: Equatable {
  /// Byte for byte. Pieces that both share are not read.
  package static func == (left: EditedLines, right: EditedLines) -> Bool {
    guard left.count == right.count, left.size == right.size else { return false }
    let shared = Swift.min(left.pieces.count, right.pieces.count)
    let front = (0..<shared).first { !isSame(left.pieces[$0], right.pieces[$0]) } ?? shared
    if front == left.pieces.count, front == right.pieces.count { return true }
    let (rest, other) = (EditedLines(pieces: Array(left.pieces[front...])), Array(right.pieces[front...]))
    return rest.text.utf8.elementsEqual(EditedLines(pieces: other).text.utf8)
  }

  private static func isSame(_ left: TextPiece, _ right: TextPiece) -> Bool {
    guard left.text.utf8.count == right.text.utf8.count else { return false }
    var (left, right) = (left.text, right.text)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard let one = left.baseAddress, let other = right.baseAddress else { return left.isEmpty && right.isEmpty }
        return one == other || memcmp(one, other, left.count) == 0
      }
    }
  }
}

extension TextEditor.Place {
  /// The place behind a text that begins here.
  func after(_ text: EditedLines) -> TextEditor.Place {
    text.count == 1
      ? TextEditor.Place(line: line, offset: offset + text.size)
      : TextEditor.Place(line: line + text.count - 1, offset: text.end.offset)
  }
}
