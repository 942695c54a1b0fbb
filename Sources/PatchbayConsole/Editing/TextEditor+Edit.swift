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
    guard let change = done.popLast() else { return }
    splice(change.start..<change.stop, with: change.removed)
    undone.append(change)
    move(to: change.before)
  }

  mutating func redo() {
    guard let change = undone.popLast() else { return }
    splice(change.start..<change.start.after(change.removed), with: change.inserted)
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
    replace(range, with: TextEditor.split(text, singleLine: isSingleLine), joins: joins)
  }

  mutating func replace(_ range: Range<Place>, with new: EditedLines, joins: Bool = false) {
    let before = cursor
    let removed = lines.part(range)
    let stop = splice(range, with: new)
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
    // Changes of many megabytes are not kept without end.
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
  /// Where what was inserted ends.
  fileprivate var stop: TextEditor.Place { start.after(inserted) }

  /// About how many bytes it keeps.
  fileprivate var weight: Int { removed.size + removed.count + inserted.size + inserted.count }
}
