import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

extension ConsoleState {
  mutating func fetchSelected(for purpose: FetchPurpose) {
    guard let id = requests.selectedID else { return }
    effects.append(.fetch([id], for: purpose))
  }

  mutating func fetchMarked(for purpose: FetchPurpose) {
    let ids = marksOrSelected
    guard !ids.isEmpty else { return }
    effects.append(.fetch(ids, for: purpose))
  }

  mutating func take(fetched exchanges: [Exchange], for purpose: FetchPurpose) {
    if exchanges.isEmpty, purpose.isQuiet { return }
    guard let first = exchanges.first else { return say(.error, "That request is no longer recorded.") }
    switch purpose {
    case .stubs: addStubs(of: exchanges)
    case .sequence: addSequence(of: exchanges)
    case .compare:
      guard exchanges.count == 2 else { return say(.error, "One of the two requests is no longer recorded.") }
      compare(exchanges, for: purpose)
    case .replayed: if exchanges.count == 2 { compare(exchanges, for: purpose) }
    case .copy(let kind): copy(kind, of: first)
    case .replay: open(ExchangeForm(replaying: first))
    case .editHeld: open(ExchangeForm(editing: first))
    case .answer(let name, let action): answer(first, with: action, of: name)
    case .sample(let token): take(sample: first, token: token)
    case .answerHeld: open(ExchangeForm(answering: first))
    }
  }

  private mutating func open(_ form: ExchangeForm) {
    if toast?.isAboutHeld == true { toast = nil }
    guard form.purpose == .replay || held.contains(form.exchange.id) else {
      return say(.error, "That request is no longer held; the program went on or cancelled it.")
    }
    overlays.append(.exchangeForm(form))
  }

  mutating func replaySelected() {
    guard let summary = selectedSummary else { return }
    effects.append(.replay(summary.id, nil))
    awaitedReplays.insert(summary.id)
    say(.good, "Sent again: \(summary.method) \(SafeText.line(summary.path))")
  }

  /// Opens the editor on the stub that answered the selected request.
  mutating func editAnsweringStub(externally: Bool) {
    guard let summary = selectedSummary else { return }
    guard let name = summary.stub, let entry = stubs.board[name] else {
      let gone = summary.stub.map { "The stub “\($0)” is no longer there" } ?? "No stub answered this request"
      return say(.info, "\(gone); s makes one of it.")
    }
    externally ? editExternally(entry.stub) : open(StubForm(editing: entry.stub))
  }

  /// - Parameter draft: what was written in the editor before and could not be read.
  mutating func editExternally(_ stub: Stub, draft: String? = nil) {
    let token = newToken()
    editing[token] = .stub(stub)
    effects.append(.openEditor(EditorJob(token: token, content: .stub(stub), draft: draft)))
  }

  // MARK: Holding

  /// A stub that holds this endpoint, or the end of it. Whether its answer is held too can be chosen then.
  mutating func toggleHold() {
    guard let summary = selectedSummary else { return }
    let pattern = StubProposal.pattern(of: summary)
    let found = stubs.board.entries.first {
      guard case .hold = $0.stub.then else { return false }
      return $0.stub.enabled && $0.stub.when == pattern
    }
    if let found {
      let back: [StubEdit] = [.add(found.stub, at: 0)]
      change(
        stubs: [.remove(name: found.stub.name)], back: back, title: "Stopped holding \(summary.method) \(summary.path)")
      return say(.good, "Requests like this are no longer held.", undoable: true)
    }
    let name = stubs.board.freeName(
      "hold \(StubProposal.name(of: RecordedRequest(method: summary.method, url: summary.url)))")
    let stub = Stub(name: name, when: pattern, then: .hold(.request))
    change(stubs: [.add(stub, at: 0)], back: [.remove(name: name)], title: "Hold \(summary.method) \(summary.path)")
    say(.good, "The next request like this is held.", undoable: true)
    offerHold(.request, of: name)
  }

  /// What is held of the endpoint; of everything where no stub is named.
  func holdMenu(_ point: Action.HoldPoint, of name: String?) -> Menu {
    var menu = Menu(
      title: name == nil ? "Hold everything" : "Hold this endpoint",
      items: [
        Menu.Item("a", "After: the response", isOn: point == .response, .hold(.response)),
        Menu.Item("b", "Both, request and response", isOn: point == .both, .hold(.both)),
      ], note: "now: the \(StubText.holdWords(point)); any other key goes on")
    menu.isOffer = true
    menu.holdStub = name
    return menu
  }

  private mutating func offerHold(_ point: Action.HoldPoint, of name: String?) {
    overlays.append(.menu(holdMenu(point, of: name)))
  }

  /// The choice that is on already goes back to the request alone.
  mutating func hold(_ name: String?, at wanted: Action.HoldPoint) {
    guard let name else {
      let to = stubs.holdAll == wanted ? .request : wanted
      log.amend(title: "Hold everything", .holdAll(from: nil, to: to))
      effects.append(.setHoldAll(to))
      return offerHold(to, of: nil)
    }
    guard var stub = stubs.board[name]?.stub else { return say(.info, "The stub “\(name)” is no longer there.") }
    let to = stub.then == .hold(wanted) ? Action.HoldPoint.request : wanted
    stub.then = .hold(to)
    edit([.replace(name: name, with: stub)])
    log.amend(
      title: "Hold \(StubText.pattern(stub.when))",
      .stubs(forward: [.add(stub, at: 0)], backward: [.remove(name: name)]))
    offerHold(to, of: name)
  }

  mutating func toggleHoldAll() {
    let to: Action.HoldPoint? = stubs.holdAll == nil ? .request : nil
    let title = to == nil ? "Stopped holding everything" : "Hold everything"
    log.add(UndoLog.Step(title: title, at: now, change: .holdAll(from: stubs.holdAll, to: to)))
    effects.append(.setHoldAll(to))
    say(to == nil ? .good : .warning, to == nil ? "Nothing more is held by the switch." : "Every request is held.")
    if to != nil { offerHold(.request, of: nil) }
  }

  /// Those held requests that the filter shows, in the order in which they were stopped.
  var heldInSight: [Int64] { held.ids.filter { requests.order.index(of: $0) != nil } }

  /// Everything that is held; with a filter on, the person says whether only what it shows.
  mutating func releaseAll() {
    let shown = heldInSight
    guard shown.count < held.ids.count else { return release(held.ids) }
    let all = Menu.Item("A", "All \(Wording.count(held.ids.count))", .release(held.ids))
    let some = Menu.Item("f", "Only the \(Wording.count(shown.count)) that the filter shows", .release(shown))
    var menu = Menu(title: "Let held requests go on", items: shown.isEmpty ? [all] : [all, some])
    menu.note = (shown.isEmpty ? "the list does not show them" : "in their order") + " · esc: they stay held"
    overlays.append(.menu(menu))
  }

  mutating func release(_ ids: [Int64]) {
    let ids = ids.filter(held.contains)
    guard !ids.isEmpty else { return say(.info, "Nothing is held.") }
    effects.append(.decide(ids.map { HeldDecision(id: $0, decision: .continue(request: nil, response: nil)) }))
    say(.good, "\(Wording.count(ids.count, "request")) released.")
  }

  mutating func run(_ command: HeldCommand) {
    guard let summary = selectedSummary, summary.isHeld else { return }
    switch command {
    case .continueHeld: decide(summary, .continue(request: nil, response: nil))
    case .editHeld: fetchSelected(for: .editHeld)
    case .respondHeld: fetchSelected(for: .answerHeld)
    case .respondWithStub: openAnswers()
    case .failHeld: openFaults(scope: .held)
    case .dropHeld: decide(summary, .drop)
    }
  }

  mutating func decide(_ summary: ExchangeSummary, _ decision: Verdict.Decision) {
    effects.append(.decide([HeldDecision(id: summary.id, decision: decision)]))
  }
}
