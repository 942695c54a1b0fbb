import PatchbayGrid
import PatchbayStubs

extension TextEditor {
  /// The UTF-8 offsets of a line that are selected; nil for none.
  func selectedOffsets(in line: Int) -> Range<Int>? {
    guard let selection, selection.lowerBound.line <= line, line <= selection.upperBound.line else { return nil }
    let from = selection.lowerBound.line == line ? selection.lowerBound.offset : 0
    let to = selection.upperBound.line == line ? selection.upperBound.offset : lines.size(of: line)
    return from..<max(from, to)
  }
}

/// Draws the lines of an editor around its cursor; without the keys, from the top.
struct EditorView {
  let editor: TextEditor
  let theme: Theme
  var isJSON = false
  /// Where it is no JSON.
  var mistake: SourcePosition?
  var hasKeys = true

  func draw(on grid: inout Grid) {
    let height = max(1, grid.height)
    let top = hasKeys ? max(0, min(editor.lines.count - height, editor.cursor.line - height / 2)) : 0
    let room = grid.width - 2
    let own = hasKeys ? Self.window(editor, editor.cursor.line, shift: 0, room: room) : nil
    let shift = !hasKeys ? 0 : own == nil ? max(0, editor.column - room + 2) : editor.cursor.offset
    let area = Rect(x: 1, y: 0, width: room, height: height)
    grid.within(area) { grid in
      for (row, line) in editor.lines.dropFirst(top).prefix(height).enumerated() {
        if let window = Self.window(editor, top + row, shift: shift, room: room) {
          let selected = (hasKeys ? editor.selectedOffsets(in: top + row) : nil).map { offsets in
            let size = window.text.utf8.count
            return min(
              size, max(0, offsets.lowerBound - window.from))..<min(size, max(0, offsets.upperBound - window.from))
          }
          EditorView.draw(
            line: window.text, selection: selected, roles: nil, theme: theme, ground: .text, at: Point(x: 0, y: row),
            &grid)
          continue
        }
        let roles = isJSON ? JSONColors.roles(of: line) : nil
        let here = mistake.flatMap { $0.line == top + row + 1 ? EditorView.offsets(of: $0, in: line) : nil }
        EditorView.draw(
          line: line, selection: hasKeys ? editor.selectedOffsets(in: top + row) : nil, roles: roles, mistake: here,
          theme: theme, ground: .text, at: Point(x: -shift, y: row), &grid)
      }
      if hasKeys {
        grid.setCursor(Point(x: own?.column ?? editor.column - shift, y: editor.cursor.line - top))
      }
    }
    grid.drawScrollbar(theme, top: top, count: editor.lines.count)
  }

  /// The place under a click, as the editor was drawn before it.
  static func place(at point: Point, in editor: TextEditor, height: Int, width: Int, hadKeys: Bool) -> TextEditor.Place
  {
    let height = max(1, height)
    let top = hadKeys ? max(0, min(editor.lines.count - height, editor.cursor.line - height / 2)) : 0
    let room = width - 2
    let own = hadKeys ? window(editor, editor.cursor.line, shift: 0, room: room) : nil
    let shift = !hadKeys ? 0 : own == nil ? max(0, editor.column - room + 2) : editor.cursor.offset
    let line = min(editor.lines.count - 1, top + max(0, point.y))
    guard let window = window(editor, line, shift: shift, room: room) else {
      return editor.place(line: line, column: max(0, point.x - 1 + shift))
    }
    var (offset, column) = (window.from, 0)
    for character in window.text {
      column += textWidth(shown(String(character)))
      guard column <= max(0, point.x - 1) else { break }
      offset += character.utf8.count
    }
    return TextEditor.Place(line: line, offset: offset)
  }

  /// The part of a very long line that is seen: around the cursor, or from where the others are scrolled to. Where
  /// its columns are is not worked out, for that takes longer than a key may.
  private static func window(
    _ editor: TextEditor, _ line: Int, shift: Int, room: Int
  ) -> (text: String, from: Int, column: Int)? {
    let text = editor.lines[line]
    guard text.utf8.count > TextEditor.longLine else { return nil }
    let isOwn = editor.cursor.line == line
    let from = text.index(atUTF8: max(0, (isOwn ? editor.cursor.offset : shift) - room * 2 / 3))
    let to = text.index(from, offsetBy: room, limitedBy: text.endIndex) ?? text.endIndex
    let offset = text.offset(of: from)
    guard isOwn else { return (String(text[from..<to]), offset, 0) }
    let cursor = text.index(atUTF8: editor.cursor.offset)
    return (String(text[from..<to]), offset, textWidth(shown(String(text[from..<cursor]))))
  }

  /// One line, from a column that may be left of the area. `roles` colours ranges of UTF-8 offsets; at `mistake` is
  /// what is wrong.
  static func draw(
    line: String, selection: Range<Int>?, roles: [(Range<Int>, ThemeRole)]?, mistake: Range<Int>? = nil, theme: Theme,
    ground: ThemeRole, at point: Point, _ grid: inout Grid
  ) {
    // A line of a pasted megabyte costs no more than what is seen of it.
    let far = max(0, -point.x) + grid.width + 8
    var cuts = [0, line.utf8.count]
    if let selection { cuts += [selection.lowerBound, selection.upperBound] }
    if let mistake { cuts += [mistake.lowerBound, mistake.upperBound] }
    for (range, _) in roles ?? [] { cuts += [range.lowerBound, range.upperBound] }
    var x = point.x
    for (from, to) in zip(Array(Set(cuts)).sorted(), Array(Set(cuts)).sorted().dropFirst()) {
      guard x < grid.width else { return }
      let start = line.utf8.index(line.startIndex, offsetBy: from)
      let end = line.utf8.index(line.startIndex, offsetBy: to)
      let isSelected = selection?.contains(from) == true
      let role = roles?.first { $0.0.contains(from) }?.1 ?? .text
      var style = isSelected ? theme[.selectedText] : theme[role, on: ground]
      if mistake?.contains(from) == true { style = theme[.error, on: ground].reverse }
      let piece = line[start..<end].prefix(far * 2)
      let text = String(piece).replacing("\t", with: "→")
      let width = textWidth(text)
      if x + width > 0 { putClipped(text, width, Point(x: x, y: point.y), style, &grid) }
      x += width
    }
    // What is wrong may be that the line ends.
    if let mistake, mistake.isEmpty, x >= 0 { grid.put(" ", at: Point(x: x, y: point.y), style: theme[.error].reverse) }
  }

  /// The offsets of the letter at a position, which counts scalars from 1; empty behind the last one.
  static func offsets(of position: SourcePosition, in line: String) -> Range<Int> {
    let start = line.unicodeScalars.prefix(max(0, position.column - 1)).reduce(0) { $0 + UTF8.width($1) }
    let from = line.offset(of: line.index(atUTF8: start))
    return from..<line.border(from: min(line.utf8.count, from + 1))
  }

  private static func putClipped(
    _ text: String, _ width: Int, _ point: Point, _ style: Style, _ grid: inout Grid
  ) {
    grid.put(text, at: point, style: style, maxWidth: width, overflow: .clip)
  }
}

/// Colours one line of JSON that is being typed; a string that began on an earlier line is not known here, for JSON
/// has none.
enum JSONColors {
  static func roles(of line: String) -> [(Range<Int>, ThemeRole)] {
    let bytes = Array(line.utf8.prefix(4_096))
    var roles: [(Range<Int>, ThemeRole)] = []
    var place = 0
    while place < bytes.count {
      let start = place
      switch bytes[place] {
      case 0x22:
        place += 1
        while place < bytes.count, bytes[place] != 0x22 { place += bytes[place] == 0x5C ? 2 : 1 }
        place = min(bytes.count, place + 1)
        var next = place
        while next < bytes.count, bytes[next] == 0x20 { next += 1 }
        roles.append((start..<place, next < bytes.count && bytes[next] == 0x3A ? .key : .string))
      case 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x3A:
        place += 1
        roles.append((start..<place, .punctuation))
      case 0x2D, 0x30...0x39:
        while place < bytes.count, isNumber(bytes[place]) { place += 1 }
        roles.append((start..<place, .number))
      case 0x61...0x7A:
        while place < bytes.count, (0x61...0x7A).contains(bytes[place]) { place += 1 }
        roles.append((start..<place, .literal))
      default: place += 1
      }
    }
    return roles
  }

  private static func isNumber(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2B || byte == 0x2E || byte == 0x65 || byte == 0x45
  }
}
