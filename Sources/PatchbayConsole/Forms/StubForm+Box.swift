import PatchbayGrid
import PatchbayStubs
import PatchbayWire

extension StubForm: BodyForm {
  func hints(_ context: ConsoleContext) -> [FooterHint] { hints(context, verb: nil) }
  var changesTitle: String { "the changes to “\(original.name)”" }
  var nextTick: Int64? { [draftDue, bodyCheckDue].compactMap { $0?.microseconds }.min() }

  /// How many requests its pattern fits is asked at once.
  mutating func opened(_ context: ConsoleContext, _ out: inout Outcomes) { askForPreview(&out) }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch event {
    case .input(let input): received(input, context, &out)
    case .editorReturned(let token, let result): received(result, token: token, context, &out)
    case .preview(let token, let result) where token == previewToken: received(result, &out)
    case .fetched(let exchanges, for: .sample(let token)) where token == sampleToken:
      sample = exchanges.first.map { RequestFacts(of: $0) }
    case .tick:
      checkBodyIfDue(at: context.now)
      keepDraftIfDue(at: context.now, &out)
    default: break
    }
  }

  mutating func changed(_ context: ConsoleContext, _ out: inout Outcomes) {
    changed()
    noteDraft(at: context.now)
    noteBody(at: context.now)
    askForPreview(&out)
  }

  mutating func run(own command: FormCommand, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard command != .showMatches else { return showMatches(&out) }
    guard form.text("action") == "sequence" else {
      return out.say(.info, "Only a sequence has steps: choose it at “then”.")
    }
    runStep(command)
    changed(context, &out)
  }

  // MARK: The preview

  /// Asks how many recorded requests the pattern fits, when it has changed.
  private mutating func askForPreview(_ out: inout Outcomes) {
    var build = StubBuild(self)
    let pattern = build.pattern()
    guard build.problems.isEmpty, pattern != previewed else { return }
    let token = out.newToken()
    previewToken = token
    previewed = pattern
    out.perform(.preview(token: token, pattern))
  }

  private mutating func received(_ result: PreviewResult, _ out: inout Outcomes) {
    preview = result
    sample = nil
    guard let id = result.newest.first else { return }
    let token = out.newToken()
    sampleToken = token
    out.perform(.fetch([id], for: .sample(token: token)))
  }

  /// The requests that the pattern fits, in a list over the form.
  private func showMatches(_ out: inout Outcomes) {
    guard let preview, !preview.newest.isEmpty else {
      return out.say(.info, "No recorded request fits the pattern.")
    }
    out.add(
      .requests(
        .list(
          preview.newest, title: "Fits \(Wording.count(preview.matching)) of \(Wording.count(preview.of))",
          note: preview.matching > preview.newest.count
            ? "the newest \(preview.newest.count); esc goes back" : "esc goes back")))
  }

  // MARK: Saving

  mutating func save(_ context: ConsoleContext, _ out: inout Outcomes) {
    check(readsSlowBody: true)
    var build = StubBuild(self)
    guard let stub = build.stub() else {
      if let wrong = form.fields.first(where: { $0.problem != nil }) { form.focus(wrong.id) }
      return out.say(.error, "Not saved: \(Wording.first(of: problems)).")
    }
    if let problem = templateProblem, toldProblem != problem {
      toldProblem = problem
      return out.say(
        .warning, "Not saved yet: \(problem)\(problem.hasSuffix("?") ? "" : ".") Save again to send it as it stands.")
    }
    if stub.name != original.name || isNew, context.stubs.board[stub.name] != nil {
      form.set("name") { $0.problem = "another stub has that name" }
      return out.say(.error, "Not saved: another stub is called “\(stub.name)”.")
    }
    let note = bodyProblem == nil ? "" : " Its body is not JSON and is sent as text."
    guard isNew else { return out.add(.stubs(.put(stub, inPlaceOf: original, note: note, isForm: true))) }
    out.close()
    out.change(stubs: [.add(stub, at: 0)], back: [.remove(name: stub.name)], title: "Added the stub “\(stub.name)”")
    out.say(.good, "“\(stub.name)” is \(stub.enabled ? "in force" : "saved, and off").\(note)", undoable: true)
  }

  // MARK: The draft

  /// What stands in the form is kept a moment after it was typed, in case the console ends before it is saved.
  private mutating func noteDraft(at now: Timestamp) {
    guard draftDue == nil else { return }
    let pause: Int64 = form.checking("body") == .atEachKey ? 700_000 : 3_000_000
    draftDue = Timestamp(microseconds: now.microseconds + pause)
  }

  private mutating func keepDraftIfDue(at now: Timestamp, _ out: inout Outcomes) {
    guard let due = draftDue, due <= now else { return }
    draftDue = nil
    guard isChanged else {
      closed(&out)
      hasDraft = false
      return
    }
    var build = StubBuild(self)
    guard let stub = build.stub() else { return }
    hasDraft = true
    out.perform(.keepDraft(StubDraft(base: isNew ? nil : original.name, stub: stub)))
  }

  func closed(_ out: inout Outcomes) { if hasDraft { out.perform(.keepDraft(nil)) } }

  // MARK: Drawing

  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    var view = FormView(form: form, context: context)
    view.isJSON = isJSONBody
    view.emptyBody = bodyNote ?? "empty"
    view.status = status(context)
    view.aside = form.text("action") == "sequence" ? stepLines : []
    view.filled = templatePreview(context.stubs.hits)
    view.draw(on: &grid, in: area)
  }

  private func status(_ context: ConsoleContext) -> [PageLine.Piece] {
    if form.editor?.isFull == true {
      return [.init("! \(context.sentence(ofLarge: "The text would become"))", .warning)]
    }
    if let problem = problems.first {
      let more = problems.count > 1 ? " (\(problems.count - 1) more)" : ""
      return [.init("✗ \(problem)\(more)", .error)]
    }
    if let templateProblem { return [.init("! \(templateProblem)", .warning)] }
    if let bodyProblem { return [.init("! The body is \(bodyProblem)", .warning)] }
    guard let preview else { return [] }
    let count = "\(Wording.count(preview.matching)) of \(Wording.count(preview.of))"
    let matches = PageLine.Piece("matches \(count) recorded requests", preview.matching > 0 ? .good : .warning)
    guard preview.matching > 0,
      let key = context.keys.bindings.first(where: { $0.command == .form(.showMatches) })?.keyLabel
    else { return [matches] }
    return [matches, .init("  \(key) lists them", .dim)]
  }

  /// What the templates become; nil where there are none.
  private func templatePreview(_ hits: StubHits) -> TemplatePreview? {
    guard templateProblem == nil, fillsIn, form["body"]?.isHidden == false, form.checking("body") == .atEachKey
    else { return nil }
    return TemplatePreview(
      body: form.text("body"), headers: form.text("headers"), sample: sample,
      hits: Int(hits[original.name]?.hits ?? 0))
  }

  /// What a sequence does, step by step.
  private var stepLines: [PageLine] {
    var build = StubBuild(self, readsBody: false)
    guard case .sequence(let steps, let afterwards)? = build.stub()?.then else { return [] }
    let rows = steps.enumerated().map { place, step in
      let isHere = place == self.steps.current
      return PageLine([
        .init(isHere ? "▸" : " ", .mark), .init("\(place + 1)  ", .dim),
        .init(shown(StubWords.action(step)), StubWords.role(step)),
      ])
    }
    return rows + [PageLine("   then \(afterwards.rawValue)", .dim)]
  }
}
