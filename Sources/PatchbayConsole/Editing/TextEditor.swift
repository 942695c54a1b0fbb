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

  /// A text that another took the place of. Both are shared with the text that is edited.
  struct Change: Sendable, Equatable {
    /// Where both begin.
    var start: Place
    var removed: EditedLines
    var inserted: EditedLines
    /// Where the cursor stood.
    var before: Place
    var after: Place
    /// Typed letters join one change until something else is done.
    var joins: Bool
  }

  private(set) var lines: EditedLines
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
  var size: Int { lines.size }
  /// Rises with each change of the text; 0 is the text as it was given.
  private(set) var version = 0
  /// What was cut or copied here last.
  var clipboard = ""

  init(_ text: String = "", singleLine: Bool = false) {
    isSingleLine = singleLine
    lines = TextEditor.split(text, singleLine: singleLine)
    if singleLine { cursor = end }
  }

  /// Above this a text is not read at each key.
  static let largeSize = 256 << 10
  var isLarge: Bool { size > TextEditor.largeSize }

  /// Puts lines in the place of a range, whose ends need only be borders of scalars.
  ///
  /// - Returns: where they end.
  @discardableResult
  mutating func splice(_ range: Range<Place>, with new: EditedLines) -> Place {
    version += 1
    return lines.splice(range, with: new)
  }

  var text: String { lines.text }
  var isEmpty: Bool { lines.count == 1 && size == 0 }
  var canUndo: Bool { !done.isEmpty }

  /// The selected range in order; nil where nothing is selected.
  var selection: Range<Place>? {
    guard let anchor, anchor != cursor else { return nil }
    return min(anchor, cursor)..<max(anchor, cursor)
  }

  var selectedText: String? { selection.map { text(in: $0) } }

  func text(in range: Range<Place>) -> String { lines.part(range).text }

  var end: Place { lines.end }

  /// All of it, as one change that can be undone.
  mutating func replaceAll(with text: EditedLines) {
    let old = cursor
    replace(Place.start..<end, with: text)
    move(to: Place(line: min(old.line, lines.count - 1), offset: 0))
  }

  mutating func selectAll() {
    anchor = .start
    cursor = end
  }

  static func split(_ text: String, singleLine: Bool) -> EditedLines {
    let lines = EditedLines(text)
    guard singleLine, lines.count > 1 else { return lines }
    return EditedLines(lines.filter { !$0.isEmpty }.joined(separator: " "))
  }
}
