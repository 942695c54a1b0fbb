import PatchbayStubs

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
