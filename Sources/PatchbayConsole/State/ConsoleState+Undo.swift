import PatchbayStubs

extension ConsoleState {
  mutating func undo() {
    guard let step = log.undo() else { return say(.info, "There is nothing to undo.") }
    let isDone = apply(step.change.reversed)
    say(.info, isDone ? "Undone: \(step.title)" : "Others have changed those stubs since: nothing was left to undo.")
  }

  mutating func redo() {
    guard let step = log.redo() else { return say(.info, "There is nothing to redo.") }
    let isDone = apply(step.change)
    say(.info, isDone ? "Done again: \(step.title)" : "Others have changed those stubs since: nothing was left to do.")
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

  /// The edits as far as they can be made on the stubs as they are now: files may have been written or read again, and
  /// others may have changed them. What is to be changed and is gone comes back.
  private func fitting(_ edits: [StubEdit]) -> [StubEdit] {
    var board = stubs.board
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

  /// Returns whether there was something that could be done.
  @discardableResult
  private mutating func apply(_ change: UndoLog.Change) -> Bool {
    switch change {
    case .stubs(let forward, _):
      let edits = fitting(forward)
      guard !edits.isEmpty || forward.isEmpty else { return false }
      edit(edits)
    case .filter(_, let to): setFilter(to)
    case .sorted(_, let to): setSort(to)
    case .marks(let ids, let on): setMarks(ids, on)
    case .deleted(let ids): setDeleted(ids, true)
    case .restored(let ids): setDeleted(ids, false)
    case .cleared(_, let to): clear(upTo: to)
    case .holdAll(_, let to): effects.append(.setHoldAll(to))
    }
    return true
  }
}
