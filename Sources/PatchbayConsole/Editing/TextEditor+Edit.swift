extension TextEditor {
  /// Puts text where the cursor is, in place of what is selected.
  mutating func insert(_ text: String) {
    let joins = text.count == 1 && text != "\n" && selection == nil
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
    let stop = Place(line: cursor.line, offset: lines[cursor.line].utf8.count)
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
    guard let change = done.popLast() else { return }
    swapLines(at: change.line, change.inserted, for: change.removed)
    undone.append(change)
    move(to: change.before)
  }

  mutating func redo() {
    guard let change = undone.popLast() else { return }
    swapLines(at: change.line, change.removed, for: change.inserted)
    done.append(change)
    move(to: change.after)
    sealUndo()
  }

  /// What is typed next is undone on its own.
  mutating func sealUndo() {
    guard let last = done.indices.last else { return }
    done[last].joins = false
  }

  mutating func replace(_ range: Range<Place>, with text: String, joins: Bool = false) {
    let before = cursor
    let head = lines[range.lowerBound.line]
    let tail = lines[range.upperBound.line]
    var inserted = TextEditor.split(text, singleLine: isSingleLine)
    let last = inserted.count - 1
    inserted[0] = head[..<head.index(atUTF8: range.lowerBound.offset)] + inserted[0]
    let offset = inserted[last].utf8.count
    inserted[last] += tail[tail.index(atUTF8: range.upperBound.offset)...]
    let touched = range.lowerBound.line...range.upperBound.line
    let removed = Array(lines[touched])
    swapLines(at: range.lowerBound.line, removed, for: inserted)
    move(to: Place(line: range.lowerBound.line + last, offset: offset))
    remember(
      Change(
        line: range.lowerBound.line, removed: removed, inserted: inserted, before: before, after: cursor, joins: joins))
  }

  private mutating func remember(_ change: Change) {
    undone = []
    if change.joins, let last = done.last, last.joins, last.after == change.before, last.line == change.line,
      last.inserted.count == 1
    {
      done[done.count - 1].inserted = change.inserted
      done[done.count - 1].after = change.after
      return
    }
    done.append(change)
    if done.count > 2_000 { done.removeFirst(500) }
    // A line of many megabytes is kept for each of its changes.
    var kept = 0
    if change.weight > 1 << 16,
      let oldest = done.indices.last(where: {
        kept += done[$0].weight
        return kept > 256 << 20
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
  /// About how many bytes it keeps.
  fileprivate var weight: Int { (removed + inserted).reduce(0) { $0 + $1.utf8.count } }
}
