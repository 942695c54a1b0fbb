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
    guard let first = exchanges.first else { return say(.error, "That request is no longer recorded.") }
    switch purpose {
    case .stubs: addStubs(exchanges.compactMap { StubProposal.stub(of: $0) }, of: exchanges.count)
    case .sequence: addStubs([StubProposal.sequence(of: exchanges)].compactMap { $0 }, of: exchanges.count)
    case .compare:
      guard exchanges.count == 2 else { return say(.error, "One of the two requests is no longer recorded.") }
      overlays.append(.compare(ComparePage(exchanges[0], exchanges[1])))
    case .copy(let kind): copy(kind, of: first)
    case .replay: overlays.append(.exchangeForm(ExchangeForm(replaying: first)))
    case .editHeld: overlays.append(.exchangeForm(ExchangeForm(editing: first)))
    case .answerHeld: overlays.append(.exchangeForm(ExchangeForm(answering: first)))
    }
  }

  private mutating func addStubs(_ proposed: [Stub], of count: Int) {
    guard !proposed.isEmpty else {
      return say(.error, count == 1 ? "That request has no answer yet." : "None of them has an answer yet.")
    }
    var taken = stubs
    var edits: [StubEdit] = []
    var names: [String] = []
    for stub in proposed.reversed() {
      var stub = stub
      stub.name = taken.freeName(stub.name)
      taken.board.entries.append(.init(stub: stub, origin: .console))
      names.insert(stub.name, at: 0)
      edits.append(.add(stub, at: 0))
    }
    let title = names.count == 1 ? "Added the stub “\(names[0])”" : "Added \(Wording.count(names.count, "stub"))"
    change(stubs: edits, back: names.map { .remove(name: $0) }, title: title)
    say(.good, "\(title): \(names.count == 1 ? "it answers" : "they answer") from now on.", undoable: true)
  }

  mutating func compareMarked() {
    guard requests.marks.count == 2 else {
      return say(.info, "Mark two requests with m, then compare them (\(requests.marks.count) marked).")
    }
    effects.append(.fetch(requests.marks.sorted(), for: .compare))
  }

  mutating func replaySelected() {
    guard let summary = selectedSummary else { return }
    effects.append(.replay(summary.id, nil))
    say(.good, "Sent again: \(summary.method) \(SafeText.line(summary.path))")
  }

  /// Opens the editor on the stub that answered the selected request.
  mutating func editAnsweringStub(externally: Bool) {
    guard let summary = selectedSummary else { return }
    guard let name = summary.stub, let entry = stubs.board[name] else {
      let gone = summary.stub.map { "The stub “\($0)” is no longer there" } ?? "No stub answered this request"
      return say(.info, "\(gone); s makes one of it.")
    }
    externally ? editExternally(entry.stub) : overlays.append(.stubForm(StubForm(editing: entry.stub)))
  }

  mutating func editExternally(_ stub: Stub) {
    let token = newToken()
    editing[token] = .stub(stub.name)
    effects.append(.openEditor(EditorJob(token: token, content: .stub(stub))))
  }

  // MARK: Holding

  /// A stub that holds this endpoint, or the end of it.
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
    let name = stubs.freeName(
      "hold \(StubProposal.name(of: RecordedRequest(method: summary.method, url: summary.url)))")
    let stub = Stub(name: name, when: pattern, then: .hold(.request))
    change(stubs: [.add(stub, at: 0)], back: [.remove(name: name)], title: "Hold \(summary.method) \(summary.path)")
    say(.good, "The next request like this is held.", undoable: true)
  }

  mutating func toggleHoldAll() {
    let to: Action.HoldPoint? = stubs.holdAll == nil ? .request : nil
    let title = to == nil ? "Stopped holding everything" : "Hold everything"
    log.add(UndoLog.Step(title: title, at: now, change: .holdAll(from: stubs.holdAll, to: to)))
    effects.append(.setHoldAll(to))
    say(to == nil ? .good : .warning, to == nil ? "Nothing more is held by the switch." : "Every request is held.")
  }

  mutating func release(_ ids: [Int64]) {
    guard !ids.isEmpty else { return say(.info, "Nothing is held.") }
    effects.append(.decide(ids.map { HeldDecision(id: $0, decision: .continue(request: nil, response: nil)) }))
    say(.good, "\(Wording.count(ids.count, "request")) released.")
  }

  /// The commands on a held request. Returns false for others, and where the selected one is not held.
  mutating func runHeld(_ command: Command) -> Bool {
    guard tab == .requests, let summary = selectedSummary, summary.isHeld else { return false }
    switch command {
    case .continueHeld: decide(summary, .continue(request: nil, response: nil))
    case .editHeld: fetchSelected(for: .editHeld)
    case .respondHeld: fetchSelected(for: .answerHeld)
    case .failHeld: openFaults(scope: .held)
    case .dropHeld: decide(summary, .drop)
    default: return false
    }
    return true
  }

  mutating func decide(_ summary: ExchangeSummary, _ decision: Verdict.Decision) {
    effects.append(.decide([HeldDecision(id: summary.id, decision: decision)]))
  }
}
