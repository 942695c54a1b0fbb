/// Text that a person edits: lines, a cursor, a selection, undo. A value; it draws nothing and reads no keys.
///
/// Places are a line and a UTF-8 offset in it, always at the border of a `Character`, so that a family emoji or a
/// letter with its marks is one step of the cursor.
struct TextEditor: Sendable, Equatable {
  struct Place: Sendable, Equatable, Comparable {
    var line: Int
    /// Bytes of UTF-8 from the line's start.
    var offset: Int

    static let start = Place(line: 0, offset: 0)

    static func < (left: Place, right: Place) -> Bool {
      (left.line, left.offset) < (right.line, right.offset)
    }
  }

  /// Some lines that others took the place of.
  struct Change: Sendable, Equatable {
    var line: Int
    var removed: [String]
    var inserted: [String]
    var before: Place
    var after: Place
    /// Typed letters join one change until something else is done.
    var joins: Bool
  }

  /// Never empty; without line ends.
  var lines: [String]
  var cursor = Place.start
  /// Where the selection began; it reaches to the cursor.
  var anchor: Place?
  /// One line only: line ends become spaces.
  let isSingleLine: Bool
  /// The column that up and down aim for.
  var aim: Int?
  var undone: [Change] = []
  var done: [Change] = []
  /// Bytes of UTF-8 in all lines, without their ends.
  private(set) var size = 0
  /// Rises with each change of the text; 0 is the text as it was given.
  private(set) var version = 0
  /// What was cut or copied here last.
  var clipboard = ""

  init(_ text: String = "", singleLine: Bool = false) {
    isSingleLine = singleLine
    lines = TextEditor.split(text, singleLine: singleLine)
    if singleLine { cursor = Place(line: 0, offset: lines[0].utf8.count) }
    size = TextEditor.size(lines)
  }

  /// Above this a text is not read at each key.
  static let largeSize = 256 << 10
  var isLarge: Bool { size > TextEditor.largeSize }

  private static func size(_ lines: [String]) -> Int { lines.reduce(0) { $0 + $1.utf8.count } }

  /// Puts lines in the place of others.
  mutating func swapLines(at line: Int, _ old: [String], for new: [String]) {
    lines.replaceSubrange(line..<(line + old.count), with: new)
    size += TextEditor.size(new) - TextEditor.size(old)
    version += 1
  }

  var text: String { lines.joined(separator: "\n") }
  var isEmpty: Bool { lines.count == 1 && lines[0].isEmpty }
  var canUndo: Bool { !done.isEmpty }

  /// The selected range in order; nil where nothing is selected.
  var selection: Range<Place>? {
    guard let anchor, anchor != cursor else { return nil }
    return min(anchor, cursor)..<max(anchor, cursor)
  }

  var selectedText: String? { selection.map { text(in: $0) } }

  func text(in range: Range<Place>) -> String {
    let first = lines[range.lowerBound.line]
    let start = first.index(atUTF8: range.lowerBound.offset)
    guard range.lowerBound.line != range.upperBound.line else {
      return String(first[start..<first.index(atUTF8: range.upperBound.offset)])
    }
    let last = lines[range.upperBound.line]
    var parts = [String(first[start...])]
    parts += lines[(range.lowerBound.line + 1)..<range.upperBound.line]
    parts.append(String(last[..<last.index(atUTF8: range.upperBound.offset)]))
    return parts.joined(separator: "\n")
  }

  var end: Place { Place(line: lines.count - 1, offset: lines[lines.count - 1].utf8.count) }

  /// All of it, as one change that can be undone.
  mutating func replaceAll(with text: String) {
    let old = cursor
    replace(Place.start..<end, with: text)
    move(to: Place(line: min(old.line, lines.count - 1), offset: 0))
  }

  mutating func selectAll() {
    anchor = .start
    cursor = end
  }

  static func split(_ text: String, singleLine: Bool) -> [String] {
    let unified = text.contains("\r") ? text.replacingLineEnds() : text
    guard !singleLine else {
      return [unified.contains("\n") ? unified.split(separator: "\n").joined(separator: " ") : unified]
    }
    return unified.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}

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

  fileprivate func replacingLineEnds() -> String {
    var scalars = String.UnicodeScalarView()
    var afterReturn = false
    for scalar in unicodeScalars {
      if scalar == "\r" {
        scalars.append("\n")
      } else if scalar != "\n" || !afterReturn {
        scalars.append(scalar)
      }
      afterReturn = scalar == "\r"
    }
    return String(scalars)
  }
}
