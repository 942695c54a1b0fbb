import PatchbayGrid
import PatchbayStubs
import PatchbayWire

extension ConsoleState {
  // MARK: The stub form

  mutating func handle(_ key: Key, in form: StubForm) {
    var form = form
    if let command = keys.formCommand(for: key), isForm(command, for: form.form) {
      return run(command, in: form)
    }
    guard form.form.handle(key, pageHeight: max(1, size.height - 8)) else { return }
    form.changed()
    replaceTop(.stubForm(form))
    formChanged(form)
  }

  /// Keys of the text itself are left to it: undo, cut and the like are commands only where there is an editor.
  private func isForm(_ command: FormCommand, for form: Form) -> Bool {
    switch command {
    case .editorUndo, .editorRedo, .editorCut, .editorCopy, .editorPaste, .selectAll, .searchText, .replaceText:
      form.editor != nil
    default: true
    }
  }

  private mutating func run(_ command: FormCommand, in form: StubForm) {
    var form = form
    switch command {
    case .save: return save(form)
    case .cancel: return cancel(isChanged: form.isChanged, "the changes to “\(form.original.name)”")
    case .format: return format(&form.form, .stubForm(form))
    case .editExternally: return editBodyExternally(form)
    case .showMatches: return showMatches(form)
    case .searchText: return openPrompt(.searchEditor, text: form.needle)
    case .replaceText: return openPrompt(.replaceFind, text: form.needle)
    case .addStep, .removeStep, .moveStepEarlier:
      guard form.form.text("action") == "sequence" else {
        return say(.info, "Only a sequence has steps: choose it at “then”.")
      }
      form.runStep(command)
    default: runEditor(command, &form.form)
    }
    form.changed()
    replaceTop(.stubForm(form))
    formChanged(form)
  }

  private mutating func runEditor(_ command: FormCommand, _ form: inout Form) {
    switch command {
    case .nextField: return form.moveFocus(1)
    case .previousField: return form.moveFocus(-1)
    default: break
    }
    guard var editor = form.editor else { return }
    edit(&editor, command)
    form.editor = editor
  }

  private mutating func edit(_ editor: inout TextEditor, _ command: FormCommand) {
    switch command {
    case .editorUndo: editor.undo()
    case .editorRedo: editor.redo()
    case .editorCut: effects.append(.copy(text: editor.cut(), label: "what was cut"))
    case .editorCopy: effects.append(.copy(text: editor.copy(), label: "the text"))
    case .editorPaste: editor.paste()
    case .selectAll: editor.selectAll()
    default: break
    }
  }

  /// Asks how many recorded requests the pattern fits, when it has changed.
  mutating func formChanged(_ form: StubForm) {
    noteDraft(of: form)
    noteBody(form.form)
    askForPreview(form)
  }

  /// Opens a form; how many requests its pattern fits is asked at once.
  mutating func open(_ form: StubForm) {
    overlays.append(.stubForm(form))
    askForPreview(form)
  }

  private mutating func askForPreview(_ form: StubForm) {
    var build = StubBuild(form)
    let pattern = build.pattern()
    guard build.problems.isEmpty, pattern != form.previewed else { return }
    var form = form
    form.previewToken = newToken()
    form.previewed = pattern
    replaceTop(.stubForm(form))
    effects.append(.preview(token: form.previewToken ?? 0, pattern))
  }

  mutating func take(_ result: PreviewResult, token: Int) {
    for place in overlays.indices {
      guard case .stubForm(var form) = overlays[place], form.previewToken == token else { continue }
      form.preview = result
      form.sample = nil
      if let id = result.newest.first {
        form.sampleToken = newToken()
        effects.append(.fetch([id], for: .sample(token: form.sampleToken ?? 0)))
      }
      overlays[place] = .stubForm(form)
    }
  }

  /// The request that fills the templates of a form's preview.
  mutating func take(sample: Exchange, token: Int) {
    for place in overlays.indices {
      guard case .stubForm(var form) = overlays[place], form.sampleToken == token else { continue }
      form.sample = RequestFacts(of: sample)
      overlays[place] = .stubForm(form)
    }
  }

  mutating func save(_ form: StubForm) {
    var form = form
    form.check(readsSlowBody: true)
    var build = StubBuild(form)
    guard let stub = build.stub() else {
      if let wrong = form.form.fields.first(where: { $0.problem != nil }) { form.form.focus(wrong.id) }
      replaceTop(.stubForm(form))
      return say(.error, "Not saved: \(Wording.first(of: form.problems)).")
    }
    if let problem = form.templateProblem, form.toldProblem != problem {
      form.toldProblem = problem
      replaceTop(.stubForm(form))
      return say(
        .warning, "Not saved yet: \(problem)\(problem.hasSuffix("?") ? "" : ".") Save again to send it as it stands.")
    }
    let name = form.original.name
    if stub.name != name || form.isNew, stubs.board[stub.name] != nil {
      form.form.set("name") { $0.problem = "another stub has that name" }
      replaceTop(.stubForm(form))
      return say(.error, "Not saved: another stub is called “\(stub.name)”.")
    }
    let note = form.bodyProblem == nil ? "" : " Its body is not JSON and is sent as text."
    guard form.isNew else {
      if put(stub, inPlaceOf: form.original, note: note) { close(form) }
      return
    }
    closeTop()
    change(stubs: [.add(stub, at: 0)], back: [.remove(name: stub.name)], title: "Added the stub “\(stub.name)”")
    say(.good, "“\(stub.name)” is \(stub.enabled ? "in force" : "saved, and off").\(note)", undoable: true)
  }

  private mutating func close(_ form: StubForm) { if case .stubForm = overlays.last { closeTop() } }

  private mutating func cancel(isChanged: Bool, _ what: String) {
    guard isChanged else { return closeTop() }
    overlays.append(
      .menu(
        Menu(
          title: "Throw away \(what)?",
          items: [
            Menu.Item("s", "Save", .save), Menu.Item("d", "Throw away", .discard),
            Menu.Item("esc", "Go on editing", .stay),
          ])))
  }

  /// The requests that the pattern fits, in the list behind the form.
  private mutating func showMatches(_ form: StubForm) {
    guard let preview = form.preview, !preview.newest.isEmpty else {
      return say(.info, "No recorded request fits the pattern.")
    }
    var menu = Menu(
      title: "Fits \(Wording.count(preview.matching)) of \(Wording.count(preview.of))", items: [],
      note: preview.matching > preview.newest.count
        ? "the newest \(preview.newest.count); esc goes back" : "esc goes back")
    menu.requests = preview.newest
    menu.items = requestItems(preview.newest)
    ask(for: preview.newest)
    overlays.append(.menu(menu))
  }

  private func requestItems(_ ids: [Int64]) -> [Menu.Item] {
    ids.map { id in
      guard let summary = requests.cache[id] else { return Menu.Item(nil, "\(id)", .stay) }
      let look = OutcomeLook(summary)
      return Menu.Item(
        nil, "\(id)  \(summary.method) \(summary.host)\(summary.path)", detail: "\(look.sign) \(look.text)", .stay)
    }
  }

  /// Fills in the rows of a list of requests that have become known.
  mutating func refreshRequestMenu() {
    guard case .menu(var menu) = overlays.last, !menu.requests.isEmpty else { return }
    menu.items = requestItems(menu.requests)
    replaceTop(.menu(menu))
  }

  // MARK: The form of a request or response

  mutating func handle(_ key: Key, in form: ExchangeForm) {
    var form = form
    if let command = keys.formCommand(for: key), isForm(command, for: form.form) {
      switch command {
      case .save: return send(form)
      case .cancel: return cancel(isChanged: form.isChanged, "what you changed")
      case .format: return format(&form.form, .exchangeForm(form))
      case .editExternally: return editBodyExternally(form)
      case .searchText: return openPrompt(.searchEditor, text: form.needle)
      case .replaceText: return openPrompt(.replaceFind, text: form.needle)
      default: runEditor(command, &form.form)
      }
    } else {
      guard form.form.handle(key, pageHeight: max(1, size.height - 8)) else { return }
    }
    form.check()
    replaceTop(.exchangeForm(form))
    noteBody(form.form)
  }

  /// A body that takes a frame to read is checked a moment after the last key.
  private mutating func noteBody(_ form: Form) {
    if form.checking("body") == .afterPause { bodyCheckDue = Timestamp(microseconds: now.microseconds + 400_000) }
  }

  mutating func checkBody() {
    bodyCheckDue = nil
    for place in overlays.indices {
      switch overlays[place] {
      case .stubForm(var form):
        form.check(readsSlowBody: true)
        overlays[place] = .stubForm(form)
      case .exchangeForm(var form):
        form.check(readsSlowBody: true)
        overlays[place] = .exchangeForm(form)
      default: break
      }
    }
  }

  mutating func send(_ form: ExchangeForm) {
    var form = form
    form.check(readsSlowBody: true)
    guard let effect = form.effect else {
      replaceTop(.exchangeForm(form))
      let problems = form.form.fields.compactMap { field in field.problem.map { "\(field.label): \($0)" } }
      return say(.error, "Not sent: \(Wording.first(of: problems)).")
    }
    if form.purpose == .replay, form.isTruncated, !form.isBodyChanged {
      form.form.focus("body")
      replaceTop(.exchangeForm(form))
      return say(.error, "Not sent: only a part of its body was recorded. Give it another one here.")
    }
    if form.purpose != .replay, !held.contains(form.exchange.id) {
      return say(.error, "That request is no longer held; the program went on or cancelled it.")
    }
    closeTop()
    effects.append(effect)
    if form.purpose == .replay { awaitedReplays.insert(form.exchange.id) }
    say(.good, form.purpose == .replay ? "Sent again." : "Done; the program goes on.")
  }
}

extension ConsoleState {
  // MARK: Search and replace

  mutating func answerInForm(_ purpose: Prompt.Purpose, _ text: String) {
    switch purpose {
    case .searchEditor:
      changeEditor(needle: text) { editor in
        editor.find(text).map { "\($0.index + 1) of \($0.count)" } ?? "“\(text)” is not in the text."
      }
    case .replaceFind where !text.isEmpty: openPrompt(.replaceWith(find: text), text: "")
    case .replaceWith(let find):
      changeEditor(needle: find) { "\(Wording.count($0.replaceAll(find, with: text), "place")) replaced." }
    default: break
    }
  }

  private mutating func changeEditor(needle: String, _ change: (inout TextEditor) -> String) {
    switch overlays.last {
    case .stubForm(var form):
      guard var editor = form.form.editor else { return }
      say(.info, change(&editor))
      form.form.editor = editor
      form.needle = needle
      form.changed()
      replaceTop(.stubForm(form))
      formChanged(form)
    case .exchangeForm(var form):
      guard var editor = form.form.editor else { return }
      say(.info, change(&editor))
      form.form.editor = editor
      form.needle = needle
      form.check()
      replaceTop(.exchangeForm(form))
    default: break
    }
  }

  // MARK: The person's own editor

  mutating func editBodyExternally(_ form: StubForm) {
    openEditor(form.form.text("body"), isJSON: form.isJSONBody)
  }

  mutating func editBodyExternally(_ form: ExchangeForm) {
    openEditor(form.form.text("body"), isJSON: form.isJSONBody)
  }

  private mutating func openEditor(_ text: String, isJSON: Bool) {
    let token = newToken()
    editing[token] = .form
    effects.append(.openEditor(EditorJob(token: token, content: .text(text, fileExtension: isJSON ? "json" : "txt"))))
  }

  /// What the editor left: the stub is put in force, the text goes into the form that is open.
  mutating func take(_ result: EditorResult, token: Int) {
    guard let target = editing.removeValue(forKey: token) else { return }
    switch (target, result) {
    case (_, .unchanged): say(.info, "Nothing was changed.")
    case (.stub(let base), .stub(let stub)): put(stub, inPlaceOf: base)
    case (.form, .text(let text)): setBody(text)
    case (.stub(let base), .broken(let sentence, let text)): askAboutBroken(sentence, text, base)
    case (.form, .broken(let sentence, _)): say(.error, sentence)
    case (.stub, .text), (.form, .stub): break
    }
  }

  /// What cannot be read is not lost: back to the editor with it, unless the person gives it up.
  private mutating func askAboutBroken(_ sentence: String, _ text: String, _ base: Stub) {
    var menu = Menu(
      title: "“\(base.name)” cannot be read so",
      items: [
        Menu.Item("e", "Back to the editor, with what you wrote", .editAgain(base, text: text)),
        Menu.Item("y", "Copy what you wrote", .copyText(text, label: "what you wrote")),
        Menu.Item("d", "Throw away what you wrote", .stay),
      ])
    menu.text = sentence.split(separator: "\n").map(String.init)
    menu.note = "the stub is in force as it was"
    menu.keepsOpen = true
    overlays.append(.menu(menu))
  }

  /// Editors end a file with a line feed: one that the body did not have is none of the person's.
  private mutating func setBody(_ text: String) {
    func body(_ form: Form) -> String {
      guard text.utf8.last == 0x0A, form.text("body").utf8.last != 0x0A else { return text }
      return String(text.hasSuffix("\r\n") ? text.utf8.dropLast(2) : text.utf8.dropLast()) ?? text
    }
    switch overlays.last {
    case .stubForm(var form):
      form.form.setText("body", body(form.form))
      form.changed()
      replaceTop(.stubForm(form))
    case .exchangeForm(var form):
      form.form.setText("body", body(form.form))
      form.check()
      replaceTop(.exchangeForm(form))
    default: break
    }
  }
}

extension ConsoleState {
  /// Makes the JSON of the body readable; where it is none, the cursor goes to what is wrong.
  mutating func format(_ form: inout Form, _ overlay: Overlay) {
    guard form.checking("body") != .never else { return sayIsLarge("The body is") }
    do throws(StubError) {
      let text = try JSONValue(parsing: form.text("body")).indented()
      guard text.utf8.count <= TextEditor.limit else { return sayIsLarge("The body would be") }
      if text != form.text("body") { form.setText("body", text) }
    } catch {
      goTo(error.position, &form)
      show(form, in: overlay)
      return say(.error, "The body cannot be made readable: it is not JSON (\(error.description)).")
    }
    show(form, in: overlay)
  }

  /// The cursor goes to what is wrong in the body.
  private func goTo(_ position: SourcePosition?, _ form: inout Form) {
    guard let position, let lines = form.editor(of: "body")?.lines, lines.indices.contains(position.line - 1) else {
      return
    }
    form.focus("body")
    let offset = EditorView.offsets(of: position, in: lines[position.line - 1]).lowerBound
    form.editor?.move(to: TextEditor.Place(line: position.line - 1, offset: offset))
  }

  private mutating func sayIsLarge(_ subject: String) { say(.info, sentence(ofLarge: subject)) }

  /// Such as `The body is larger than 1 MB: ctrl-e opens it in your editor.`
  func sentence(ofLarge subject: String) -> String {
    "\(subject) larger than \(Wording.size(Int64(TextEditor.limit))): \(editorKey) opens it in your editor."
  }

  /// The key that opens a body in the person's own editor.
  var editorKey: String { keys.bindings.first { $0.command == .form(.editExternally) }?.keyLabel ?? "" }

  private mutating func show(_ form: Form, in overlay: Overlay) {
    switch overlay {
    case .stubForm(var stub):
      stub.form = form
      stub.changed()
      replaceTop(.stubForm(stub))
    case .exchangeForm(var exchange):
      exchange.form = form
      exchange.check()
      replaceTop(.exchangeForm(exchange))
    default: break
    }
  }
}

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

extension StubForm {
  mutating func paste(_ text: String) {
    form.editor?.insert(text)
    changed()
  }
}

extension ExchangeForm {
  mutating func paste(_ text: String) {
    form.editor?.insert(text)
    check()
  }
}
