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
