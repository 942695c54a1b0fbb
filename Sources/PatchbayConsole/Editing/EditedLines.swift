import Foundation

/// The lines of a text, without their ends: LF, CR LF or CR. Never empty: an empty text is one empty line.
///
/// An array of strings is enough for what is edited here, which is at most `TextEditor.limit`: even where its storage is
/// shared, so that a letter costs a copy of 20,000 lines or of one line of 1 MiB, a key stays far below a frame.
struct EditedLines: Sendable {
  private var lines: [String]
  /// Bytes of UTF-8 in all lines.
  private(set) var size: Int

  init(_ text: String = "") { self.init(lines: EditedLines.split(text)) }

  private init(lines: [String]) {
    self.lines = lines
    size = lines.reduce(0) { $0 + $1.utf8.count }
  }

  private static func split(_ text: String) -> [String] {
    var text = text
    return text.withUTF8 { bytes in
      var lines: [String] = []
      var (start, place) = (0, 0)
      func end(at end: Int) {
        lines.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self))
      }
      while place < bytes.count {
        let byte = bytes[place]
        place += 1
        guard byte == 0x0A || byte == 0x0D else { continue }
        end(at: place - 1)
        if byte == 0x0D, place < bytes.count, bytes[place] == 0x0A { place += 1 }
        start = place
      }
      end(at: bytes.count)
      return lines
    }
  }

  /// Joined by line feeds.
  var text: String { lines.count == 1 ? lines[0] : lines.joined(separator: "\n") }

  /// Bytes of UTF-8 in the text, with a line feed for each line end.
  var textSize: Int { size + lines.count - 1 }

  /// Bytes of UTF-8 in a line.
  func size(of line: Int) -> Int { lines[line].utf8.count }

  var end: TextEditor.Place { TextEditor.Place(line: count - 1, offset: size(of: count - 1)) }

  mutating func append(_ text: EditedLines) { splice(end..<end, with: text) }

  /// What is between two places at borders of scalars.
  func part(_ range: Range<TextEditor.Place>) -> EditedLines {
    let (first, last) = (range.lowerBound, range.upperBound)
    if first.line == last.line {
      return EditedLines(lines: [String(lines[first.line].part(first.offset..<last.offset))])
    }
    let head = String(lines[first.line].part(first.offset..<size(of: first.line)))
    return EditedLines(
      lines: [head] + lines[(first.line + 1)..<last.line] + [String(lines[last.line].part(0..<last.offset))])
  }

  /// Puts lines in the place of a range, whose ends need only be borders of scalars.
  ///
  /// - Returns: where they end.
  @discardableResult
  mutating func splice(_ range: Range<TextEditor.Place>, with new: EditedLines) -> TextEditor.Place {
    let (first, last) = (range.lowerBound, range.upperBound)
    let stop = first.after(new)
    if first.line == last.line, new.count == 1 {
      lines[first.line].replace(first.offset..<last.offset, with: new.lines[0])
      size += new.size - (last.offset - first.offset)
      return stop
    }
    var middle = new.lines
    middle[0] = String(lines[first.line].part(0..<first.offset)) + middle[0]
    middle[middle.count - 1] += lines[last.line].part(last.offset..<size(of: last.line))
    let old = lines[first.line...last.line].reduce(0) { $0 + $1.utf8.count }
    size += middle.reduce(-old) { $0 + $1.utf8.count }
    lines.replaceSubrange(first.line...last.line, with: middle)
    return stop
  }

  /// The lines with another text, without line ends, in the place of every place of one.
  ///
  /// - Returns: them and how many places there were; nil for none.
  func replacing(_ needle: TextNeedle, with replacement: String) -> (lines: EditedLines, count: Int)? {
    var count = 0
    let changed = lines.map { line -> String in
      let hits = needle.ranges(in: line)
      guard !hits.isEmpty else { return line }
      count += hits.count
      var text = ""
      var start = 0
      for hit in hits {
        text += line.part(start..<hit.lowerBound)
        text += replacement
        start = hit.upperBound
      }
      return text + line.part(start..<line.utf8.count)
    }
    return count == 0 ? nil : (EditedLines(lines: changed), count)
  }
}

extension EditedLines: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { lines.count }

  subscript(line: Int) -> String { lines[line] }
}

extension EditedLines: Equatable {
  /// Byte for byte: an é of one scalar is not one of two.
  static func == (left: EditedLines, right: EditedLines) -> Bool {
    left.count == right.count && left.size == right.size
      && zip(left.lines, right.lines).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
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

/// The line ends of a text that is edited in lines without them: what was not touched goes out byte for byte.
struct LineEnds: Sendable, Equatable {
  /// Empty where every end is a plain line feed.
  private var lines: [Substring] = []
  /// One for each line but the last.
  private var ends: [String] = []

  init(_ text: String) {
    guard text.utf8.contains(0x0D) else { return }
    var start = text.utf8.startIndex
    while let place = text.utf8[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      let next = text.utf8.index(after: place)
      let isPair = text.utf8[place] == 0x0D && next < text.utf8.endIndex && text.utf8[next] == 0x0A
      lines.append(text[start..<place])
      ends.append(isPair ? "\r\n" : text.utf8[place] == 0x0D ? "\r" : "\n")
      start = isPair ? text.utf8.index(after: next) : next
    }
    lines.append(text[start...])
  }

  /// The edited lines as one text: those before and after the changed ones have their old ends, further ones the end
  /// of the line before them.
  func text(_ edited: EditedLines) -> String {
    guard !ends.isEmpty else { return edited.text }
    let shared = min(lines.count, edited.count)
    let before = (0..<shared).first { !lines[$0].utf8.elementsEqual(edited[$0].utf8) } ?? shared
    var after = 0
    while after < shared - before,
      lines[lines.count - 1 - after].utf8.elementsEqual(edited[edited.count - 1 - after].utf8)
    {
      after += 1
    }
    let lastChanged = max(before, lines.count - after) - 1
    var text = ""
    for place in edited.indices {
      text += edited[place]
      guard place < edited.count - 1 else { break }
      let old = place < edited.count - after ? min(place, lastChanged) : place - edited.count + lines.count
      text += ends[max(0, min(old, ends.count - 1))]
    }
    return text
  }
}
