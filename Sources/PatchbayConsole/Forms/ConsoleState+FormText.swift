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
