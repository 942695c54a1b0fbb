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

  /// A text that another took the place of.
  struct Change: Sendable, Equatable {
    /// Where both begin.
    var start: Place
    var removed: String
    var inserted: String
    /// Where the cursor stood.
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

  /// Puts lines in the place of a range, whose ends need only be borders of scalars. A line is changed where it is, for
  /// it may have many megabytes.
  ///
  /// - Returns: where they end.
  @discardableResult
  mutating func splice(_ range: Range<Place>, with new: [String]) -> Place {
    let (first, last) = (range.lowerBound.line, range.upperBound.line)
    let head = range.lowerBound.offset
    version += 1
    guard first != last || new.count > 1 else {
      lines[first].replace(head..<range.upperBound.offset, with: new[0])
      size += new[0].utf8.count - (range.upperBound.offset - head)
      return Place(line: first, offset: head + new[0].utf8.count)
    }
    let old = lines[first...last].reduce(0) { $0 + $1.utf8.count }
    let tail = String(lines[last].part(range.upperBound.offset..<lines[last].utf8.count))
    lines[first].replace(head..<lines[first].utf8.count, with: new[0])
    lines.replaceSubrange((first + 1)..<(last + 1), with: new.dropFirst())
    let stop = Place(line: first + new.count - 1, offset: lines[first + new.count - 1].utf8.count)
    lines[stop.line] += tail
    size += lines[first...stop.line].reduce(0) { $0 + $1.utf8.count } - old
    return stop
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
    let (first, last) = (range.lowerBound, range.upperBound)
    guard first.line != last.line else { return String(lines[first.line].part(first.offset..<last.offset)) }
    var parts = [String(lines[first.line].part(first.offset..<lines[first.line].utf8.count))]
    parts += lines[(first.line + 1)..<last.line]
    parts.append(String(lines[last.line].part(0..<last.offset)))
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
    let lines = text.splitLines()
    return singleLine && lines.count > 1 ? [lines.filter { !$0.isEmpty }.joined(separator: " ")] : lines
  }
}
