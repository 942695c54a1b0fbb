import PatchbayStubs
import PatchbayWire

extension ConsoleState {
  /// Puts stubs of these exchanges in force and offers what may still be chosen about them.
  mutating func addStubs(of exchanges: [Exchange]) {
    let proposed = exchanges.compactMap { exchange in StubProposal.stub(of: exchange).map { ($0, exchange) } }
    if proposed.isEmpty, exchanges.count == 1 {
      let request = exchanges[0].request
      say(.info, "It has no answer yet: say here what the stub answers.")
      return open(
        StubForm(
          adding: stubs.board.freeName(StubProposal.name(of: request)), pattern: StubProposal.pattern(of: request)))
    }
    guard !proposed.isEmpty else { return sayNoAnswer(exchanges.count) }
    let choices = PatternChoices.telling(apart: proposed.map(\.1.request))
    var taken = stubs
    var edits: [StubEdit] = []
    var made: [StubOffer.Made] = []
    for (stub, exchange) in proposed.reversed() {
      var stub = stub
      stub.name = taken.board.freeName(StubProposal.name(of: exchange.request, query: choices.query))
      stub.when = choices.pattern(of: exchange.request)
      taken.board.entries.append(.init(stub: stub, origin: .console))
      made.insert(StubOffer.Made(name: stub.name, exchange: exchange), at: 0)
      edits.append(.add(stub, at: 0))
    }
    let title = addedTitle(made)
    change(stubs: edits, back: made.map { .remove(name: $0.name) }, title: title)
    let left = exchanges.count - proposed.count
    var rest = left == 0 ? "" : " \(Wording.count(left, "other")) had no answer yet."
    if choices.query || choices.body {
      rest += " Only their \(choices.query ? choices.body ? "query and body tell" : "query tells" : "body tells")"
      rest += " some of them apart, so it must fit."
    }
    if Set(edits.compactMap(\.added?.when)).count < edits.count {
      rest += " Some fit the same requests: the first of these answers; S makes one that answers in turn."
    }
    say(.good, "\(title): \(made.count == 1 ? "it answers" : "they answer") from now on.\(rest)", undoable: true)
    let offer = StubOffer(made: made, choices: choices)
    overlays.append(.menu(offer.menu))
  }

  mutating func addSequence(of exchanges: [Exchange]) {
    guard var stub = StubProposal.sequence(of: exchanges) else { return sayNoAnswer(exchanges.count) }
    stub.name = stubs.board.freeName(stub.name)
    let title = "Added the stub “\(stub.name)”"
    change(stubs: [.add(stub, at: 0)], back: [.remove(name: stub.name)], title: title)
    say(.good, "\(title): it answers from now on.", undoable: true)
  }

  private mutating func sayNoAnswer(_ count: Int) {
    say(.error, count == 1 ? "That request has no answer yet." : "None of them has an answer yet.")
  }

  private func addedTitle(_ made: [StubOffer.Made]) -> String {
    made.count == 1 ? "Added the stub “\(made[0].name)”" : "Added \(Wording.count(made.count, "stub"))"
  }

  /// What was chosen about the new stubs is in force at once, as part of the same step of the undo list.
  mutating func refine(_ choice: StubOffer.Choice, of offer: StubOffer?) {
    guard var offer else { return }
    guard offer.made.allSatisfy({ stubs.board[$0.name] != nil }) else {
      return say(.info, "The stub is no longer there.")
    }
    switch choice {
    case .ids: offer.choices.nextIDs()
    case .query: offer.choices.query.toggle()
    case .body: offer.choices.body.toggle()
    case .sequence: return makeSequence(of: offer)
    case .edit:
      if let entry = offer.made.first.flatMap({ stubs.board[$0.name] }) {
        open(StubForm(editing: entry.stub))
      }
      return
    }
    apply(offer)
  }

  private mutating func apply(_ offer: StubOffer) {
    var offer = offer
    var edits: [StubEdit] = []
    var adding: [StubEdit] = []
    for place in offer.made.indices {
      let old = offer.made[place].name
      guard var stub = stubs.board[old]?.stub else { continue }
      let request = offer.made[place].exchange.request
      stub.when = offer.choices.pattern(of: request)
      let others = Set(offer.made.map(\.name))
      let name = StubProposal.name(of: request, ids: offer.choices.ids, query: offer.choices.query)
      stub.name = name == old ? old : stubs.board.freeName(name, besides: [old])
      if others.contains(stub.name), stub.name != old { stub.name = old }
      edits.append(.replace(name: old, with: stub))
      adding.append(.add(stub, at: 0))
      offer.made[place].name = stub.name
    }
    edit(edits)
    log.amend(
      title: addedTitle(offer.made),
      .stubs(forward: adding.reversed(), backward: offer.made.map { .remove(name: $0.name) }))
    say(.good, "\(addedTitle(offer.made)).", undoable: true)
    overlays.append(.menu(offer.menu))
  }

  private mutating func makeSequence(of offer: StubOffer) {
    guard var stub = StubProposal.sequence(of: offer.made.map(\.exchange)) else { return }
    stub.name = stubs.board.freeName(stub.name)
    edit(offer.made.map { .remove(name: $0.name) } + [.add(stub, at: 0)])
    let title = "Added the stub “\(stub.name)”"
    log.amend(title: title, .stubs(forward: [.add(stub, at: 0)], backward: [.remove(name: stub.name)]))
    say(.good, "\(title): it answers in turn.", undoable: true)
  }
}
