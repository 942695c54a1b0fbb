import PatchbayStubs

/// The steps of a sequence while they are edited: one of them stands in the form's fields, the others wait here.
struct SequenceSteps: Sendable, Equatable {
  struct Step: Sendable, Equatable {
    /// What the step was; what the form does not show of it is kept.
    var original: Action
    /// Its fields by their ids, while it is not in the form.
    var fields: [String: Form.Field.Kind]
  }

  private(set) var all: [Step] = []
  /// Which one is in the form.
  private(set) var current = 0

  /// The fields that are the step's own.
  static let ids = ["stepAction"] + StubForm.actionFields(of: .hold(.request)).map(\.id)
  static let actions = ["respond", "fail", "pass", "hold"]

  init() {}

  /// Those of a stub, the first of them in its form.
  init(_ steps: [Action], in form: inout Form) {
    all = steps.map { Step(original: $0, fields: SequenceSteps.fields(of: $0)) }
    for (id, kind) in all[0].fields { form.set(id) { $0.kind = kind } }
    label(&form)
  }

  var isEmpty: Bool { all.isEmpty }

  static func fields(of action: Action) -> [String: Form.Field.Kind] {
    var fields: [String: Form.Field.Kind] = [:]
    for field in StubForm.actionFields(of: action) { fields[field.id] = field.kind }
    fields["stepAction"] = .choice(actions, actions.firstIndex(of: action.kindName) ?? 0)
    return fields
  }

  /// The form as it is with a step in its fields.
  func form(_ form: Form, with step: Int) -> Form {
    guard step != current, all.indices.contains(step) else { return form }
    var form = form
    for (id, kind) in all[step].fields { form.set(id) { $0.kind = kind } }
    return form
  }

  /// Puts another step into the form.
  mutating func go(to step: Int, in form: inout Form) {
    guard all.indices.contains(step) else { return }
    keep(form)
    let next = self.form(form, with: step)
    form = next
    current = step
    label(&form)
  }

  /// The one step that what the form holds becomes.
  mutating func begin(with action: Action, in form: inout Form) {
    all = [Step(original: action, fields: [:])]
    current = 0
    let index = SequenceSteps.actions.firstIndex(of: action.kindName) ?? 0
    form.set("stepAction") { $0.kind = .choice(SequenceSteps.actions, index) }
    label(&form)
  }

  mutating func add(in form: inout Form) {
    keep(form)
    let action = Action.respond(CannedResponse())
    all.insert(Step(original: action, fields: SequenceSteps.fields(of: action)), at: current + 1)
    go(to: current + 1, in: &form)
  }

  /// Takes the step in the form out; the last one stays.
  mutating func remove(in form: inout Form) {
    guard all.count > 1 else { return }
    let gone = current
    let next = gone + 1 < all.count ? gone + 1 : gone - 1
    form = self.form(form, with: next)
    all.remove(at: gone)
    current = min(gone, all.count - 1)
    label(&form)
  }

  mutating func moveEarlier(in form: inout Form) {
    guard current > 0 else { return }
    keep(form)
    all.swapAt(current, current - 1)
    current -= 1
    label(&form)
  }

  private mutating func keep(_ form: Form) {
    guard all.indices.contains(current) else { return }
    for id in SequenceSteps.ids { if let kind = form[id]?.kind { all[current].fields[id] = kind } }
  }

  private func label(_ form: inout Form) {
    let labels = all.indices.map { "\($0 + 1) of \(all.count)" }
    form.set("step") { $0.kind = .choice(labels, current) }
  }
}
