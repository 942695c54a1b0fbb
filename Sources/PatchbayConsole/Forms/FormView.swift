import PatchbayGrid
import PatchbayStubs

/// Draws a form: short fields, a row each, texts beside or below them, and a line that says how it stands.
struct FormView {
  let form: Form
  let context: ConsoleContext
  var isJSON = false
  /// What stands in the place of an empty body.
  var emptyBody = "empty"
  var status: [PageLine.Piece] = []
  /// The same in fewer words, for where it has no room beside the hint.
  var shorterStatus: [[PageLine.Piece]] = []
  /// Lines below the short fields, where there is room.
  var aside: [PageLine] = []
  /// What the templates become, below the body.
  var filled: TemplatePreview?

  private var theme: Theme { context.theme }

  func draw(on grid: inout Grid, in area: Rect) {
    var layout = FormLayout(form, in: area)
    if let filled, let area = layout.cutBelow(12) { drawFilled(filled, &grid, area) }
    grid.within(layout.title) { grid in
      grid.put(shown(form.title), at: Point(x: 1, y: 0), style: theme[.text].bold)
    }
    grid.verticalRule(at: layout.rule.origin, height: layout.rule.height, style: theme[.line])
    grid.within(layout.fields) { drawFields(layout, &$0) }
    for text in layout.texts where text.head.height > 0 { drawText(text, &grid) }
    let used = layout.rows.count
    if !aside.isEmpty, layout.fields.height > used + 2 {
      let below = Rect(
        x: layout.fields.x + 2, y: layout.fields.y + used + 1, width: layout.fields.width - 3,
        height: layout.fields.height - used - 1)
      grid.within(below) { grid in
        for (row, line) in aside.prefix(grid.height).enumerated() {
          grid.put(spans: line.pieces.map { Span($0.text, theme[$0.role]) }, at: Point(x: 0, y: row))
        }
      }
    }
    grid.within(layout.status) { drawStatus(on: &$0) }
  }

  /// How it stands at the left, and what the field takes at the right. Where both have no room, what is said at the left
  /// is shortened, and what is no warning gives way: the hint is wanted just while one types.
  private func drawStatus(on grid: inout Grid) {
    let help = help
    func width(_ pieces: [PageLine.Piece]) -> Int { pieces.reduce(0) { $0 + textWidth(shown($1.text)) } }
    let room = grid.width - 2 - (help.isEmpty ? 0 : textWidth(help) + 2)
    let ways = [status] + shorterStatus
    let isUrgent = status.contains { $0.role == .error || $0.role == .warning }
    let pieces = ways.first { width($0) <= room } ?? (isUrgent || help.isEmpty ? ways.last ?? [] : [])
    grid.put(spans: pieces.map { Span(shown($0.text), theme[$0.role]) }, at: Point(x: 1, y: 0))
    guard !help.isEmpty, width(pieces) <= room else { return }
    let x = max(1, grid.width - textWidth(help) - 1)
    grid.put(truncated(help, toWidth: grid.width - 1 - x), at: Point(x: x, y: 0), style: theme[.dim])
  }

  private var help: String {
    guard let field = form.focused else { return "" }
    let found = field.id == "status" ? StatusText.suggestions(for: form.text("status")) : ""
    return found.isEmpty ? field.help : found
  }

  private func drawFilled(_ filled: TemplatePreview, _ grid: inout Grid, _ area: Rect) {
    grid.within(area) { grid in
      guard grid.height > 1 else { return }
      grid.rule(at: .zero, width: grid.width, style: theme[.line])
      guard let text = filled.text else {
        _ = grid.put(" Filled in: no recorded request fits yet ", at: Point(x: 1, y: 0), style: theme[.dim])
        return
      }
      grid.put(
        " As sent to \(shown(filled.request)) ", at: Point(x: 1, y: 0), style: theme[.dim], maxWidth: grid.width - 3)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(grid.height)
      for (row, line) in lines.flatMap({ wrapped(shown(String($0)), toWidth: max(8, grid.width - 2)) }).enumerated() {
        guard row + 1 < grid.height else { return }
        grid.put(line, at: Point(x: 1, y: row + 1), style: theme[.good])
      }
    }
  }

  private func drawFields(_ layout: FormLayout, _ grid: inout Grid) {
    let labels = layout.fieldStart(form) - 4
    for (row, what) in layout.rows.dropFirst(layout.top).prefix(grid.height).enumerated() {
      guard case .field(let place) = what else {
        if case .heading(let text) = what { drawHeading(text, row, &grid) }
        continue
      }
      let field = form.fields[place]
      let hasKeys = form.focus == place
      if case .fold(let isOpen) = field.kind {
        drawFold(field, isOpen: isOpen, hasKeys, row, &grid)
        continue
      }
      let isWrong = field.problem != nil
      grid.put(
        isWrong ? "✗" : hasKeys ? "▸" : " ", at: Point(x: 0, y: row), style: theme[isWrong ? .error : .mark])
      grid.put(field.label, at: Point(x: 2, y: row), style: theme[hasKeys ? .key : .dim], maxWidth: labels)
      let area = Rect(x: labels + 4, y: row, width: grid.width - labels - 6, height: 1)
      drawField(field, hasKeys, &grid, area)
    }
    grid.drawScrollbar(theme, top: layout.top, count: layout.rows.count)
  }

  private func drawHeading(_ text: String, _ row: Int, _ grid: inout Grid) {
    grid.rule(at: Point(x: 0, y: row), width: grid.width - 1, style: theme[.line])
    grid.put(" \(text) ", at: Point(x: 1, y: row), style: theme[.text].bold)
  }

  private func drawFold(_ field: Form.Field, isOpen: Bool, _ hasKeys: Bool, _ row: Int, _ grid: inout Grid) {
    let text = isOpen ? "− fewer" : "+ \(field.label)"
    grid.put(hasKeys ? "▸" : " ", at: Point(x: 0, y: row), style: theme[.mark])
    grid.put(text, at: Point(x: 2, y: row), style: theme[hasKeys ? .key : .dim], maxWidth: grid.width - 3)
    let x = 2 + textWidth(text) + 2
    guard !isOpen, x < grid.width - 8 else { return }
    let names = form.folded(by: field).joined(separator: ", ")
    grid.put(
      truncated(names, toWidth: grid.width - x - 2), at: Point(x: x, y: row), style: theme[.placeholder, on: .text])
  }

  private func drawField(_ field: Form.Field, _ hasKeys: Bool, _ grid: inout Grid, _ area: Rect) {
    let ground: ThemeRole = hasKeys ? .input : .text
    switch field.kind {
    case .line(let editor):
      grid.drawField(editor, in: area, theme, ground: ground, hasKeys: hasKeys)
      if editor.isEmpty {
        let x = area.x + (hasKeys ? 1 : 0)
        grid.put(field.example, at: Point(x: x, y: area.y), style: theme[.placeholder, on: ground])
      } else if field.id == "status" {
        let x = area.x + textWidth(editor.text) + 2
        let meaning = StatusText.meaning(of: editor.text)
        grid.put(
          truncated(meaning, toWidth: max(0, area.maxX - x)), at: Point(x: x, y: area.y),
          style: theme[.dim, on: ground])
      }
    case .choice(let choices, let index):
      grid.fill(area, style: theme[ground])
      let text = choices.indices.contains(index) ? choices[index] : ""
      grid.put(
        hasKeys ? "‹ \(text) ›" : text, at: area.origin, style: theme[.text, on: ground].bold, maxWidth: area.width)
    case .toggle(let on):
      grid.fill(area, style: theme[ground])
      grid.put(on ? "● on" : "○ off", at: area.origin, style: theme[on ? .good : .dim, on: ground])
    case .text, .large, .fold: break
    }
  }

  /// One of the texts of a form, with its head.
  private func drawText(_ place: (index: Int, head: Rect, area: Rect), _ grid: inout Grid) {
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
      let view = EditorView(
        editor: editor, theme: theme, isJSON: isBody ? isJSON : field.id == "patch",
        mistake: isBody ? form.mistake : form.otherMistakes[field.id], hasKeys: hasKeys)
      view.draw(on: &grid)
    }
  }

  /// In the place of a text that is too large to be edited here.
  private func drawLarge(_ size: Int, _ grid: inout Grid) {
    let sentence =
      "\(Wording.size(Int64(size))): too large to be edited here. \(context.editorKey) opens it in your editor ($EDITOR)."
    for (row, line) in wrapped(sentence, toWidth: max(8, grid.width - 2)).enumerated() {
      grid.put(line, at: Point(x: 1, y: row), style: theme[.dim])
    }
  }
}

/// Where the parts of a form stand.
struct FormLayout {
  let title: Rect
  /// The short fields, a row each.
  let fields: Rect
  private(set) var texts: [(index: Int, head: Rect, area: Rect)] = []
  let status: Rect
  /// The line between the short fields and the texts beside them; empty where those stand below.
  let rule: Rect
  /// The short fields that can be seen, by their places, under the headings of their groups; and the first in sight.
  let rows: [Row]
  let top: Int

  enum Row: Equatable {
    case heading(String)
    case field(Int)
  }

  private static func rows(_ form: Form) -> [Row] {
    var rows: [Row] = []
    var group: Form.Field.Group?
    for place in form.fields.indices where form.fields[place].isShown && !form.fields[place].isText {
      if let own = form.fields[place].group, own != group { rows.append(.heading(own.rawValue)) }
      group = form.fields[place].group
      rows.append(.field(place))
    }
    return rows
  }

  init(_ form: Form, in area: Rect) {
    let parts = area.splitTop(1)
    let foot = parts.rest.splitBottom(1)
    var texts = form.fields.indices.filter { form.fields[$0].isText && form.fields[$0].isShown }
    let rows = FormLayout.rows(form)
    let isBeside = area.width >= 76 && rows.count > 4
    var rest: Rect
    if isBeside {
      let left = foot.rest.splitLeft(max(37, min(64, area.width * 2 / 5)))
      fields = left.left
      let right = left.rest.splitLeft(1)
      rule = right.left
      rest = right.rest
    } else {
      let top = foot.rest.splitTop(min(rows.count, max(3, foot.rest.height / 2)))
      fields = top.top
      rest = top.rest
      rule = .zero
    }
    title = parts.top
    status = foot.bottom
    self.rows = rows
    let focused = rows.firstIndex(of: .field(form.focus)) ?? 0
    top = max(0, min(rows.count - fields.height, focused - fields.height / 2))
    // Each has its head and a line at least; where there is no room for that, the one that is typed in has all of it.
    if rest.height < 2 * texts.count, let last = texts.last { texts = [texts.contains(form.focus) ? form.focus : last] }
    for (place, index) in texts.enumerated() {
      let left = texts.count - place - 1
      let lines = FormLayout.lineCount(form.fields[index])
      let wanted = min(max(3, lines + 1), max(3, rest.height / 3)) + 1
      let height = left == 0 ? rest.height : min(wanted, rest.height - 2 * left)
      let cut = rest.splitTop(height)
      let head = cut.top.splitTop(1)
      self.texts.append((index, head.top, head.rest))
      rest = cut.rest
    }
  }

  /// Columns from the left of the short fields to what is typed in them.
  func fieldStart(_ form: Form) -> Int {
    let labels = form.fields.filter { field in
      if case .fold = field.kind { false } else { !field.isText && field.isShown }
    }
    return (labels.map { textWidth($0.label) }.max() ?? 0) + 4
  }

  /// Cuts rows off at the foot of the last text.
  mutating func cutBelow(_ wanted: Int) -> Rect? {
    guard let last = texts.indices.last else { return nil }
    let cut = texts[last].area.splitBottom(min(wanted, texts[last].area.height / 2))
    texts[last].area = cut.rest
    return cut.bottom
  }

  private static func lineCount(_ field: Form.Field) -> Int {
    if case .text(let editor) = field.kind { editor.lines.count } else { 1 }
  }
}
