import PatchbayGrid
import PatchbayStubs
import PatchbayWire

extension StubForm: BodyForm {
  func hints(_ context: ConsoleContext) -> [FooterHint] { hints(context, verb: nil) }
  var changesTitle: String { "the changes to “\(original.name)”" }
  var nextTick: Int64? { [draft.due, editing.checkDue, preview.due].compactMap { $0?.microseconds }.min() }

  /// How many requests its pattern fits is asked at once.
  mutating func opened(_ context: ConsoleContext, _ out: inout Outcomes) { askForPreview(&out) }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch event {
    case .input(let input): received(input, context, &out)
    case .editorReturned(let token, let result): received(result, token: token, context, &out)
    case .tick:
      checkBodyIfDue(at: context.now)
      keepDraftIfDue(at: context.now, &out)
      preview.askAgainIfDue(at: context.now, &out)
    case .exchanges: preview.noteNews(at: context.now)
    default: preview.update(event, &out)
    }
  }

  mutating func changed(_ context: ConsoleContext, _ out: inout Outcomes) {
    changed()
    draft.note(at: context.now, pause: form.checking("body") == .atEachKey ? 700_000 : 3_000_000)
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

  private mutating func askForPreview(_ out: inout Outcomes) {
    var build = StubBuild(self)
    let pattern = build.pattern()
    if build.problems.isEmpty { preview.ask(pattern, &out) }
  }

  /// The requests that the pattern fits, in a list over the form.
  private func showMatches(_ out: inout Outcomes) {
    guard let preview = preview.result, !preview.newest.isEmpty else {
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
      mark(build.problems)
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
    if takesEverything(stub), !toldEverything {
      toldEverything = true
      return out.say(.warning, "Not saved yet: it matches every request. Save again if that is meant.")
    }
    let note = bodyProblem == nil ? "" : " Its body is not JSON and is sent as text."
    guard isNew else { return out.add(.stubs(.put(stub, inPlaceOf: original, note: note, isForm: true))) }
    out.close()
    out.change(stubs: [.add(stub, at: 0)], back: [.remove(name: stub.name)], title: "Added the stub “\(stub.name)”")
    out.say(.good, "“\(stub.name)” is \(stub.enabled ? "in force" : "saved, and off").\(note)", undoable: true)
  }

  /// Whether it would take every request, and did not before.
  private func takesEverything(_ stub: Stub) -> Bool {
    stub.enabled && ShadowCheck.takesEverything(stub.when) && (isNew || !ShadowCheck.takesEverything(original.when))
  }

  // MARK: The draft

  private mutating func keepDraftIfDue(at now: Timestamp, _ out: inout Outcomes) {
    guard draft.isDue(at: now) else { return }
    guard isChanged else { return draft.keep(nil, &out) }
    var build = StubBuild(self)
    guard let stub = build.stub() else { return }
    draft.keep(KeptDraft(base: isNew ? nil : original.name, stub: stub), &out)
  }

  func closed(_ out: inout Outcomes) { draft.closed(&out) }

  // MARK: Drawing

  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    var view = FormView(form: form, context: context)
    view.isJSON = isJSONBody
    view.emptyBody = bodyNote ?? "empty"
    view.status = status(context)
    view.shorterStatus = shorter(view.status)
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
    var build = StubBuild(self, readsBody: false)
    let isEverything = ShadowCheck.takesEverything(build.pattern())
    guard let preview = preview.result else { return [] }
    let count = "\(Wording.count(preview.matching)) of \(Wording.count(preview.of))"
    let matches =
      isEverything
      ? PageLine.Piece("! matches every request", .warning)
      : PageLine.Piece("matches \(count) recorded requests", preview.matching > 0 ? .good : .warning)
    guard preview.matching > 0,
      let key = context.keys.bindings.first(where: { $0.command == .form(.showMatches) })?.keyLabel
    else { return [matches] }
    return [matches, .init("  \(key) lists them", .dim)]
  }

  /// Without the key that lists them, then without what they are.
  private func shorter(_ status: [PageLine.Piece]) -> [[PageLine.Piece]] {
    guard let preview = preview.result, let first = status.first else { return [] }
    let isCount = first.text.hasPrefix("matches ")
    let short = "fits \(Wording.count(preview.matching)) of \(Wording.count(preview.of))"
    return [[first]] + (isCount ? [[.init(short, first.role)]] : [])
  }

  /// What the templates become; nil where there are none.
  private func templatePreview(_ hits: StubHits) -> TemplatePreview? {
    guard templateProblem == nil, fillsIn, form["body"]?.isHidden == false, form.checking("body") == .atEachKey
    else { return nil }
    return TemplatePreview(
      body: form.text("body"), headers: form.text("headers"), sample: preview.sample,
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

/// How many recorded requests a form's pattern fits, and the newest of them.
struct PatternPreview: Sendable, Equatable {
  private(set) var result: PreviewResult?
  /// The newest recorded request that fits: templates are shown as it would fill them.
  private(set) var sample: RequestFacts?
  /// When it is asked again, for more was recorded since.
  fileprivate private(set) var due: Timestamp?
  private var asked: RequestPattern?
  /// Of the question that is not answered yet.
  private var token: Int?
  private var sampleToken: Int?

  /// Asks, when the pattern has changed.
  fileprivate mutating func ask(_ pattern: RequestPattern, _ out: inout Outcomes) {
    guard pattern != asked else { return }
    askNow(pattern, &out)
  }

  /// It counts what was recorded: a second later is soon enough, and no question while another is open.
  fileprivate mutating func noteNews(at now: Timestamp) {
    if due == nil { due = Timestamp(microseconds: now.microseconds + 1_000_000) }
  }

  fileprivate mutating func askAgainIfDue(at now: Timestamp, _ out: inout Outcomes) {
    guard let due, due <= now else { return }
    self.due = nil
    guard token == nil, let asked else { return noteNews(at: now) }
    askNow(asked, &out)
  }

  private mutating func askNow(_ pattern: RequestPattern, _ out: inout Outcomes) {
    let token = out.newToken()
    self.token = token
    asked = pattern
    out.perform(.preview(token: token, pattern))
  }

  fileprivate mutating func update(_ event: ConsoleEvent, _ out: inout Outcomes) {
    switch event {
    case .preview(let token, let result) where token == self.token:
      self.token = nil
      let before = self.result?.newest.first
      self.result = result
      guard let id = result.newest.first else {
        sample = nil
        return
      }
      if id == before, sample != nil { return }
      let token = out.newToken()
      sampleToken = token
      out.perform(.fetch([id], for: .sample(token: token)))
    case .fetched(let exchanges, for: .sample(let token)) where token == sampleToken:
      sample = exchanges.first.map { RequestFacts(of: $0) }
    default: break
    }
  }
}

/// Keeps what stands in a form a moment after it was typed, in case the console ends before it is saved.
struct FormDraft: Sendable, Equatable {
  fileprivate private(set) var due: Timestamp?
  private var isKept = false

  /// - Parameter pause: microseconds; longer where making the stub takes long.
  fileprivate mutating func note(at now: Timestamp, pause: Int64) {
    if due == nil { due = Timestamp(microseconds: now.microseconds + pause) }
  }

  /// Whether it is time; asked once.
  fileprivate mutating func isDue(at now: Timestamp) -> Bool {
    guard let due, due <= now else { return false }
    self.due = nil
    return true
  }

  /// - Parameter draft: nil where nothing would be lost.
  fileprivate mutating func keep(_ draft: KeptDraft?, _ out: inout Outcomes) {
    guard draft != nil || isKept else { return }
    isKept = draft != nil
    out.perform(.keepDraft(draft))
  }

  fileprivate func closed(_ out: inout Outcomes) { if isKept { out.perform(.keepDraft(nil)) } }
}
