import PatchbayGrid

// What several components draw alike. The grid is the component's own area; all of it is told what it needs.

extension Grid {
  /// At the right edge, where there is more than fits: which part of it is seen.
  ///
  /// - Parameters:
  ///   - top: the first line that is seen.
  ///   - seen: how many lines are; as many as there are rows if not given.
  ///   - base: whose background it stands on.
  mutating func drawScrollbar(_ theme: Theme, top: Int, count: Int, seen: Int? = nil, on base: ThemeRole = .text) {
    let seen = seen ?? height
    guard count > seen, height > 2 else { return }
    let size = max(1, height * seen / count)
    let start = min(height - size, (height - size) * top / max(1, count - seen))
    for row in start..<(start + size) {
      put("┃", at: Point(x: width - 1, y: row), style: theme[.scrollbar, on: base])
    }
  }

  /// Lines where there is nothing to list, a third down and in the middle.
  mutating func drawNotice(_ lines: [PageLine], _ theme: Theme) {
    let top = max(0, (height - lines.count) / 3)
    let widest = lines.map { textWidth($0.text) }.max() ?? 0
    let left = max(2, (width - widest) / 2)
    for (row, line) in lines.enumerated() {
      put(
        spans: line.pieces.map { Span($0.text, theme[$0.role]) }, at: Point(x: left, y: top + row),
        maxWidth: width - left - 1)
    }
  }

  /// One line of an editor, scrolled so that its cursor is seen.
  mutating func drawField(
    _ editor: TextEditor, in area: Rect, _ theme: Theme, ground: ThemeRole, hasKeys: Bool = true
  ) {
    within(area) { grid in
      grid.fill(style: theme[ground])
      let line = editor.lines[editor.cursor.line]
      let column = editor.column
      let shift = hasKeys ? grid.fieldShift(editor, width: grid.width) : 0
      EditorView.draw(
        line: line, selection: hasKeys ? editor.selectedOffsets(in: editor.cursor.line) : nil, roles: nil, theme: theme,
        ground: ground, at: Point(x: -shift, y: 0), &grid)
      if hasKeys { grid.setCursor(Point(x: column - shift, y: 0)) }
    }
  }

  /// How many columns of the text have left such a field at its left, so that the cursor is in it.
  func fieldShift(_ editor: TextEditor, width: Int) -> Int { max(0, editor.column - width + 2) }

  /// The line of a box in which one types, with what may be typed while it is empty.
  mutating func drawSearch(_ editor: TextEditor, hint: String, from x: Int, _ theme: Theme) {
    let area = Rect(x: x, y: 0, width: width - x - 1, height: 1)
    drawField(editor, in: area, theme, ground: .input)
    guard editor.isEmpty else { return }
    put(hint, at: Point(x: x, y: 0), style: theme[.placeholder], maxWidth: area.width)
  }

  /// All that is shown on a screen on which the console does not fit.
  mutating func drawTooSmall(_ theme: Theme) {
    let needed = "\(Layout.minimum.width)×\(Layout.minimum.height)"
    let sentence = "Patchbay needs \(needed); this is \(width)×\(height). q leaves."
    for (row, line) in wrapped(sentence, toWidth: max(1, width)).enumerated() where row < height {
      put(line, at: Point(x: 0, y: row), style: theme[.text])
    }
  }

  /// A frame with a title; draws its inside.
  mutating func drawFrame(_ area: Rect, title: String, _ theme: Theme, _ inside: (inout Grid) -> Void) {
    fill(area, style: theme[.popup])
    let inner = box(area, style: theme[.popupLine], title: title, titleStyle: theme[.popupTitle])
    within(inner, inside)
  }

  /// The line below the header on the tabs but Requests: what it is, and what is said at its right. What does not fit
  /// is left out from the end, piece by piece; or all of it is cut.
  mutating func drawBreadcrumb(
    _ left: [PageLine.Piece], _ right: String, isCut: Bool = false, in bar: Rect, _ context: ConsoleContext
  ) {
    let theme = context.theme
    within(bar) { grid in
      let parts = context.work.map { [PageLine.Piece($0, .waiting), .init(" · ", .dim)] } ?? []
      let spans = (parts + [.init(right, .dim)]).map { Span($0.text, theme[$0.role]) }
      let width = spans.reduce(0) { $0 + textWidth($1.text) }
      let room = grid.width - width - 4
      var left = left
      // What only explains is not worth half a sentence.
      while !isCut, left.count > 1 || left.first?.role == .dim, left.reduce(0, { $0 + textWidth($1.text) }) > room {
        left.removeLast()
      }
      grid.put(spans: left.map { Span($0.text, theme[$0.role]) }, at: Point(x: 1, y: 0), maxWidth: room)
      grid.put(spans: spans, at: Point(x: max(0, grid.width - width - 1), y: 0))
    }
  }
}

extension PageLine {
  /// A key and what it does, where there is nothing else to be shown.
  static func hint(_ key: String, _ text: String) -> PageLine {
    PageLine([.init(padded(key, toWidth: max(5, textWidth(key) + 1)), .key), .init(text, .dim)])
  }
}
