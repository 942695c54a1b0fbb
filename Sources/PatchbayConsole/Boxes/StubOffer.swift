import PatchbayGrid
import PatchbayStubs
import PatchbayWire

/// Stubs that were just made of requests, and what may still be chosen about them. They are in force already; what is
/// chosen is part of the same step of the undo list.
struct StubOffer: ChoiceBox {
  enum Choice: Sendable, Equatable {
    case ids
    case query
    case body
    case sequence
    case edit
  }

  /// A stub on the board, by its name, and the exchange that it was made of.
  private struct Made: Sendable, Equatable {
    var name: String
    var exchange: Exchange
  }

  private var made: [Made]
  private var choices: PatternChoices
  private(set) var menu = Menu<Choice>(title: "", items: [])

  private init(_ made: [Made], _ choices: PatternChoices) {
    self.made = made
    self.choices = choices
    menu = newMenu
  }

  private var requests: [RecordedRequest] { made.map(\.exchange.request) }
  private var hasIDs: Bool { requests.contains { PatternChoices.wildcardPath(StubProposal.endpoint($0).path) != nil } }
  private var hasQuery: Bool { requests.contains { !PatternChoices.query(of: $0.url).isEmpty } }
  private var hasBody: Bool { requests.contains { PatternChoices.bodyPattern(of: $0) != nil } }

  private var newMenu: Menu<Choice> {
    let first = requests.first ?? RecordedRequest(method: "", url: "")
    let path = StubProposal.endpoint(first).path
    var items: [Menu<Choice>.Item] = []
    if hasIDs {
      items.append(.init("i", "Only this id", detail: path, isOn: choices.ids == .exact, .ids))
    }
    if hasQuery {
      let query = PatternChoices.query(of: first.url).map { "\($0.name)=\($0.value)" }.joined(separator: "&")
      items.append(.init("w", "With its query only", detail: query, isOn: choices.query, .query))
    }
    if hasBody { items.append(.init("b", "With its body only", isOn: choices.body, .body)) }
    if made.count > 1 { items.append(.init("S", "One stub that answers in turn instead", .sequence)) }
    if made.count == 1 { items.append(.init("e", "Edit it", .edit)) }
    return Menu(
      title: made.count == 1 ? "New stub" : "\(Wording.count(made.count)) new stubs", items: items,
      note: "Added. Change it, or carry on.", isOffer: true)
  }

  // MARK: Choosing

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch menu.handle(event, context) {
    case .chosen(let item):
      out.close()
      refine(item.choice, context, &out)
    case .dismissed: out.close()
    case .other(let key): pass(key, &out)
    case .moved, .nothing: break
    }
  }

  private func refine(_ choice: Choice, _ context: ConsoleContext, _ out: inout Outcomes) {
    var next = self
    guard made.allSatisfy({ context.stubs.board[$0.name] != nil }) else {
      return out.say(.info, "The stub is no longer there.")
    }
    switch choice {
    case .ids: next.choices.toggleIDs()
    case .query: next.choices.query.toggle()
    case .body: next.choices.body.toggle()
    case .sequence: return makeSequence(context, &out)
    case .edit:
      if let entry = made.first.flatMap({ context.stubs.board[$0.name] }) {
        out.open(StubForm(editing: entry.stub))
      }
      return
    }
    next.apply(context, &out)
  }

  /// The stubs as the choices want them, in the place of those of before.
  private mutating func apply(_ context: ConsoleContext, _ out: inout Outcomes) {
    var edits: [StubEdit] = []
    var adding: [StubEdit] = []
    for place in made.indices {
      let old = made[place].name
      guard var stub = context.stubs.board[old]?.stub else { continue }
      let request = made[place].exchange.request
      stub.when = choices.pattern(of: request)
      let others = Set(made.map(\.name))
      let name = StubProposal.name(of: request, ids: choices.ids, query: choices.query)
      stub.name = name == old ? old : context.stubs.board.freeName(name, besides: [old])
      if others.contains(stub.name), stub.name != old { stub.name = old }
      edits.append(.replace(name: old, with: stub))
      adding.append(.add(stub, at: 0))
      made[place].name = stub.name
    }
    out.add(.editStubs(edits))
    let title = Self.title(made)
    out.add(
      .amendDone(title, .stubs(forward: adding.reversed(), backward: made.map { .remove(name: $0.name) })))
    out.say(.good, "\(title).", undoable: true)
    out.open(StubOffer(made, choices))
  }

  private func makeSequence(_ context: ConsoleContext, _ out: inout Outcomes) {
    guard var stub = StubProposal.sequence(of: made.map(\.exchange)) else { return }
    stub.name = context.stubs.board.freeName(stub.name)
    out.add(.editStubs(made.map { .remove(name: $0.name) } + [.add(stub, at: 0)]))
    let title = "Added the stub “\(stub.name)”"
    out.add(.amendDone(title, .stubs(forward: [.add(stub, at: 0)], backward: [.remove(name: stub.name)])))
    out.say(.good, "\(title): it answers in turn.", undoable: true)
  }

  // MARK: Making stubs of requests

  /// Puts stubs of these exchanges in force and offers what may still be chosen about them.
  static func addStubs(of exchanges: [Exchange], _ context: ConsoleContext, _ out: inout Outcomes) {
    let proposed = exchanges.compactMap { exchange in StubProposal.stub(of: exchange).map { ($0, exchange) } }
    if proposed.isEmpty, exchanges.count == 1 {
      let request = exchanges[0].request
      out.say(.info, "It has no answer yet: say here what the stub answers.")
      let name = context.stubs.board.freeName(StubProposal.name(of: request))
      return out.open(StubForm(adding: name, pattern: StubProposal.pattern(of: request)))
    }
    guard !proposed.isEmpty else { return sayNoAnswer(exchanges.count, &out) }
    let choices = PatternChoices.telling(apart: proposed.map(\.1.request))
    var taken = context.stubs
    var edits: [StubEdit] = []
    var made: [Made] = []
    for (stub, exchange) in proposed.reversed() {
      var stub = stub
      stub.name = taken.board.freeName(StubProposal.name(of: exchange.request, ids: choices.ids, query: choices.query))
      stub.when = choices.pattern(of: exchange.request)
      taken.board.entries.append(.init(stub: stub, origin: .console))
      made.insert(Made(name: stub.name, exchange: exchange), at: 0)
      edits.append(.add(stub, at: 0))
    }
    let title = title(made)
    out.change(stubs: edits, back: made.map { .remove(name: $0.name) }, title: title)
    let left = exchanges.count - proposed.count
    var rest = left == 0 ? "" : " \(Wording.count(left, "other")) had no answer yet."
    if choices.query || choices.body {
      rest += " Only their \(choices.query ? choices.body ? "query and body tell" : "query tells" : "body tells")"
      rest += " some of them apart, so it must fit."
    }
    if Set(edits.compactMap(\.added?.when)).count < edits.count {
      rest += " Some fit the same requests: the first of these answers; S makes one that answers in turn."
    }
    out.say(.good, "\(title): \(made.count == 1 ? "it answers" : "they answer") from now on.\(rest)", undoable: true)
    out.open(StubOffer(made, choices))
  }

  /// One stub that answers as these exchanges did, in turn.
  static func addSequence(of exchanges: [Exchange], _ context: ConsoleContext, _ out: inout Outcomes) {
    guard var stub = StubProposal.sequence(of: exchanges) else { return sayNoAnswer(exchanges.count, &out) }
    stub.name = context.stubs.board.freeName(stub.name)
    let title = "Added the stub “\(stub.name)”"
    out.change(stubs: [.add(stub, at: 0)], back: [.remove(name: stub.name)], title: title)
    out.say(.good, "\(title): it answers from now on.", undoable: true)
  }

  private static func sayNoAnswer(_ count: Int, _ out: inout Outcomes) {
    out.say(.error, count == 1 ? "That request has no answer yet." : "None of them has an answer yet.")
  }

  private static func title(_ made: [Made]) -> String {
    made.count == 1 ? "Added the stub “\(made[0].name)”" : "Added \(Wording.count(made.count, "stub"))"
  }
}
