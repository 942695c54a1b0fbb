import PatchbayGrid
import PatchbayStubs

extension ConsoleState {
  /// One of the texts of a form, with its head.
  func drawText(
    _ form: Form, _ place: (index: Int, head: Rect, area: Rect), _ isJSON: Bool, _ emptyBody: String, _ grid: inout Grid
  ) {
    let field = form.fields[place.index]
    let hasKeys = form.focus == place.index
    grid.rule(at: place.head.origin, width: place.head.width, style: theme[.line])
    let isWrong = field.problem != nil
    let title = "\(isWrong ? "✗" : " ")\(field.label)\(field.id == "body" && isJSON ? " · JSON" : "") "
    let look: ThemeRole = hasKeys ? .tabActive : isWrong ? .error : .dim
    grid.put(title, at: place.head.origin.moved(x: 1), style: theme[look])
    if hasKeys, case .text(let editor) = field.kind {
      let isLong = editor.lines.size(of: editor.cursor.line) > TextEditor.longLine
      let column = isLong ? "byte \(Wording.count(editor.cursor.offset + 1))" : String(editor.column + 1)
      let at = " \(editor.cursor.line + 1):\(column) "
      grid.put(at, at: Point(x: place.head.maxX - textWidth(at) - 1, y: place.head.y), style: theme[.dim])
    }
    grid.within(place.area) { grid in
      guard case .text(let editor) = field.kind else { return drawLarge(form.text(field.id).utf8.count, &grid) }
      guard !editor.isEmpty || hasKeys else {
        _ = grid.put(
          field.id == "body" ? emptyBody : "none", at: Point(x: 1, y: 0), style: theme[.dim])
        return
      }
      let isBody = field.id == "body"
      drawEditor(
        editor, isJSON: isBody ? isJSON : field.id == "patch",
        mistake: isBody ? form.mistake : form.otherMistakes[field.id], hasKeys: hasKeys, &grid)
    }
  }

  /// In the place of a text that is too large to be edited here.
  private func drawLarge(_ size: Int, _ grid: inout Grid) {
    let sentence =
      "\(Wording.size(Int64(size))): too large to be edited here. \(editorKey) opens it in your editor ($EDITOR)."
    for (row, line) in wrapped(sentence, toWidth: max(8, grid.width - 2)).enumerated() {
      grid.put(line, at: Point(x: 1, y: row), style: theme[.dim])
    }
  }

  /// The part of a very long line that is seen: around the cursor, or from where the others are scrolled to. Where
  /// its columns are is not worked out, for that takes longer than a key may.
  private func window(
    of editor: TextEditor, line: Int, shift: Int, room: Int
  ) -> (text: String, column: Int)? {
    let text = editor.lines[line]
    guard text.utf8.count > TextEditor.longLine else { return nil }
    let isOwn = editor.cursor.line == line
    let from = text.index(atUTF8: max(0, (isOwn ? editor.cursor.offset : shift) - room * 2 / 3))
    let to = text.index(from, offsetBy: room, limitedBy: text.endIndex) ?? text.endIndex
    guard isOwn else { return (shown(String(text[from..<to])), 0) }
    let cursor = text.index(atUTF8: editor.cursor.offset)
    return (shown(String(text[from..<to])), textWidth(shown(String(text[from..<cursor]))))
  }

  /// The lines of an editor around its cursor.
  private func drawEditor(
    _ editor: TextEditor, isJSON: Bool, mistake: SourcePosition?, hasKeys: Bool, _ grid: inout Grid
  ) {
    let height = max(1, grid.height)
    let top = hasKeys ? max(0, min(editor.lines.count - height, editor.cursor.line - height / 2)) : 0
    let room = grid.width - 2
    let own = hasKeys ? window(of: editor, line: editor.cursor.line, shift: 0, room: room) : nil
    let shift = !hasKeys ? 0 : own == nil ? max(0, editor.column - room + 2) : editor.cursor.offset
    let area = Rect(x: 1, y: 0, width: room, height: height)
    grid.within(area) { grid in
      for (row, line) in editor.lines.dropFirst(top).prefix(height).enumerated() {
        if let window = window(of: editor, line: top + row, shift: shift, room: room) {
          grid.put(
            window.text, at: Point(x: 0, y: row), style: theme[.text], maxWidth: room, overflow: .clip)
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
    drawScrollbar(&grid, top: top, count: editor.lines.count)
  }
}
