import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// The faults that can be had for requests. What is typed finds one by its words or its status; 1 to 3 and 6 to 9, with
/// which no status begins, say how many requests it is for. On top stands what is on for the request, at whatever
/// scope, to be put out; then what was had last. With the key that opens the menu, enter has that one on, or off again.
struct FaultMenu: ChoiceBox {
  enum Choice: Sendable, Equatable {
    case preset(String)
    /// The stub of that name has it on for these requests.
    case off(stub: String)
  }

  private(set) var menu = Menu<Choice>(title: "", items: [])
  private var scope: FaultScope
  private var typed = ""

  /// What is wanted most, below what was had last.
  private static let usual = [
    "timedOut", "offline", "http503", "http500", "http401", "http404", "http429", "slow2s", "slowNetwork",
  ]

  init(_ scope: FaultScope, _ context: ConsoleContext) {
    var scope = scope
    if scope.reach == .endpoint, context.selected == nil { scope.reach = .everything }
    self.scope = scope
    fill(context)
  }

  private var isHeld: Bool { scope.reach == .held }

  // MARK: What is listed

  private mutating func fill(_ context: ConsoleContext) {
    let on = isHeld ? [] : Self.active(context)
    let recent = context.stubs.recentFaults
    var listed = on.map { found in
      Menu<Choice>.Item(
        nil, found.fault.title, detail: found.place, isOn: true, .off(stub: found.entry.stub.name))
    }
    let here = scope.pattern(from: context.selected)
    let shown = Set(on.filter { $0.entry.stub.when == here }.map(\.fault.name))
    var names = recent + Self.usual.filter { !recent.contains($0) }
    names += FaultPreset.all.map(\.name).filter { !names.contains($0) }
    listed += names.compactMap { name in
      guard let fault = FaultPreset[name], !shown.contains(name), !isHeld || fault.endsRequest else { return nil }
      let detail = recent.contains(name) ? "recent" : fault.group.rawValue
      return Menu<Choice>.Item(nil, fault.title, detail: detail, isOn: isHeld ? nil : false, .preset(name))
    }
    menu = Menu(title: "Fail: \(scope.sentence)", items: found(listed))
    menu.takesText = true
    menu.text = [typed.isEmpty ? "Type to find: 503, time, slow …" : "› \(typed)"]
    if menu.items.isEmpty { menu.text = ["› \(typed)", "No fault matches."] }
    if !isHeld { menu.note = scope.place(from: context.selected) }
  }

  /// Those in which each word that is typed begins a word, and behind them those that hold it elsewhere.
  private func found(_ items: [Menu<Choice>.Item]) -> [Menu<Choice>.Item] {
    let wanted = typed.lowercased().split(separator: " ").map(String.init)
    guard !wanted.isEmpty else { return items }
    let ranked = items.map { item -> (rank: Int, item: Menu<Choice>.Item) in
      let text = "\(item.label) \(name(of: item.choice))".lowercased()
      let words = text.split { !$0.isLetter && !$0.isNumber }
      if wanted.allSatisfy({ word in words.contains { $0.hasPrefix(word) } }) { return (0, item) }
      return (wanted.allSatisfy { text.contains($0) } ? 1 : 2, item)
    }
    return ranked.filter { $0.rank == 0 }.map(\.item) + ranked.filter { $0.rank == 1 }.map(\.item)
  }

  private func name(of choice: Choice) -> String { if case .preset(let name) = choice { name } else { "" } }

  /// The faults that are on for the selected request, or for every one, each with the scope at which it is.
  private static func active(
    _ context: ConsoleContext
  ) -> [(fault: FaultPreset, entry: StubBoard.Entry, place: String)] {
    let places = FaultScope.reaches(from: context.selected).compactMap { reach in
      let scope = FaultScope(reach: reach)
      return scope.pattern(from: context.selected).map { (reach, $0, scope.place(from: context.selected)) }
    }
    return context.stubs.board.entries.compactMap { entry in
      guard entry.stub.enabled, let fault = FaultPreset.of(entry.stub.then),
        let (reach, _, place) = places.first(where: { $0.1 == entry.stub.when }),
        !context.isUsedUp(entry.stub, in: reach == .everything ? nil : context.selected?.process)
      else { return nil }
      return (fault, entry, place)
    }
  }

  func hints(_ context: ConsoleContext) -> [FooterHint] {
    let choose = [FooterHint("enter", "choose"), FooterHint("↑↓", "move")]
    guard !isHeld else { return choose + [FooterHint("esc", "close")] }
    return [
      FooterHint("enter", "on/off"), FooterHint("tab", "scope"), FooterHint("1-3 6-9 + -", "next N"),
      FooterHint("%", "chance"), FooterHint("esc", "close"),
    ]
  }

  // MARK: Keys

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    if case .input(.paste(let text)) = event {
      typed += text.filter { !$0.isNewline }.prefix(40)
      return fill(context)
    }
    switch menu.handle(event, context) {
    case .chosen(let item):
      out.close()
      choose(item.choice, context, &out)
    case .dismissed: if !menu.items.isEmpty || event.isEscape { out.close() }
    case .other(let key): typed(key, context)
    case .moved, .nothing: break
    }
  }

  private mutating func typed(_ key: Key, _ context: ConsoleContext) {
    switch key {
    case .backspace: if typed.isEmpty { scope.times = nil } else { typed.removeLast() }
    case .control("u"): typed = ""
    case .tab where !isHeld: nextReach(by: 1, context)
    case Key(parsing: "shift-tab") where !isHeld: nextReach(by: -1, context)
    case Key("+") where !isHeld, Key("=") where !isHeld, .right where !isHeld: scope.changeCount(by: 1)
    case Key("-") where !isHeld, .left where !isHeld: scope.changeCount(by: -1)
    case Key("%") where !isHeld: scope.nextShare()
    default:
      guard case .character(let letter) = key.code, key.modifiers.isEmpty else { return }
      if !isHeld, typed.isEmpty, let digit = letter.wholeNumberValue, countTyped(digit) { break }
      if typed.count < 40 { typed.append(letter) }
    }
    fill(context)
  }

  private mutating func nextReach(by step: Int, _ context: ConsoleContext) {
    scope.nextReach(by: step, from: context.tab == .requests ? context.selected : nil)
  }

  /// Whether the digit says how many, and no status begins with it: `3`, `10`.
  private mutating func countTyped(_ digit: Int) -> Bool {
    switch (scope.times, digit) {
    case (nil, 1...3), (nil, 6...9): scope.times = digit
    case (let times?, 0) where times < 100: scope.times = times * 10
    default: return false
    }
    return true
  }

  // MARK: On and off

  private func choose(_ choice: Choice, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch choice {
    case .off(let name):
      guard let found = Self.active(context).first(where: { $0.entry.stub.name == name }) else { return }
      let title = "“\(found.fault.title)” is off for \(found.place)"
      let (edit, back) = makeRoom(found.entry, context.stubs.board)
      out.change(stubs: [edit], back: [back], title: title)
      out.say(.good, "\(title).", undoable: true)
    case .preset(let name):
      guard let fault = FaultPreset[name] else { return }
      if isHeld { failHeld(fault, context, &out) } else { turnOn(fault, context, &out) }
    }
  }

  private func turnOn(_ fault: FaultPreset, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard let pattern = scope.pattern(from: context.selected) else { return }
    let board = context.stubs.board
    let place = scope.place(from: context.selected)
    // Those that have failed as many requests as they were for make room too.
    let others = board.entries.filter { entry in
      entry.stub.enabled && entry.stub.when == pattern && FaultPreset.of(entry.stub.then) != nil
    }
    let room = others.map { makeRoom($0, board) }
    let gone = room.compactMap { if case .remove(let name) = $0.edit { name } else { nil } }
    let free = board.freeName("\(fault.title): \(place)", besides: gone)
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

extension ConsoleEvent {
  fileprivate var isEscape: Bool {
    switch self {
    case .input(.key(.escape)), .input(.key(.control("c"))), .input(.mouse): true
    default: false
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

extension ConsoleContext {
  /// Whether a stub has taken as many requests as it was made for: in a process, or in all that are linked.
  func isUsedUp(_ stub: Stub, in process: HarnessProcess?) -> Bool {
    if let process { return stubs.hits.isUsedUp(stub, in: process) }
    let linked = links.filter { $0.ended == nil }
    return !linked.isEmpty && linked.allSatisfy { stubs.hits.isUsedUp(stub, in: $0.process) }
  }
}
