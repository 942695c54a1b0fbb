import PatchbayGrid
import PatchbayStubs
import PatchbayWire

/// A body of many megabytes is edited without a copy or a reading of it at each key.
extension ConsoleState {
  /// Typing in a form; false for what is no typing.
  mutating func typeInForm(_ key: Key) -> Bool {
    guard let place = overlays.indices.last, overlays[place].isForm else { return false }
    let pageHeight = max(1, size.height - 8)
    if typeInText(key, at: place, pageHeight) { return true }
    guard !isFormCommand(key, at: place) else { return false }
    // The form is changed where it is the only one.
    var overlay = Overlay.menu(Menu(title: "", items: []))
    swap(&overlay, &overlays[place])
    switch consume overlay {
    case .stubForm(var form):
      let isChanged = form.form.handle(key, pageHeight: pageHeight)
      if isChanged { form.changed() }
      overlays[place] = .stubForm(form)
      if isChanged { formChanged(form) }
    case .exchangeForm(var form):
      let isChanged = form.form.handle(key, pageHeight: pageHeight)
      if isChanged { form.check() }
      overlays[place] = .exchangeForm(form)
      if isChanged { noteBody(form.form) }
    case let other: overlays[place] = other
    }
    return true
  }

  /// Typing in a text of several lines; false where none has the keys, or the key is for the form.
  private mutating func typeInText(_ key: Key, at place: Int, _ pageHeight: Int) -> Bool {
    let command = keys.formCommand(for: key)
    if let command, !command.isEditing { return false }
    // A copy that lived while the text is changed would be a copy of all its lines.
    guard var editor = takeEditor(at: place) else { return false }
    var isChanged = true
    if let command { edit(&editor, command) } else { isChanged = editor.handle(key, pageHeight: pageHeight) }
    putBack(editor, at: place, isChanged)
    return true
  }

  /// Takes the text that has the keys out of its form; nothing else has it then.
  @inline(never)
  private mutating func takeEditor(at place: Int) -> TextEditor? {
    switch overlays[place] {
    case .stubForm(var form):
      guard let editor = form.form.takeText() else { return nil }
      overlays[place] = .stubForm(form)
      return editor
    case .exchangeForm(var form):
      guard let editor = form.form.takeText() else { return nil }
      overlays[place] = .exchangeForm(form)
      return editor
    default: return nil
    }
  }

  @inline(never)
  private mutating func putBack(_ editor: TextEditor, at place: Int, _ isChanged: Bool) {
    switch overlays[place] {
    case .stubForm(var form):
      form.form.fields[form.form.focus].kind = .text(editor)
      if isChanged { form.changed() }
      overlays[place] = .stubForm(form)
      if isChanged { formChanged(form) }
    case .exchangeForm(var form):
      form.form.fields[form.form.focus].kind = .text(editor)
      if isChanged { form.check() }
      overlays[place] = .exchangeForm(form)
      if isChanged { noteBody(form.form) }
    default: break
    }
  }

  private func isFormCommand(_ key: Key, at place: Int) -> Bool {
    guard let command = keys.formCommand(for: key) else { return false }
    return switch overlays[place] {
    case .stubForm(let form): isForm(command, for: form.form)
    case .exchangeForm(let form): isForm(command, for: form.form)
    default: false
    }
  }

  /// A large body is checked a moment after the last key.
  mutating func noteBody(_ form: Form) {
    guard let editor = form.editor(of: "body"), editor.isLarge, editor.version != form.reading?.version else { return }
    readingDue = Timestamp(microseconds: now.microseconds + 400_000)
  }

  mutating func readBody(formats: Bool) {
    readingDue = nil
    let token = newToken()
    withOpenForm { form, isJSON, _ in
      guard let editor = form.editor(of: "body"), formats || isJSON else { return nil }
      form.reading = Form.BodyReading(token: token, version: editor.version)
      return .readJSON(token: token, lines: editor.lines, formats: formats)
    }
  }

  mutating func take(_ token: Int, problem: StubError?, text: EditedLines?) {
    var isOurs = false
    withOpenForm { form, _, bodyProblem in
      guard form.reading?.token == token, form.editor(of: "body")?.version == form.reading?.version else { return nil }
      isOurs = true
      bodyProblem = problem.map { "not JSON: \($0)" }
      form.mistake = problem?.position
      if let text {
        form.setText("body", text)
        form.reading = Form.BodyReading(token: token, version: form.editor(of: "body")?.version ?? 0)
      }
      return nil
    }
    guard isOurs, text != nil || problem != nil else { return }
    if let problem {
      say(.error, "The body is not JSON (\(problem)).")
    } else {
      say(.good, "The body is readable now.")
    }
  }

  private mutating func withOpenForm(_ change: (inout Form, Bool, inout String?) -> ConsoleEffect?) {
    guard let place = overlays.indices.last(where: { overlays[$0].isForm }) else { return }
    switch overlays[place] {
    case .stubForm(var form):
      if let effect = change(&form.form, form.isJSONBody, &form.bodyProblem) { effects.append(effect) }
      overlays[place] = .stubForm(form)
    case .exchangeForm(var form):
      if let effect = change(&form.form, form.isJSONBody, &form.bodyProblem) { effects.append(effect) }
      overlays[place] = .exchangeForm(form)
    default: break
    }
  }
}

extension Overlay {
  fileprivate var isForm: Bool {
    switch self {
    case .stubForm, .exchangeForm: true
    default: false
    }
  }
}

extension FormCommand {
  /// What is done to the text that has the keys and to nothing else.
  fileprivate var isEditing: Bool {
    [.editorUndo, .editorRedo, .editorCut, .editorCopy, .editorPaste, .selectAll].contains(self)
  }
}
