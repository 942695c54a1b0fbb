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
  fileprivate struct Change: Sendable, Equatable {
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
  private var undone: [Change] = []
  private var done: [Change] = []
  /// Whether the text was ever changed, be it back and forth.
  private(set) var isTouched: Bool
  /// Whether the last change was refused, because the text would have become larger than `limit`.
  var isFull = false
  /// What was cut or copied here last.
  var clipboard = ""

  init(_ text: String = "", singleLine: Bool = false, isTouched: Bool = false) {
    isSingleLine = singleLine
    self.isTouched = isTouched
    lines = TextEditor.split(text, singleLine: singleLine)
    if singleLine { cursor = end }
  }

  /// Bytes of a text that is edited here, at most; larger ones are for the person's own editor.
  static let limit = 1 << 20

  /// Bytes that the changes which can be undone keep, at most.
  fileprivate static let undoneLimit = 64 << 20

  /// Above this a text is not read at each key: it takes a frame.
  static let quickSize = 256 << 10
  var isQuick: Bool { lines.textSize <= TextEditor.quickSize }

  var text: String { lines.text }
  var isEmpty: Bool { lines.textSize == 0 }
  var canUndo: Bool { !done.isEmpty }

  /// The selected range in order; nil where nothing is selected.
  var selection: Range<Place>? {
    guard let anchor, anchor != cursor else { return nil }
    return min(anchor, cursor)..<max(anchor, cursor)
  }

  var selectedText: String? { selection.map { text(in: $0) } }

  func text(in range: Range<Place>) -> String { lines.part(range).text }

  var end: Place { lines.end }

  /// All of it, as one change that can be undone. Returns false, and does nothing, where it is too large.
  @discardableResult
  mutating func replaceAll(with text: EditedLines) -> Bool {
    let old = cursor
    replace(Place.start..<end, with: text)
    guard !isFull else { return false }
    move(to: Place(line: min(old.line, lines.count - 1), offset: 0))
    return true
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

extension TextEditor {
  /// Puts text where the cursor is, in place of what is selected.
  mutating func insert(_ text: String) {
    let joins = text.utf8.count < 64 && text.count == 1 && text != "\n" && selection == nil
    replace(selection ?? cursor..<cursor, with: text, joins: joins)
  }

  mutating func deleteBackward() {
    if let selection { return replace(selection, with: "") }
    let from = place(before: cursor)
    guard from != cursor else { return }
    replace(from..<cursor, with: "")
  }

  mutating func deleteForward() {
    if let selection { return replace(selection, with: "") }
    let to = place(after: cursor)
    guard to != cursor else { return }
    replace(cursor..<to, with: "")
  }

  mutating func deleteWordBackward() {
    if let selection { return replace(selection, with: "") }
    let from = wordStart(before: cursor)
    guard from != cursor else { return }
    replace(from..<cursor, with: "")
  }

  mutating func deleteToLineStart() {
    guard cursor.offset > 0 else { return }
    replace(Place(line: cursor.line, offset: 0)..<cursor, with: "")
  }

  mutating func deleteToLineEnd() {
    let stop = Place(line: cursor.line, offset: lines.size(of: cursor.line))
    guard stop != cursor else { return deleteForward() }
    replace(cursor..<stop, with: "")
  }

  /// Cuts what is selected, or the whole line. Returns what was cut.
  @discardableResult
  mutating func cut() -> String {
    let range = selection ?? wholeLine
    let text = text(in: range)
    clipboard = text
    replace(range, with: "")
    return text
  }

  /// Copies what is selected, or the whole line.
  @discardableResult
  mutating func copy() -> String {
    clipboard = text(in: selection ?? wholeLine)
    return clipboard
  }

  mutating func paste() { if !clipboard.isEmpty { insert(clipboard) } }

  /// A new line with the indentation of this one.
  mutating func insertLine() {
    guard !isSingleLine else { return }
    let line = lines[cursor.line]
    let indent = line.prefix { $0 == " " || $0 == "\t" }.prefix(cursor.offset)
    let opens = cursor.offset > 0 && "{[".contains(line[line.index(before: line.index(atUTF8: cursor.offset))])
    replace(selection ?? cursor..<cursor, with: "\n" + indent + (opens ? "  " : ""))
  }

  mutating func undo() {
    isFull = false
    guard let change = done.popLast() else { return }
    lines.splice(change.start..<change.stop, with: change.removed)
    undone.append(change)
    move(to: change.before)
  }

  mutating func redo() {
    isFull = false
    guard let change = undone.popLast() else { return }
    lines.splice(change.start..<change.start.after(change.removed), with: change.inserted)
    done.append(change)
    move(to: change.after)
    sealUndo()
  }

  /// What is typed next is undone on its own.
  mutating func sealUndo() {
    guard let last = done.indices.last else { return }
    done[last].joins = false
  }

  private mutating func replace(_ range: Range<Place>, with text: String, joins: Bool = false) {
    replace(range, with: TextEditor.split(text, singleLine: isSingleLine), joins: joins)
  }

  private mutating func replace(_ range: Range<Place>, with new: EditedLines, joins: Bool = false) {
    let before = cursor
    let removed = lines.part(range)
    let growth = new.textSize - removed.textSize
    isFull = growth > 0 && lines.textSize + growth > TextEditor.limit
    guard !isFull else { return }
    let stop = lines.splice(range, with: new)
    isTouched = true
    // A mark that stood behind it joins what was typed.
    move(to: Place(line: stop.line, offset: lines[stop.line].border(from: stop.offset)))
    remember(
      Change(start: range.lowerBound, removed: removed, inserted: new, before: before, after: cursor, joins: joins))
  }

  private mutating func remember(_ change: Change) {
    undone = []
    if change.joins, let last = done.last, last.joins, last.after == change.before, last.stop == change.start {
      done[done.count - 1].inserted.append(change.inserted)
      done[done.count - 1].after = change.after
      return
    }
    done.append(change)
    if done.count > 2_000 { done.removeFirst(500) }
    // Undoing does not take memory without end: a change of a whole text keeps it twice.
    var kept = 0
    if change.weight > 1 << 16,
      let oldest = done.indices.last(where: {
        kept += done[$0].weight
        return kept > TextEditor.undoneLimit
      })
    {
      done.removeFirst(min(oldest + 1, done.count - 1))
    }
  }

  private var wholeLine: Range<Place> {
    if cursor.line + 1 < lines.count {
      return Place(line: cursor.line, offset: 0)..<Place(line: cursor.line + 1, offset: 0)
    }
    return Place(line: cursor.line, offset: 0)..<end
  }
}

extension TextEditor.Change {
  /// Where what was inserted ends.
  fileprivate var stop: TextEditor.Place { start.after(inserted) }

  /// About how many bytes it keeps.
  fileprivate var weight: Int { removed.textSize + inserted.textSize }
}
