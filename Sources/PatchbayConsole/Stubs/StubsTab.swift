import PatchbayGrid
import PatchbayStubs
import PatchbayWire

/// The stubs as the console knows them.
struct StubsTab: Sendable {
  /// What others may know.
  private(set) var snapshot = StubsSnapshot()
  private(set) var scroll = ListScroll()
  /// The places of the stubs that are listed: all, or those that fit the filter.
  private(set) var rows: [Int] = []
  /// Words that a listed stub has; empty lists all.
  private(set) var filter = ""
  /// The names of those that the next key means, where there are any.
  private(set) var marked: Set<String> = []
  /// What was said of the selected stub, and what it was asked for: see `StubDetail`.
  var detail: StubDetail?
  var detailed: (stub: Stub, hits: UInt64)?
  var askAgainAt: Int64 = 0
  /// What an earlier console left, until the person has decided.
  private(set) var kept: [KeptStubs] = []
  /// Stubs that no request reaches, each by the place of the earlier one that takes them all.
  private(set) var unreached: [Int: Int] = [:]
  /// More stubs than these are not looked through at each change: each is put beside all before it.
  private static let checkedStubs = 200
  /// What is open in the person's own editor, by token: the stub as it was then.
  private var editing: [Int: Stub] = [:]

  var board: StubBoard { snapshot.board }
  var entries: [StubBoard.Entry] { snapshot.board.entries }
  /// Where the selected stub stands among all.
  var selectedPlace: Int? {
    rows.indices.contains(scroll.selected) && entries.indices.contains(rows[scroll.selected])
      ? rows[scroll.selected] : nil
  }
  var selected: StubBoard.Entry? { selectedPlace.map { entries[$0] } }

  // MARK: Answers of the runtime

  mutating func received(_ board: StubBoard, by: String?, _ out: inout Outcomes) {
    let difference = by == nil ? "" : BoardDifference.text(from: snapshot.confirmed, to: board)
    keepingSelected {
      if board.revision != $0.snapshot.confirmed.revision {
        $0.snapshot.earlier.append($0.snapshot.confirmed)
        if $0.snapshot.earlier.count > 64 { $0.snapshot.earlier.removeFirst() }
      }
      $0.snapshot.confirmed = board
      $0.snapshot.hits.keep(board.entries.map(\.stub.name))
      $0.snapshot.board = board
    }
    if let by {
      out.say(.info, "\(shown(by)) changed the stubs." + (difference.isEmpty ? "" : " \(shown(difference))."))
    }
  }

  mutating func received(unmatched: StubSet.Unmatched, holdAll: Action.HoldPoint?) {
    snapshot.unmatched = unmatched
    snapshot.holdAll = holdAll
  }

  /// The server's word on it comes later.
  mutating func foresee(unmatched: StubSet.Unmatched) { snapshot.unmatched = unmatched }

  mutating func received(_ progress: [StubProgress], of process: HarnessProcess) {
    for one in progress { snapshot.hits.add(one, of: process) }
  }

  mutating func received(_ moved: [ScenarioState], of process: HarnessProcess) {
    for one in moved {
      snapshot.scenarios[process, default: [:]][one.name] = one.state == Stub.Scenario.start ? nil : one.state
    }
    if snapshot.scenarios[process]?.isEmpty == true { snapshot.scenarios[process] = nil }
  }

  /// Offers what an earlier console left; nothing is brought back without the person's word.
  mutating func received(_ found: KeptStubs, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard !found.edits(on: board).isEmpty else { return out.perform(.dropKept(id: found.id)) }
    kept.append(found)
    if context.isFree { offerKept(context, &out) }
  }

  /// What the person's editor left: the stub is put in force. What cannot be read is not lost: back to the editor with
  /// it, unless the person gives it up.
  mutating func received(_ result: EditorResult, token: Int, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard let base = editing.removeValue(forKey: token) else { return }
    switch result {
    case .unchanged: out.say(.info, "Nothing was changed.")
    case .stub(let stub): put(stub, inPlaceOf: base, isForm: false, &out)
    case .text: break
    case .broken(let sentence, let text):
      var menu = Menu<[Outcome]>(
        title: "“\(base.name)” cannot be read so",
        items: [
          .init("e", "Back to the editor, with what you wrote", [.stubs(.editExternally(base, draft: text))]),
          // The menu stays: the text would be lost with it.
          .init(
            "y", "Copy what you wrote", [.effect(.copy(text: text, label: "what you wrote"))],
            staysOpen: true),
          .init("d", "Discard what you wrote", []),
        ])
      menu.text = sentence.split(separator: "\n").map(String.init)
      menu.note = "the stub is in force as it was"
      out.open(MenuBox(menu, keepsOpen: true))
    }
  }

  // MARK: Changes

  /// What the next key meets is the board as it will be: the server's word on it comes later. An edit that cannot be
  /// made is left to the server, which says why. The revision stays.
  mutating func edit(_ edits: [StubEdit], _ out: inout Outcomes) {
    keepingSelected {
      var next = $0.board
      for edit in edits { next = (try? next.apply(edit)) ?? next }
      next.revision = $0.board.revision
      for case .add(let stub, _) in edits {
        $0.snapshot.hits.forget(stub.name)
        guard let fault = FaultPreset.of(stub.then)?.name else { continue }
        $0.snapshot.recentFaults.removeAll { $0 == fault }
        $0.snapshot.recentFaults = Array(([fault] + $0.snapshot.recentFaults).prefix(4))
      }
      $0.snapshot.board = next
    }
    // What was just made is what one wants to see here, whatever the filter says.
    if let made = edits.compactMap(\.added).last {
      if !filter.isEmpty, !rows.contains(where: { entries[$0].stub.name == made.name }) { filtered("") }
      select(made.name)
    }
    out.perform(.editStubs(edits))
  }

  private mutating func keepingSelected(_ change: (inout StubsTab) -> Void) {
    let name = selected?.stub.name
    let before = entries
    change(&self)
    let isChanged = entries != before
    if isChanged {
      marked.formIntersection(entries.map(\.stub.name))
      list()
    }
    if let name { select(name) }
    guard isChanged else { return }
    let stubs = board.stubsInForce
    let findings = stubs.count <= Self.checkedStubs ? ShadowCheck.findings(stubs) : []
    unreached = Dictionary(findings.map { ($0.index, $0.by) }) { first, _ in first }
  }

  private mutating func select(_ name: String) {
    if let row = rows.firstIndex(where: { entries[$0].stub.name == name }) { scroll.selected = row }
  }

  /// Lists those that fit the filter.
  private mutating func list() {
    let words = filter.lowercased().split(separator: " ")
    rows = entries.indices.filter { place in
      guard !words.isEmpty else { return true }
      let entry = entries[place]
      let stub = entry.stub
      let when = StubWords.pattern(stub.when)
      let parts = [
        stub.name, PercentText.shown(stub.name), when, PercentText.shown(when), StubWords.action(stub.then),
        StubWords.origin(entry), stub.enabled ? "is:on" : "is:off",
      ]
      let text = parts.joined(separator: "\n").lowercased()
      return words.allSatisfy { text.contains($0) }
    }
  }

  /// Lists the stubs with all those words, as they are typed.
  mutating func filtered(_ text: String) {
    let name = selected?.stub.name
    filter = text.trimmingPrefix { $0 == " " }.isEmpty ? "" : text
    list()
    if let name { select(name) }
  }

  /// The edits as far as they can be made on the stubs as they are now: files may have been written or read again, and
  /// others may have changed them. What is to be changed and is gone comes back.
  private func fitting(_ edits: [StubEdit]) -> [StubEdit] {
    var board = board
    var fitting: [StubEdit] = []
    for edit in edits {
      var edit = edit
      if case .replace(let name, let stub) = edit, board[name] == nil { edit = .add(stub, at: nil) }
      guard let next = try? board.apply(edit) else { continue }
      board = next
      fitting.append(edit)
    }
    return fitting
  }

  mutating func received(_ message: StubsMessage, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch message {
    case .put(let stub, let base, let note, let isForm): put(stub, inPlaceOf: base, note: note, isForm: isForm, &out)
    case .settle(let conflict, let keepsMine): settle(conflict, keepingMine: keepsMine, &out)
    case .editExternally(let stub, let draft): editExternally(stub, draft: draft, &out)
    case .apply(let edits, let otherwise):
      let fitting = fitting(edits)
      if fitting.isEmpty, !edits.isEmpty {
        if let otherwise { out.say(.info, otherwise) }
      } else {
        edit(fitting, &out)
      }
    case .kept(let answer): decideKept(answer, &out)
    case .offered(let found, let isOffered): offered(found, isOffered, &out)
    case .pauseSet(let set, let pauses): pause(set, pauses, &out)
    case .setUnmatched(let unmatched): set(unmatched: unmatched, &out)
    }
  }

  private mutating func editExternally(_ stub: Stub, draft: String? = nil, _ out: inout Outcomes) {
    let token = out.newToken()
    editing[token] = stub
    out.perform(.openEditor(EditorJob(token: token, content: .stub(stub), draft: draft)))
  }

  // MARK: Commands

  mutating func run(_ command: StubsTabCommand, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch command {
    case .addStub: out.open(StubForm(adding: snapshot.board.freeName("new stub")))
    case .bringBackStubs: offerKept(context, &out)
    case .writeStubs: out.perform(.writeStubs)
    case .loadStubs: out.ask(.loadStubs)
    case .toggleSet: offerSets(&out)
    case .setUnmatched: offerUnmatched(&out)
    case .findStubs: out.ask(.filterStubs, proposing: filter)
    case .clearFilter: if marked.isEmpty { filtered("") } else { marked = [] }
    case .mark: toggleMark()
    case .toggleStub where !marked.isEmpty: toggleMarked(&out)
    case .delete where !marked.isEmpty: removeMarked(&out)
    case .copy where !marked.isEmpty:
      out.perform(.copyStubs(entries.map(\.stub).filter { marked.contains($0.name) }))
    case .toggleStub, .editStub, .editExternally, .moveStubDown, .moveStubUp, .delete, .duplicateStub, .revertStub,
      .resetCounts, .setScenario, .copy, .filter:
      if let entry = selected { run(command, on: entry, &out) }
    }
  }

  private mutating func run(_ command: StubsTabCommand, on entry: StubBoard.Entry, _ out: inout Outcomes) {
    let stub = entry.stub
    switch command {
    case .addStub, .bringBackStubs, .writeStubs, .loadStubs, .toggleSet, .setUnmatched, .findStubs, .clearFilter,
      .mark:
      break
    case .toggleStub:
      out.change(
        stubs: [.setEnabled(name: stub.name, !stub.enabled)], back: [.setEnabled(name: stub.name, stub.enabled)],
        title: "Switched “\(stub.name)” \(stub.enabled ? "off" : "on")")
    case .editStub: out.open(StubForm(editing: stub))
    case .editExternally: editExternally(stub, &out)
    case .moveStubDown: move(entry, by: 1, &out)
    case .moveStubUp: move(entry, by: -1, &out)
    case .delete: remove(entry, &out)
    case .duplicateStub:
      var copy = stub
      copy.name = snapshot.board.freeName(copy.name)
      out.change(
        stubs: [.add(copy, at: (selectedPlace ?? 0) + 1)], back: [.remove(name: copy.name)],
        title: "Copied “\(stub.name)”")
      out.say(.good, "Copied “\(stub.name)” into “\(copy.name)”, which is selected.", undoable: true)
    case .revertStub:
      guard entry.edited, let baseline = entry.baseline else {
        return out.say(.info, "“\(stub.name)” is as its file has it.")
      }
      out.change(
        stubs: [.revert(name: stub.name)], back: [.replace(name: baseline.name, with: stub)],
        title: "Reverted “\(stub.name)”")
    case .resetCounts:
      out.perform(.resetCounts(name: stub.name))
      out.say(.good, "The counters of “\(stub.name)” begin again.")
    case .setScenario: offerStates(of: stub, &out)
    case .copy: out.perform(.copyStubs([stub]))
    case .filter:
      out.add(.show(.requests))
      out.add(.requests(.applyFilter("stub:\(FilterValue.containing(stub.name))")))
    }
  }

  /// The states of the stub's scenario; choosing one moves it in every process.
  private func offerStates(of stub: Stub, _ out: inout Outcomes) {
    guard let name = stub.scenario?.name,
      let states = board.stubs.scenarios.first(where: { $0.name == name })?.states
    else { return out.say(.info, "“\(stub.name)” is in no scenario: its form gives it one.") }
    let now = self.states(ofScenario: name)
    out.open(
      MenuBox(
        Menu<[Outcome]>(
          title: "Scenario “\(name)”",
          items: states.enumerated().map { place, state in
            let detail = place == 0 ? "the beginning" : ""
            return .init(
              place < 9 ? "\(place + 1)" : nil, state, detail: detail, isOn: now == [state],
              [.effect(.setScenario(ScenarioState(name: name, state: state)))])
          }, note: "in every process")))
  }

  /// The states that the scenario is in, one where the processes agree.
  func states(ofScenario name: String) -> [String] {
    let moved = snapshot.scenarios.sorted { $0.key.pid < $1.key.pid }.compactMap { $0.value[name] }
    if moved.isEmpty { return [Stub.Scenario.start] }
    return moved.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  func isPossible(_ command: StubsTabCommand) -> Bool {
    switch command {
    case .addStub, .bringBackStubs, .loadStubs, .setUnmatched: true
    case .toggleSet: !board.sets.isEmpty
    case .clearFilter: !filter.isEmpty || !marked.isEmpty
    case .writeStubs: entries.contains(where: \.edited)
    default: !entries.isEmpty
    }
  }

  private func move(_ entry: StubBoard.Entry, by step: Int, _ out: inout Outcomes) {
    guard let from = selectedPlace else { return }
    let to = max(0, min(entries.count - 1, from + step))
    guard to != from else { return }
    let name = entry.stub.name
    out.change(stubs: [.move(name: name, to: to)], back: [.move(name: name, to: from)], title: "Moved “\(name)”")
  }

  private mutating func toggleMark() {
    guard let name = selected?.stub.name else { return }
    if marked.remove(name) == nil { marked.insert(name) }
    move(by: 1)
  }

  /// All marked ones on; off where all are on.
  private func toggleMarked(_ out: inout Outcomes) {
    let stubs = entries.map(\.stub).filter { marked.contains($0.name) }
    let on = !stubs.allSatisfy(\.enabled)
    let changed = stubs.filter { $0.enabled != on }
    out.change(
      stubs: changed.map { .setEnabled(name: $0.name, on) }, back: changed.map { .setEnabled(name: $0.name, !on) },
      title: "Switched \(Wording.count(stubs.count, "stub")) \(on ? "on" : "off")")
    out.say(.good, "\(Wording.count(stubs.count, "stub")) \(on ? "on" : "off").", undoable: true)
  }

  private func removeMarked(_ out: inout Outcomes) {
    let all = entries.filter { marked.contains($0.stub.name) }
    let some = all.filter { !$0.origin.isCode }
    guard !some.isEmpty else { return out.say(.error, "They are declared in code: switch them off instead.") }
    let what = Wording.count(some.count, "stub")
    out.change(
      stubs: some.map { .remove(name: $0.stub.name) },
      back: some.flatMap { entry in
        back(entry, at: entries.firstIndex { $0.stub.name == entry.stub.name } ?? 0)
      }, title: "Deleted \(what)")
    let rest = some.count < all.count ? " Those in code can only be switched off." : ""
    out.say(.good, "Deleted \(what).\(rest)", undoable: true)
  }

  private func remove(_ entry: StubBoard.Entry, _ out: inout Outcomes) {
    if case .code(let process) = entry.origin {
      return out.say(.error, "It is declared in the code of \(process): switch it off instead.")
    }
    let name = entry.stub.name
    out.change(
      stubs: [.remove(name: name)], back: back(entry, at: selectedPlace ?? 0), title: "Deleted the stub “\(name)”")
    out.say(.good, "Deleted the stub “\(name)”.", undoable: true)
  }

  /// What brings a deleted stub back to its place: one of a file as that has it, and then as it was changed here.
  private func back(_ entry: StubBoard.Entry, at place: Int) -> [StubEdit] {
    guard let baseline = entry.baseline else { return [.add(entry.stub, at: place)] }
    return [
      .revert(name: entry.stub.name), .replace(name: baseline.name, with: entry.stub),
      .move(name: entry.stub.name, to: place),
    ]
  }

  mutating func keepInSight(height: Int) { scroll.settle(count: rows.count, height: height) }

  mutating func move(by step: Int) { scroll.move(by: step, count: rows.count) }

  mutating func pointer(_ pointer: Pointer, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    let layout = layout(in: area, context)
    switch pointer {
    case .press(let point, let isDouble):
      guard scroll.press(point, in: layout.rows, count: rows.count) else { return }
      if isDouble {
        run(.editStub, context, &out)
      } else if table(width: layout.columns.width).column(at: point.x) == 1 {
        run(.toggleStub, context, &out)
      }
    case .wheel(let step, _): scroll.scroll(by: step, count: rows.count, height: layout.rows.height)
    case .drag, .release: break
    }
  }

  // MARK: Stubs of an earlier console

  private func offerKept(_ context: ConsoleContext, _ out: inout Outcomes) {
    guard let kept = kept.first else { return out.say(.info, "No stubs of an earlier console are kept.") }
    let names = kept.names
    var menu = Menu<[Outcome]>(
      title: "Stubs of an earlier console",
      items: [
        .init("B", "Bring them back", detail: "u undoes", [.stubs(.kept(.bringBack))]),
        .init("D", "Discard them", [.stubs(.kept(.throwAway))]),
      ])
    let time = Wording.time(kept.savedAt, utcOffset: context.setup.utcOffset, fraction: false)
    menu.text =
      ["Changed there and not written to a file, last at \(time):"]
      + names.prefix(5).map { "• \($0)" } + (names.count > 5 ? ["and \(names.count - 5) more"] : [])
    menu.note = "any other key: later, with B on the Stubs screen"
    menu.isOffer = true
    if context.topBox == .offer { out.close() }
    out.open(MenuBox(menu))
  }

  private mutating func decideKept(_ answer: KeptReply, _ out: inout Outcomes) {
    guard let found = kept.first else { return }
    let what = "\(Wording.count(found.names.count, "stub")) of an earlier console"
    switch answer {
    case .bringBack:
      let edits = found.edits(on: board)
      if !edits.isEmpty {
        let change = UndoLog.Change.decided(found, isDecided: true, forward: edits, backward: [.restore(board)])
        out.add(.done("Brought back \(what)", change))
        out.add(.editStubs(edits))
      }
      out.say(.good, "Brought back \(what).", undoable: !edits.isEmpty)
    case .throwAway:
      out.add(.done("Threw away \(what)", .decided(found, isDecided: true, forward: [], backward: [])))
      out.say(.info, "Threw away \(what).", undoable: true)
    }
    offered(found, false, &out)
  }

  private mutating func offered(_ found: KeptStubs, _ isOffered: Bool, _ out: inout Outcomes) {
    kept.removeAll { $0.id == found.id }
    if isOffered { kept.insert(found, at: 0) }
    out.perform(isOffered ? .keepAgain(found) : .dropKept(id: found.id))
  }
}

extension StubEdit {
  /// The stub that it adds.
  var added: Stub? { if case .add(let stub, _) = self { stub } else { nil } }
}
