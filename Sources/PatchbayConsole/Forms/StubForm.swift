import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayWire

/// The form in which a stub is edited. What it does not show of the stub is kept.
struct StubForm: Sendable, Equatable {
  /// The stub as it was; its name finds it on the board.
  let original: Stub
  let isNew: Bool
  /// What stands in the place of a body that is not text. Found once: reading many megabytes takes long.
  private(set) var bodyNote: String?
  var form: Form
  var preview = PatternPreview()
  var draft = FormDraft()
  var editing = FormEditing()
  /// Where the body is no JSON: line and column from 1.
  var bodyProblem: String?
  /// What cannot be filled in, with its place; saving asks about it once.
  private(set) var templateProblem: String?
  /// What the person was told about at the last attempt to save: the next one sends it as it stands.
  var toldProblem: String?
  /// The person was told that its pattern fits every request.
  var toldEverything = false
  var steps = SequenceSteps()
  private let initial: Form
  private var kind = ""

  static let actions = ["respond", "fail", "pass", "hold", "sequence"]

  static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

  init(editing stub: Stub) { self.init(stub, isNew: false) }

  init(adding name: String, pattern: RequestPattern = RequestPattern()) {
    self.init(
      Stub(name: name, when: pattern, then: .respond(CannedResponse(headers: [], body: .json(.object([]))))),
      isNew: true)
  }

  private init(_ stub: Stub, isNew: Bool) {
    original = stub
    self.isNew = isNew
    var form = Form(isNew ? "New stub" : "Stub “\(stub.name)”", StubForm.fields(of: stub))
    if case .sequence(let actions, _) = stub.then, !actions.isEmpty { steps = SequenceSteps(actions, in: &form) }
    StubForm.showFields(&form)
    self.form = form
    initial = form
    noteBase()
    checkBody(readsSlowBody: true)
  }

  /// Whether something would be lost. What was typed and makes the same stub is no loss, nor is a blank in JSON.
  var isChanged: Bool {
    guard !form.hasSameText(as: initial) || !steps.isEmpty else { return false }
    var build = StubBuild(self)
    guard let stub = build.stub(), build.problems.isEmpty else { return true }
    return stub != original
  }

  /// After every key: hidden fields, live checks.
  mutating func changed() {
    keepStepsInStep()
    keepStatusInStep()
    StubForm.showFields(&form)
    if form.focused?.isShown == false { form.moveFocus(1) }
    check()
  }

  /// What was chosen of the sequence is shown.
  private mutating func keepStepsInStep() {
    guard form.text("action") == "sequence" else { return }
    if steps.isEmpty {
      steps.begin(with: original.then, in: &form)
    } else if case .choice(_, let wanted)? = form["step"]?.kind, wanted != steps.current {
      steps.go(to: wanted, in: &form)
      noteBase()
    }
  }

  /// After another action or step came in sight.
  private mutating func noteBase() {
    kind = kindInSight
    bodyNote = StubForm.bodyNote(base.canned?.body)
  }

  /// The network's answer keeps its status unless one is typed; an answer of one's own has one.
  private mutating func keepStatusInStep() {
    guard kindInSight != kind else { return }
    kind = kindInSight
    let status = form.text("status")
    if kind == "pass", status == "200" { form.setText("status", "") }
    if kind != "pass", status.isEmpty { form.setText("status", "200") }
  }

  /// What is chosen that the fields are for: the action, or that of the step in sight.
  private var kindInSight: String {
    form.text("action") == "sequence" ? form.text("stepAction") : form.text("action")
  }

  /// What the fields in sight were filled from.
  private var base: Action {
    steps.all.indices.contains(steps.current) ? steps.all[steps.current].original : original.then
  }

  /// Whether braces in the body are filled in; those of bytes that were recorded mean themselves.
  var fillsIn: Bool { if case .data = base.canned?.body { false } else { true } }

  /// The commands on the steps of a sequence; nothing for other actions.
  mutating func runStep(_ command: FormCommand) {
    guard form.text("action") == "sequence", !steps.isEmpty else { return }
    switch command {
    case .addStep: steps.add(in: &form)
    case .removeStep: steps.remove(in: &form)
    case .moveStepEarlier: steps.moveEarlier(in: &form)
    default: return
    }
    noteBase()
    changed()
  }

  /// Of what is wrong in a field the first is shown.
  mutating func mark(_ problems: [(String, String)]) {
    for (id, problem) in problems.reversed() { form.set(id) { $0.problem = problem } }
  }

  /// Marks what is wrong in each field and in the body. One that takes a frame to read is only read where that is asked
  /// for, which is not at each key.
  mutating func check(readsSlowBody: Bool = false) {
    for place in form.fields.indices { form.fields[place].problem = nil }
    var build = StubBuild(self, readsBody: false)
    _ = build.stub()
    mark(build.problems)
    form.foldFields()
    form.otherMistakes = [:]
    if form["patch"]?.problem != nil {
      do throws(StubError) {
        _ = try JSONValue(parsing: form.text("patch"))
      } catch {
        form.otherMistakes["patch"] = error.position
      }
    }
    checkBody(readsSlowBody: readsSlowBody)
  }

  private mutating func checkTemplates() {
    templateProblem = nil
    if form["headers"]?.isHidden == false, let error = TemplateCheck.headers(form.text("headers")) {
      templateProblem = "headers \(error.description)"
      form.otherMistakes["headers"] = error.position
    }
    if fillsIn, form["body"]?.isHidden == false, form.checking("body") == .atEachKey,
      let error = TemplateCheck.body(form.text("body"))
    {
      templateProblem = templateProblem ?? "body \(error.description)"
      if form.mistake == nil { form.mistake = error.position }
    }
    if toldProblem != templateProblem { toldProblem = nil }
  }

  private mutating func checkBody(readsSlowBody: Bool) {
    if form.checking("body") == .afterPause, !readsSlowBody { return }
    bodyProblem = nil
    form.mistake = nil
    defer { checkTemplates() }
    guard form["body"]?.isHidden == false, form.checking("body") != .never, isJSONBody else { return }
    do throws(StubError) {
      try TemplateJSON.check(form.text("body"))
    } catch {
      bodyProblem = "not JSON: \(error.description)"
      form.mistake = error.position
    }
  }

  /// Whether the body is to be JSON: it says so in its headers, was JSON, or looks like it.
  var isJSONBody: Bool {
    guard let first = form.firstLetter(of: "body") else { return false }
    if let type = form.text("headers").split(separator: "\n").first(where: {
      $0.lowercased().hasPrefix("content-type:")
    }) {
      return type.lowercased().contains("json")
    }
    if case .json = base.canned?.body { return true }
    return first == "{" || first == "["
  }

  var problems: [String] {
    form.fields.compactMap { field in field.problem.map { "\(field.label.lowercased()): \($0)" } }
  }
}
