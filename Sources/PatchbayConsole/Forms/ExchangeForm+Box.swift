import PatchbayGrid
import PatchbayWire

extension ExchangeForm: BodyForm {
  func hints(_ context: ConsoleContext) -> [FooterHint] { hints(context, verb: verb, without: .showMatches) }
  var changesTitle: String { "what you changed" }
  var nextTick: Int64? { editing.checkDue?.microseconds }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch event {
    case .input(let input): received(input, context, &out)
    case .editorReturned(let token, let result): received(result, token: token, context, &out)
    case .tick: checkBodyIfDue(at: context.now)
    default: break
    }
  }

  mutating func changed(_ context: ConsoleContext, _ out: inout Outcomes) {
    check(readsSlowBody: false)
    noteBody(at: context.now)
  }

  /// It has no steps and no pattern.
  mutating func run(own command: FormCommand, _ context: ConsoleContext, _ out: inout Outcomes) {}

  mutating func save(_ context: ConsoleContext, _ out: inout Outcomes) {
    check(readsSlowBody: true)
    guard let effect else {
      let problems = form.fields.compactMap { field in field.problem.map { "\(field.label): \($0)" } }
      return out.say(.error, "Not sent: \(Wording.first(of: problems)).")
    }
    if purpose == .replay, isTruncated, !isBodyChanged {
      form.focus("body")
      return out.say(.error, "Not sent: only a part of its body was recorded. Give it another one here.")
    }
    if purpose != .replay, !context.held.contains(exchange.id) {
      return out.say(.error, "That request is no longer held; the program went on or cancelled it.")
    }
    out.close()
    out.perform(effect)
    if purpose == .replay { out.add(.requests(.awaitReplay(of: exchange.id))) }
    out.say(.good, doneSentence)
  }

  private var doneSentence: String {
    switch purpose {
    case .replay: "Sent again."
    case .heldRequest: "Sent as edited."
    case .heldResponse: "Delivered as edited."
    case .answer: StatusText.code(form.text("status")).map { "Answered with \($0)." } ?? "Answered."
    }
  }

  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    var view = FormView(form: form, context: context)
    view.isJSON = isJSONBody
    view.emptyBody = bodyNote ?? "empty"
    view.status = status(context)
    view.draw(on: &grid, in: area)
  }

  private func status(_ context: ConsoleContext) -> [PageLine.Piece] {
    if form.editor?.isFull == true {
      return [.init("! \(context.sentence(ofLarge: "The text would become"))", .warning)]
    }
    if let field = form.fields.first(where: { $0.problem != nil }) {
      return [.init("✗ \(field.label): \(field.problem ?? "")", .error)]
    }
    if let bodyProblem { return [.init("! The body is \(bodyProblem)", .warning)] }
    if purpose != .replay, !context.held.contains(exchange.id) {
      return [.init("! It is no longer held.", .warning)]
    }
    if let note = bodyNote, !form.isEmpty("body") || purpose == .replay { return [.init("! \(note)", .warning)] }
    return []
  }
}
