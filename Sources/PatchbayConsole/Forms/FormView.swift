import PatchbayGrid
import PatchbayStubs

extension ConsoleState {
  func drawStubForm(_ form: StubForm, _ grid: inout Grid, _ area: Rect) {
    var status: [PageLine.Piece] = []
    let templates = templatePreview(of: form)
    if form.form.editor?.isFull == true {
      status = [.init("! \(sentence(ofLarge: "The text would become"))", .warning)]
    } else if let problem = form.problems.first {
      let more = form.problems.count > 1 ? " (\(form.problems.count - 1) more)" : ""
      status = [.init("✗ \(problem)\(more)", .error)]
    } else if let problem = form.templateProblem {
      status = [.init("! \(problem)", .warning)]
    } else if let problem = form.bodyProblem {
      status = [.init("! The body is \(problem)", .warning)]
    } else if let preview = form.preview {
      let count = "\(Wording.count(preview.matching)) of \(Wording.count(preview.of))"
      status = [.init("matches \(count) recorded requests", preview.matching > 0 ? .good : .warning)]
      if preview.matching > 0, let key = keys.bindings.first(where: { $0.command == .form(.showMatches) })?.keyLabel {
        status.append(.init("  \(key) lists them", .dim))
      }
    }
    let aside = form.form.text("action") == "sequence" ? stepLines(form) : []
    drawForm(
      form.form, &grid, area, status: status, isJSON: form.isJSONBody, emptyBody: form.bodyNote ?? "empty",
      aside: aside,
      filled: templates)
  }

  /// What the templates of a form become; nil where it has none.
  func templatePreview(of form: StubForm) -> TemplatePreview? {
    guard form.templateProblem == nil, form.fillsIn, form.form["body"]?.isHidden == false,
      form.form.checking("body") == .atEachKey
    else { return nil }
    let hits = stubs.hits[form.original.name]?.hits ?? 0
    return TemplatePreview(
      body: form.form.text("body"), headers: form.form.text("headers"), sample: form.sample, hits: Int(hits))
  }

  func drawExchangeForm(_ form: ExchangeForm, _ grid: inout Grid, _ area: Rect) {
    var status: [PageLine.Piece] = []
    if form.form.editor?.isFull == true {
      status = [.init("! \(sentence(ofLarge: "The text would become"))", .warning)]
    } else if let field = form.form.fields.first(where: { $0.problem != nil }) {
      status = [.init("✗ \(field.label): \(field.problem ?? "")", .error)]
    } else if let problem = form.bodyProblem {
      status = [.init("! The body is \(problem)", .warning)]
    } else if form.purpose != .replay, !held.contains(form.exchange.id) {
      status = [.init("! It is no longer held.", .warning)]
    } else if let note = form.bodyNote, !form.form.isEmpty("body") || form.purpose == .replay {
      status = [.init("! \(note)", .warning)]
    }
    drawForm(
      form.form, &grid, area, status: status, isJSON: form.isJSONBody, emptyBody: form.bodyNote ?? "empty", aside: [])
  }

  /// Where the parts of a form stand.
  struct FormLayout {
    var title: Rect
    var fields: Rect
    var texts: [(index: Int, head: Rect, area: Rect)]
    var status: Rect
    var rule: Rect
  }

  func formLayout(_ form: Form, _ area: Rect) -> FormLayout {
    let parts = area.splitTop(1)
    let foot = parts.rest.splitBottom(1)
    let texts = form.fields.indices.filter { form.fields[$0].isText && !form.fields[$0].isHidden }
    let short = form.fields.filter { !$0.isText && !$0.isHidden }.count
    let isBeside = area.width >= 76 && short > 4
    var fields: Rect
    var rest: Rect
    var rule = Rect.zero
    if isBeside {
      let left = foot.rest.splitLeft(max(37, min(64, area.width * 2 / 5)))
      fields = left.left
      let right = left.rest.splitLeft(1)
      rule = right.left
      rest = right.rest
    } else {
      let top = foot.rest.splitTop(min(short, max(3, foot.rest.height / 2)))
      fields = top.top
      rest = top.rest
    }
    var places: [(Int, Rect, Rect)] = []
    for (place, index) in texts.enumerated() {
      let isLast = place == texts.count - 1
      let lines = lineCount(form.fields[index])
      let height = isLast ? rest.height : min(max(3, lines + 1), max(3, rest.height / 3)) + 1
      let cut = rest.splitTop(height)
      let head = cut.top.splitTop(1)
      places.append((index, head.top, head.rest))
      rest = cut.rest
    }
    return FormLayout(title: parts.top, fields: fields, texts: places, status: foot.bottom, rule: rule)
  }

  private func lineCount(_ field: Form.Field) -> Int {
    if case .text(let editor) = field.kind { editor.lines.count } else { 1 }
  }

  private func drawForm(
    _ form: Form, _ grid: inout Grid, _ area: Rect, status: [PageLine.Piece], isJSON: Bool, emptyBody: String,
    aside: [PageLine], filled: TemplatePreview? = nil
  ) {
    var layout = formLayout(form, area)
    if let filled, let last = layout.texts.indices.last {
      let rows = min(12, layout.texts[last].area.height / 2)
      let cut = layout.texts[last].area.splitBottom(rows)
      layout.texts[last].area = cut.rest
      drawFilled(filled, &grid, cut.bottom)
    }
    grid.within(layout.title) { grid in
      grid.put(shown(form.title), at: Point(x: 1, y: 0), style: theme[.text].bold)
    }
    grid.verticalRule(at: layout.rule.origin, height: layout.rule.height, style: theme[.line])
    grid.within(layout.fields) { drawFields(form, &$0) }
    for text in layout.texts { drawText(form, text, isJSON, emptyBody, &grid) }
    let used = form.fields.count { !$0.isText && !$0.isHidden }
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
    grid.within(layout.status) { grid in
      grid.put(spans: status.map { Span(shown($0.text), theme[$0.role]) }, at: Point(x: 1, y: 0))
      let help = form.focused.map { $0.help.isEmpty ? "" : $0.help } ?? ""
      let used = status.reduce(2) { $0 + textWidth($1.text) }
      if textWidth(help) + used + 2 < grid.width {
        grid.put(help, at: Point(x: grid.width - textWidth(help) - 1, y: 0), style: theme[.dim])
      }
    }
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

  private func drawFields(_ form: Form, _ grid: inout Grid) {
    let places = form.fields.indices.filter { !form.fields[$0].isText && !form.fields[$0].isHidden }
    let labels = places.map { textWidth(form.fields[$0].label) }.max() ?? 0
    let focus = places.firstIndex(of: form.focus) ?? 0
    let top = max(0, min(places.count - grid.height, focus - grid.height / 2))
    for (row, place) in places.dropFirst(top).prefix(grid.height).enumerated() {
      let field = form.fields[place]
      let hasKeys = form.focus == place
      let isWrong = field.problem != nil
      grid.put(
        isWrong ? "✗" : hasKeys ? "▸" : " ", at: Point(x: 0, y: row), style: theme[isWrong ? .error : .mark])
      grid.put(field.label, at: Point(x: 2, y: row), style: theme[hasKeys ? .key : .dim], maxWidth: labels)
      let area = Rect(x: labels + 4, y: row, width: grid.width - labels - 6, height: 1)
      drawField(field, hasKeys, &grid, area)
    }
    drawScrollbar(&grid, top: top, count: places.count)
  }

  private func drawField(_ field: Form.Field, _ hasKeys: Bool, _ grid: inout Grid, _ area: Rect) {
    let ground: ThemeRole = hasKeys ? .input : .text
    switch field.kind {
    case .line(let editor):
      drawField(editor, &grid, area, ground: ground, hasKeys: hasKeys)
      if editor.isEmpty {
        let x = area.x + (hasKeys ? 1 : 0)
        grid.put(field.example, at: Point(x: x, y: area.y), style: theme[.placeholder, on: ground])
      } else if field.id == "status", let code = Int(editor.text), !HTTPStatus.phrase(code).isEmpty {
        let x = area.x + textWidth(editor.text) + 2
        grid.put(
          HTTPStatus.phrase(code), at: Point(x: x, y: area.y), style: theme[.dim, on: ground], maxWidth: area.maxX - x)
      }
    case .choice(let choices, let index):
      grid.fill(area, style: theme[ground])
      let text = choices.indices.contains(index) ? choices[index] : ""
      grid.put(
        hasKeys ? "‹ \(text) ›" : text, at: area.origin, style: theme[.text, on: ground].bold, maxWidth: area.width)
    case .toggle(let on):
      grid.fill(area, style: theme[ground])
      grid.put(on ? "● on" : "○ off", at: area.origin, style: theme[on ? .good : .dim, on: ground])
    case .text, .large: break
    }
  }
}

extension ConsoleState {
  /// What a sequence does, step by step.
  func stepLines(_ form: StubForm) -> [PageLine] {
    var build = StubBuild(form, readsBody: false)
    guard case .sequence(let steps, let afterwards)? = build.stub()?.then else { return [] }
    let rows = steps.enumerated().map { place, step in
      let isHere = place == form.steps.current
      return PageLine([
        .init(isHere ? "▸" : " ", .mark), .init("\(place + 1)  ", .dim),
        .init(shown(StubText.action(step)), StubText.role(step)),
      ])
    }
    return rows + [PageLine("   then \(afterwards.rawValue)", .dim)]
  }
}
