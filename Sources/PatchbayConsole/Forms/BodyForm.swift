import PatchbayGrid
import PatchbayStubs
import PatchbayWire

/// A box in which a stub, a request or a response is edited: what the two forms with a body do alike.
protocol BodyForm: Box {
  var form: Form { get set }
  var isJSONBody: Bool { get }
  /// Whether something would be lost if it was closed, and what that is.
  var isChanged: Bool { get }
  var changesTitle: String { get }
  var editing: FormEditing { get set }

  /// Marks what is wrong in each field and in the body. One that takes a frame to read is only read where that is asked
  /// for, which is not at each key.
  mutating func check(readsSlowBody: Bool)

  /// After each key and each other change.
  mutating func changed(_ context: ConsoleContext, _ out: inout Outcomes)

  mutating func save(_ context: ConsoleContext, _ out: inout Outcomes)

  /// The commands that a form of one kind has for itself.
  mutating func run(own command: FormCommand, _ context: ConsoleContext, _ out: inout Outcomes)
}

/// What a form remembers of how its texts are edited.
struct FormEditing: Sendable, Equatable {
  /// What the search in the text looked for last.
  fileprivate var needle = ""
  /// Which field had the keys before the body got them.
  fileprivate var fieldBefore: String?
  fileprivate var clicks = MouseClicks()
  /// Which answer of the person's own editor is for this form.
  fileprivate var editorToken: Int?
  /// When a body that takes a frame to read is checked.
  fileprivate(set) var checkDue: Timestamp?
}

extension BodyForm {
  var place: BoxPlace { .form }
  var takesText: Bool { true }

  /// What the footer says.
  ///
  /// - Parameter verb: what saving is called; as in the table of keys where nil.
  func hints(_ context: ConsoleContext, verb: String? = nil, without hidden: FormCommand? = nil) -> [FooterHint] {
    context.keys.bindings.enumerated()
      .filter { $0.element.context == .form && $0.element.hint != nil && !$0.element.keys.isEmpty }
      .filter { hidden.map(ConsoleCommand.form) != $0.element.command }
      .sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
      .map { _, row in FooterHint(row, row.command == .form(.save) ? verb : nil) }
  }

  // MARK: Input

  mutating func received(_ input: InputEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch input {
    case .key(let key):
      if let command = context.keys.formCommand(for: key), isMeant(command) { return run(command, context, &out) }
      guard form.handle(key, pageHeight: max(1, context.size.height - 8)) else { return }
    case .paste(let text):
      guard form.editor != nil else { return }
      form.editor?.insert(text)
    case .mouse(let event):
      switch editing.clicks.pointer(for: event, at: context.now) {
      case .press(let point, let isDouble): form.press(point, isDouble: isDouble, in: context.body)
      case .wheel(let step, _) where form.editor.map { $0.lines.count > 1 } == true:
        for _ in 0..<abs(step) { form.editor?.move(step > 0 ? .down : .up) }
      case .wheel, .drag, .release, nil: return
      }
    case .focus: return
    }
    changed(context, &out)
  }

  /// What is done to a text is a command only where a text has the keys.
  private func isMeant(_ command: FormCommand) -> Bool {
    switch command {
    case .editorUndo, .editorRedo, .editorCut, .editorCopy, .editorPaste, .selectAll, .searchText, .replaceText:
      form.editor != nil
    case .save, .cancel, .nextField, .previousField, .goToBody, .format, .editExternally, .showMatches, .addStep,
      .removeStep,
      .moveStepEarlier:
      true
    }
  }

  mutating func run(_ command: FormCommand, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch command {
    case .save: return save(context, &out)
    case .cancel: return cancel(&out)
    case .searchText: return out.ask(.searchEditor, proposing: editing.needle)
    case .replaceText: return out.ask(.replaceFind, proposing: editing.needle)
    case .editExternally: return openEditor(&out)
    case .showMatches, .addStep, .removeStep, .moveStepEarlier: return run(own: command, context, &out)
    case .format: format(context, &out)
    case .nextField, .previousField:
      form.moveFocus(command == .nextField ? 1 : -1)
      form.selectLine()
    case .goToBody:
      editing.fieldBefore = form.toBody(from: editing.fieldBefore)
      form.selectLine()
    case .editorUndo: form.editor?.undo()
    case .editorRedo: form.editor?.redo()
    case .editorPaste: form.editor?.paste()
    case .selectAll: form.editor?.selectAll()
    case .editorCut: if let text = form.editor?.cut() { out.perform(.copy(text: text, label: "what was cut")) }
    case .editorCopy: if let text = form.editor?.copy() { out.perform(.copy(text: text, label: "the text")) }
    }
    changed(context, &out)
  }

  private func cancel(_ out: inout Outcomes) {
    guard isChanged else { return out.close() }
    out.open(
      MenuBox(
        Menu<[Outcome]>(
          title: "Throw away \(changesTitle)?",
          items: [
            .init("s", "Save", [.run(.form(.save))]), .init("d", "Throw away", [.close]),
            .init("esc", "Go on editing", []),
          ])))
  }

  // MARK: Search and replace

  mutating func answered(_ purpose: Prompt.Purpose, _ text: String, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard var editor = form.editor else { return }
    switch purpose {
    case .searchEditor:
      editing.needle = text
      out.say(
        .info, editor.find(text).map { "\($0.index + 1) of \($0.count)" } ?? "“\(text)” is not in the text.")
    case .replaceFind:
      if !text.isEmpty { out.ask(.replaceWith(find: text)) }
      return
    case .replaceWith(let find):
      editing.needle = find
      out.say(.info, "\(Wording.count(editor.replaceAll(find, with: text), "place")) replaced.")
    case .search, .goToLine, .commandInput, .importFile, .searchOutput, .openFile, .loadStubs, .filterStubs, .tags,
      .note,
      .filterName:
      return
    }
    form.editor = editor
    changed(context, &out)
  }

  // MARK: JSON

  /// Makes the JSON of the body readable; where it is none, the cursor goes to what is wrong.
  private mutating func format(_ context: ConsoleContext, _ out: inout Outcomes) {
    guard form.checking("body") != .never else { return out.say(.info, context.sentence(ofLarge: "The body is")) }
    do throws(StubError) {
      let text = try JSONValue(parsing: form.text("body")).indented(escaping: .minimal)
      guard text.utf8.count <= TextEditor.limit else {
        return out.say(.info, context.sentence(ofLarge: "The body would be"))
      }
      if text != form.text("body") { form.setText("body", text) }
    } catch {
      if let position = error.position { form.goTo(position, in: "body") }
      out.say(.error, "The body cannot be made readable: it is not JSON (\(error.description)).")
    }
  }

  /// A body that takes a frame to read is checked a moment after the last key.
  mutating func noteBody(at now: Timestamp) {
    if form.checking("body") == .afterPause { editing.checkDue = Timestamp(microseconds: now.microseconds + 400_000) }
  }

  mutating func checkBodyIfDue(at now: Timestamp) {
    guard let due = editing.checkDue, due <= now else { return }
    editing.checkDue = nil
    check(readsSlowBody: true)
  }

  // MARK: The person's own editor

  private mutating func openEditor(_ out: inout Outcomes) {
    let token = out.newToken()
    editing.editorToken = token
    let content = EditorJob.Content.text(form.text("body"), fileExtension: isJSONBody ? "json" : "txt")
    out.perform(.openEditor(EditorJob(token: token, content: content)))
  }

  /// What the editor left of the body.
  mutating func received(_ result: EditorResult, token: Int, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard token == editing.editorToken else { return }
    editing.editorToken = nil
    switch result {
    case .unchanged: out.say(.info, "Nothing was changed.")
    case .broken(let sentence, _): out.say(.error, sentence)
    case .stub: break
    case .text(let text):
      form.setEditedBody(text)
      // What went wrong before is over.
      out.say(.good, "The body is as the editor left it.")
      changed(context, &out)
    }
  }
}

extension ConsoleContext {
  /// The key that opens a body in the person's own editor.
  var editorKey: String { keys.bindings.first { $0.command == .form(.editExternally) }?.keyLabel ?? "" }

  /// Such as `The body is larger than 1 MB: ctrl-e opens it in your editor.`
  func sentence(ofLarge subject: String) -> String {
    "\(subject) larger than \(Wording.size(Int64(TextEditor.limit))): \(editorKey) opens it in your editor."
  }
}
