import PatchbayStubs

extension ConsoleState {
  mutating func undo() {
    guard let step = log.undo() else { return say(.info, "There is nothing to undo.") }
    apply(step.change.reversed)
    say(.info, "Undone: \(step.title)")
  }

  mutating func redo() {
    guard let step = log.redo() else { return say(.info, "There is nothing to redo.") }
    apply(step.change)
    say(.info, "Done again: \(step.title)")
  }

  /// Goes back or forward until that many steps are in force.
  mutating func undo(to position: Int) {
    while log.position > position, let step = log.undo() { apply(step.change.reversed) }
    while log.position < position, let step = log.redo() { apply(step.change) }
    let last = log.steps.prefix(log.position).last?.title
    say(.info, last.map { "As it was after: \($0)" } ?? "As it was at the start.")
  }

  mutating func openUndoList() {
    guard !log.steps.isEmpty else { return say(.info, "Nothing was changed yet.") }
    var items = log.steps.enumerated().map { place, step in
      Menu.Item(
        nil, step.title, detail: Wording.time(step.at, utcOffset: setup.utcOffset, fraction: false),
        isOn: place < log.position, .undo(to: place + 1))
    }
    items.insert(Menu.Item(nil, "As it was at the start", isOn: true, .undo(to: 0)), at: 0)
    var menu = Menu(title: "What was done", items: items, selected: log.position)
    menu.note = "enter goes to that point"
    overlays.append(.menu(menu))
  }

  private mutating func apply(_ change: UndoLog.Change) {
    switch change {
    case .stubs(let forward, _): edit(forward)
    case .filter(_, let to): setFilter(to)
    case .marks(let ids, let on): setMarks(ids, on)
    case .deleted(let ids): setDeleted(ids, true)
    case .restored(let ids): setDeleted(ids, false)
    case .cleared(_, let to): clear(upTo: to)
    case .holdAll(_, let to): effects.append(.setHoldAll(to))
    }
  }
}
