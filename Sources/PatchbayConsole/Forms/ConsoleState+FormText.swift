import PatchbayGrid
import PatchbayStubs

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
    case (.stub(let name), .stub(let stub)): replaceStub(name, with: stub)
    case (.form, .text(let text)): setBody(text)
    case (_, .broken(let sentence, _)): say(.error, sentence)
    case (.stub, .text), (.form, .stub): break
    }
  }

  private mutating func replaceStub(_ name: String, with stub: Stub) {
    guard let entry = stubs.board[name] else {
      change(stubs: [.add(stub, at: 0)], back: [.remove(name: stub.name)], title: "Added the stub “\(stub.name)”")
      return say(.good, "“\(name)” was gone; what you edited is there again.", undoable: true)
    }
    guard entry.stub != stub else { return say(.info, "Nothing was changed.") }
    change(
      stubs: [.replace(name: name, with: stub)], back: [.replace(name: stub.name, with: entry.stub)],
      title: "Changed the stub “\(stub.name)”")
    say(.good, "“\(stub.name)” is in force.", undoable: true)
  }

  private mutating func setBody(_ text: String) {
    let body = text.hasSuffix("\n") ? String(text.dropLast()) : text
    switch overlays.last {
    case .stubForm(var form):
      form.form.setText("body", body)
      form.changed()
      replaceTop(.stubForm(form))
    case .exchangeForm(var form):
      form.form.setText("body", body)
      form.check()
      replaceTop(.exchangeForm(form))
    default: break
    }
  }
}
