import PatchbayGrid
import PatchbayStubs
import PatchbayWire

extension ConsoleState {
  mutating func openFaults(scope: FaultScope) {
    var scope = scope
    if scope.reach == .endpoint, selectedSummary == nil { scope.reach = .everything }
    overlays.append(.menu(faultMenu(scope, selected: 0)))
  }

  /// One letter for each fault: with the key that opens the menu, two keys have one on, or off again.
  func faultMenu(_ scope: FaultScope, selected: Int) -> Menu {
    let isHeld = scope.reach == .held
    let items = FaultPreset.all.compactMap { fault -> Menu.Item? in
      guard !isHeld || fault.endsRequest else { return nil }
      return Menu.Item(
        fault.letter.map { String($0) }, fault.title, detail: fault.group.rawValue,
        isOn: isHeld ? nil : activeFault(fault, scope) != nil, .fault(fault.name))
    }
    var menu = Menu(title: "Fail: \(scope.sentence)", items: items, selected: selected)
    menu.fault = scope
    if !isHeld {
      menu.note = scope.place(from: selectedSummary)
    }
    return menu
  }

  /// The stub that has a fault on for those requests.
  private func activeFault(_ fault: FaultPreset, _ scope: FaultScope) -> StubBoard.Entry? {
    guard let pattern = scope.pattern(from: selectedSummary) else { return nil }
    let summary = scope.reach == .everything ? nil : selectedSummary
    return stubs.board.entries.first {
      $0.stub.enabled && $0.stub.when == pattern && $0.stub.then == fault.action && !isUsedUp($0.stub, for: summary)
    }
  }

  mutating func adjustFault(_ key: Key, in menu: Menu) {
    guard var scope = menu.fault, scope.reach != .held else { return }
    switch key {
    case .tab: scope.nextReach(from: tab == .requests ? selectedSummary : nil)
    case Key("+"), Key("="), .right: scope.changeCount(by: 1)
    case Key("-"), .left: scope.changeCount(by: -1)
    case Key("%"), Key("5"): scope.nextShare()
    default: return
    }
    replaceTop(.menu(faultMenu(scope, selected: menu.selected)))
  }

  mutating func toggleFault(_ name: String, scope: FaultScope) {
    guard let fault = FaultPreset[name] else { return }
    if scope.reach == .held { return failHeld(fault) }
    guard let pattern = scope.pattern(from: selectedSummary) else { return }
    let place = scope.place(from: selectedSummary)
    if let active = activeFault(fault, scope) {
      let title = "“\(fault.title)” is off for \(place)"
      let (edit, back) = makeRoom(active)
      change(stubs: [edit], back: [back], title: title)
      return say(.good, "\(title).", undoable: true)
    }
    // Those that have failed as many requests as they were for make room too.
    let others = stubs.board.entries.filter { entry in
      entry.stub.enabled && entry.stub.when == pattern && FaultPreset.of(entry.stub.then) != nil
    }
    let room = others.map(makeRoom)
    let gone = room.compactMap { if case .remove(let name) = $0.edit { name } else { nil } }
    let name = stubs.board.freeName("\(fault.title): \(place)", besides: gone)
    let stub = Stub(name: name, when: pattern, then: fault.action, chance: scope.chance, times: scope.times)
    let title = "“\(fault.title)” is on for \(scope.words(from: selectedSummary))"
    change(
      stubs: room.map(\.edit) + [.add(stub, at: 0)],
      back: [.remove(name: stub.name)] + room.map(\.back), title: title)
    say(.warning, "\(title).", undoable: true)
  }

  /// One that was made here goes; one of a file or of code is switched off.
  private func makeRoom(_ entry: StubBoard.Entry) -> (edit: StubEdit, back: StubEdit) {
    let name = entry.stub.name
    guard entry.origin == .console else {
      return (.setEnabled(name: name, false), .setEnabled(name: name, true))
    }
    let place = stubs.board.entries.firstIndex { $0.stub.name == name } ?? 0
    return (.remove(name: name), .add(entry.stub, at: place))
  }

  /// Fails, or answers, the one request that is held.
  private mutating func failHeld(_ fault: FaultPreset) {
    guard let summary = selectedSummary, summary.isHeld else {
      return say(.error, "That request is no longer held; the program went on or cancelled it.")
    }
    switch fault.action {
    case .fail(let failure): decide(summary, .fail(failure))
    case .respond(let response): decide(summary, .respond(response))
    default: return say(.info, "“\(fault.title)” is for requests to come; it cannot be done to one that is held.")
    }
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
