import PatchbayGrid

/// What a person expects of a text field, in the plainest way: one array of characters, whose places are counted from 0.
struct PlainEditor {
  struct State: Equatable {
    var text: [Character]
    var cursor: Int
  }

  private struct Change {
    var before: State
    var after: State
    var start: Int
    var stop: Int
    var joins: Bool
  }

  var now: State
  var anchor: Int?
  var clipboard = ""
  var isTouched = false
  private var aim: Int?
  private let isSingleLine: Bool
  private let page: Int
  private var done: [Change] = []
  private var undone: [Change] = []

  init(_ text: String, isSingleLine: Bool, page: Int) {
    now = State(text: Array(text), cursor: isSingleLine ? text.count : 0)
    self.isSingleLine = isSingleLine
    self.page = page
  }

  var text: String { String(now.text) }
  var canUndo: Bool { !done.isEmpty }
  var selection: Range<Int>? {
    guard let anchor, anchor != now.cursor else { return nil }
    return anchor < now.cursor ? anchor..<now.cursor : now.cursor..<anchor
  }
  var selectedText: String? { selection.map { String(now.text[$0]) } }
  /// Cells from the left.
  var column: Int { now.text[lineStart..<now.cursor].reduce(0) { $0 + textWidth(String($1)) } }

  private var lineStart: Int { (now.text[..<now.cursor].lastIndex(of: "\n") ?? -1) + 1 }
  private var lineEnd: Int { now.text[now.cursor...].firstIndex(of: "\n") ?? now.text.count }

  // MARK: Keys

  /// Whether the key means something.
  mutating func press(_ name: String) -> Bool {
    let lines: Set = ["up", "down", "shift-up", "shift-down", "pgup", "pgdn", "shift-pgup", "shift-pgdn", "enter"]
    if isSingleLine, lines.contains(name) { return false }
    switch name {
    case "left", "right", "up", "down", "home", "end", "pgup", "pgdn", "ctrl-left", "ctrl-right", "ctrl-home",
      "ctrl-end":
      move(name, selecting: false)
    case "alt-left", "alt-b": move("ctrl-left", selecting: false)
    case "alt-right", "alt-f": move("ctrl-right", selecting: false)
    case "ctrl-e": move("end", selecting: false)
    case "shift-left", "shift-right", "shift-up", "shift-down", "shift-home", "shift-end", "shift-pgup", "shift-pgdn":
      move(String(name.dropFirst(6)), selecting: true)
    case "ctrl-shift-left", "ctrl-shift-right": move("ctrl-" + name.dropFirst(11), selecting: true)
    case "backspace": delete(from: place(left: now.cursor))
    case "del": delete(to: min(now.text.count, now.cursor + 1))
    case "ctrl-w", "alt-backspace", "ctrl-backspace": delete(from: wordStart)
    case "ctrl-u": if now.cursor > lineStart { replace(lineStart..<now.cursor, "") }
    case "ctrl-k":
      if now.cursor < lineEnd {
        replace(now.cursor..<lineEnd, "")
      } else {
        delete(to: min(now.text.count, now.cursor + 1))
      }
    case "ctrl-a":
      if isSingleLine { move("home", selecting: false) } else { (anchor, now.cursor) = (0, now.text.count) }
    case "enter": breakLine()
    case "ctrl-x":
      copy()
      replace(selection ?? wholeLine, "")
    case "ctrl-c": copy()
    case "ctrl-v": if !clipboard.isEmpty { type(clipboard) }
    case "ctrl-z": undo()
    case "ctrl-y": redo()
    default:
      guard name.count == 1 else { return false }
      type(name)
    }
    return true
  }

  // MARK: Moving

  private func place(left place: Int) -> Int { max(0, place - 1) }

  private func isWord(_ place: Int) -> Bool {
    now.text[place].isLetter || now.text[place].isNumber || now.text[place] == "_"
  }

  /// From the start of a line to the end of the one before.
  private var wordStart: Int {
    var place = now.cursor
    if place == lineStart { return max(0, place - 1) }
    while place > lineStart, !isWord(place - 1) { place -= 1 }
    while place > lineStart, isWord(place - 1) { place -= 1 }
    return place
  }

  private var wordEnd: Int {
    var place = now.cursor
    if place == lineEnd { return min(now.text.count, place + 1) }
    while place < lineEnd, !isWord(place) { place += 1 }
    while place < lineEnd, isWord(place) { place += 1 }
    return place
  }

  private mutating func move(_ way: String, selecting: Bool) {
    if !selecting, let selection, way == "left" || way == "right" {
      now.cursor = way == "left" ? selection.lowerBound : selection.upperBound
      (anchor, aim) = (nil, nil)
      return
    }
    anchor = selecting ? anchor ?? now.cursor : nil
    if !done.isEmpty { done[done.count - 1].joins = false }
    var aimed: Int?
    switch way {
    case "left": now.cursor = place(left: now.cursor)
    case "right": now.cursor = min(now.text.count, now.cursor + 1)
    case "ctrl-left": now.cursor = wordStart
    case "ctrl-right": now.cursor = wordEnd
    case "home":
      let first = now.text[lineStart...].firstIndex { $0 != " " } ?? now.text.count
      now.cursor = now.cursor == first ? lineStart : first
    case "end": now.cursor = lineEnd
    case "ctrl-home": now.cursor = 0
    case "ctrl-end": now.cursor = now.text.count
    case "up": aimed = moveLines(-1)
    case "down": aimed = moveLines(1)
    case "pgup": aimed = moveLines(-page)
    default: aimed = moveLines(page)
    }
    aim = aimed
  }

  /// To the cell above or below, or as near to it as the line is long; above the first line is the very start.
  private mutating func moveLines(_ step: Int) -> Int {
    let wanted = aim ?? column
    let starts = [0] + now.text.indices.filter { now.text[$0] == "\n" }.map { $0 + 1 }
    let line = (starts.lastIndex { $0 <= now.cursor } ?? 0) + step
    guard line >= 0, line < starts.count else {
      now.cursor = line < 0 ? 0 : now.text.count
      return wanted
    }
    var (place, width) = (starts[line], 0)
    while place < now.text.count, now.text[place] != "\n" {
      width += textWidth(String(now.text[place]))
      if width > wanted { break }
      place += 1
    }
    now.cursor = place
    return wanted
  }

  // MARK: Changing

  private var wholeLine: Range<Int> { lineStart..<min(now.text.count, lineEnd + 1) }

  private mutating func copy() { clipboard = String(now.text[selection ?? wholeLine]) }

  private mutating func delete(from start: Int) {
    if let range = selection ?? some(start..<now.cursor) { replace(range, "") }
  }
  private mutating func delete(to stop: Int) {
    if let range = selection ?? some(now.cursor..<stop) { replace(range, "") }
  }
  private func some(_ range: Range<Int>) -> Range<Int>? { range.isEmpty ? nil : range }

  private mutating func type(_ text: String) {
    var text = text
    if isSingleLine, text.contains("\n") { text = text.split(separator: "\n").joined(separator: " ") }
    replace(selection ?? now.cursor..<now.cursor, text, joins: text.count == 1 && text != "\n" && selection == nil)
  }

  /// The new line is indented as this one is before the cursor, and deeper behind a bracket.
  private mutating func breakLine() {
    let indent = now.text[lineStart..<now.cursor].prefix { $0 == " " }
    let opens = now.cursor > lineStart && "{[".contains(now.text[now.cursor - 1])
    replace(selection ?? now.cursor..<now.cursor, "\n" + String(indent) + (opens ? "  " : ""))
  }

  private mutating func replace(_ range: Range<Int>, _ text: String, joins: Bool = false) {
    let before = now
    now.text.replaceSubrange(range, with: Array(text))
    now.cursor = range.lowerBound + text.count
    (anchor, aim, isTouched, undone) = (nil, nil, true, [])
    if joins, let last = done.last, last.joins, last.after.cursor == before.cursor, last.stop == range.lowerBound {
      done[done.count - 1].after = now
      done[done.count - 1].stop = now.cursor
    } else {
      done.append(Change(before: before, after: now, start: range.lowerBound, stop: now.cursor, joins: joins))
    }
  }

  private mutating func undo() {
    guard let change = done.popLast() else { return }
    undone.append(change)
    (now, anchor, aim) = (change.before, nil, nil)
  }

  private mutating func redo() {
    guard var change = undone.popLast() else { return }
    change.joins = false
    done.append(change)
    (now, anchor, aim) = (change.after, nil, nil)
  }
}
