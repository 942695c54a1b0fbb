import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// The faults that can be had for requests: one letter for each. With the key that opens the menu, two keys have one on,
/// or off again.
struct FaultMenu: ChoiceBox {
  private(set) var menu: Menu<String>
  private var scope: FaultScope

  init(_ scope: FaultScope, _ context: ConsoleContext) {
    var scope = scope
    if scope.reach == .endpoint, context.selected == nil { scope.reach = .everything }
    self.scope = scope
    menu = Self.menu(scope, selected: 0, context)
  }

  private static func menu(_ scope: FaultScope, selected: Int, _ context: ConsoleContext) -> Menu<String> {
    let isHeld = scope.reach == .held
    let items = FaultPreset.all.compactMap { fault -> Menu<String>.Item? in
      guard !isHeld || fault.endsRequest else { return nil }
      return Menu.Item(
        fault.letter.map { String($0) }, fault.title, detail: fault.group.rawValue,
        isOn: isHeld ? nil : active(fault, scope, context) != nil, fault.name)
    }
    var menu = Menu(title: "Fail: \(scope.sentence)", items: items, selected: selected)
    if !isHeld { menu.note = scope.place(from: context.selected) }
    return menu
  }

  func hints(_ context: ConsoleContext) -> [FooterHint] {
    guard scope.reach != .held else { return FooterHint.menu }
    return [
      FooterHint("letter", "on/off"), FooterHint("tab", "for whom"), FooterHint("+ -", "how many"),
      FooterHint("%", "share"), FooterHint("esc", "close"),
    ]
  }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch menu.handle(event, context) {
    case .chosen(let item):
      out.close()
      toggle(item.choice, context, &out)
    case .dismissed: out.close()
    case .other(let key): adjust(key, context)
    case .moved, .nothing: break
    }
  }

  private mutating func adjust(_ key: Key, _ context: ConsoleContext) {
    guard scope.reach != .held else { return }
    switch key {
    case .tab: scope.nextReach(from: context.tab == .requests ? context.selected : nil)
    case Key("+"), Key("="), .right: scope.changeCount(by: 1)
    case Key("-"), .left: scope.changeCount(by: -1)
    case Key("%"), Key("5"): scope.nextShare()
    default: return
    }
    menu = Self.menu(scope, selected: menu.selected, context)
  }

  /// The stub that has a fault on for those requests.
  private static func active(
    _ fault: FaultPreset, _ scope: FaultScope, _ context: ConsoleContext
  ) -> StubBoard.Entry? {
    guard let pattern = scope.pattern(from: context.selected) else { return nil }
    let process = scope.reach == .everything ? nil : context.selected?.process
    return context.stubs.board.entries.first {
      $0.stub.enabled && $0.stub.when == pattern && $0.stub.then == fault.action
        && !context.isUsedUp($0.stub, in: process)
    }
  }

  private func toggle(_ name: String, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard let fault = FaultPreset[name] else { return }
    if scope.reach == .held { return failHeld(fault, context, &out) }
    guard let pattern = scope.pattern(from: context.selected) else { return }
    let board = context.stubs.board
    let place = scope.place(from: context.selected)
    if let active = Self.active(fault, scope, context) {
      let title = "“\(fault.title)” is off for \(place)"
      let (edit, back) = makeRoom(active, board)
      out.change(stubs: [edit], back: [back], title: title)
      return out.say(.good, "\(title).", undoable: true)
    }
    // Those that have failed as many requests as they were for make room too.
    let others = board.entries.filter { entry in
      entry.stub.enabled && entry.stub.when == pattern && FaultPreset.of(entry.stub.then) != nil
    }
    let room = others.map { makeRoom($0, board) }
    let gone = room.compactMap { if case .remove(let name) = $0.edit { name } else { nil } }
    let free = context.stubs.board.freeName("\(fault.title): \(place)", besides: gone)
    let stub = Stub(name: free, when: pattern, then: fault.action, chance: scope.chance, times: scope.times)
    let title = "“\(fault.title)” is on for \(scope.words(from: context.selected))"
    out.change(
      stubs: room.map(\.edit) + [.add(stub, at: 0)],
      back: [.remove(name: stub.name)] + room.map(\.back), title: title)
    out.say(.warning, "\(title).", undoable: true)
  }

  /// One that was made here goes; one of a file or of code is switched off.
  private func makeRoom(_ entry: StubBoard.Entry, _ board: StubBoard) -> (edit: StubEdit, back: StubEdit) {
    let name = entry.stub.name
    guard entry.origin == .console else {
      return (.setEnabled(name: name, false), .setEnabled(name: name, true))
    }
    let place = board.entries.firstIndex { $0.stub.name == name } ?? 0
    return (.remove(name: name), .add(entry.stub, at: place))
  }

  /// Fails, or answers, the one request that is held.
  private func failHeld(_ fault: FaultPreset, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard let summary = context.selected, summary.isHeld else {
      return out.say(.error, "That request is no longer held; the program went on or cancelled it.")
    }
    let decision: Verdict.Decision
    switch fault.action {
    case .fail(let failure): decision = .fail(failure)
    case .respond(let response): decision = .respond(response)
    default:
      return out.say(.info, "“\(fault.title)” is for requests to come; it cannot be done to one that is held.")
    }
    out.perform(.decide([HeldDecision(id: summary.id, decision: decision)]))
  }
}

extension FaultPreset {
  /// Whether it ends a request that is there already; the others slow down those to come.
  fileprivate var endsRequest: Bool {
    switch action {
    case .fail, .respond: true
    default: false
    }
  }
}

extension ConsoleContext {
  /// Whether a stub has taken as many requests as it was made for: in a process, or in all that are linked.
  func isUsedUp(_ stub: Stub, in process: HarnessProcess?) -> Bool {
    if let process { return stubs.hits.isUsedUp(stub, in: process) }
    let linked = links.filter { $0.ended == nil }
    return !linked.isEmpty && linked.allSatisfy { stubs.hits.isUsedUp(stub, in: $0.process) }
  }
}
