import PatchbayStubs
import PatchbayWire

extension ConsoleState {
  mutating func take(_ board: StubBoard, by: String?) {
    let difference = by == nil ? "" : BoardDifference.text(from: stubs.confirmed, to: board)
    stubs.take(board)
    if detail.isOpen { detail.rebuild(board: stubs) }
    if let by { say(.info, "\(shown(by)) changed the stubs." + (difference.isEmpty ? "" : " \(shown(difference)).")) }
  }

  /// Changes stubs as one step that can be undone.
  mutating func change(stubs edits: [StubEdit], back: [StubEdit], title: String) {
    log.add(UndoLog.Step(title: title, at: now, change: .stubs(forward: edits, backward: back)))
    edit(edits)
  }

  /// What the next key meets is the board as it will be: the server's word on it comes later. An edit that cannot be
  /// made is left to the server, which says why.
  mutating func edit(_ edits: [StubEdit]) {
    stubs.foresee(edits)
    // What was just made is what one wants to see on the tab of the stubs.
    if let made = edits.compactMap(\.added).last { stubs.select(made.name) }
    effects.append(.editStubs(edits))
  }

  mutating func run(_ command: StubsCommand) {
    switch command {
    case .addStub: open(StubForm(adding: stubs.board.freeName("new stub")))
    case .bringBackStubs: offerKept()
    case .writeStubs: effects.append(.writeStubs)
    case .toggleStub, .editStub, .editExternally, .moveStubDown, .moveStubUp, .delete, .duplicateStub, .revertStub,
      .resetCounts, .copy, .filter:
      if let entry = stubs.selected { run(command, on: entry) }
    }
  }

  private mutating func run(_ command: StubsCommand, on entry: StubBoard.Entry) {
    switch command {
    case .addStub, .bringBackStubs, .writeStubs: break
    case .toggleStub: toggle(entry)
    case .editStub: open(StubForm(editing: entry.stub))
    case .editExternally: editExternally(entry.stub)
    case .moveStubDown: move(entry, by: 1)
    case .moveStubUp: move(entry, by: -1)
    case .delete: remove(entry)
    case .duplicateStub: duplicate(entry)
    case .revertStub: revert(entry)
    case .resetCounts:
      effects.append(.resetCounts(name: entry.stub.name))
      say(.good, "The counters of “\(entry.stub.name)” begin again.")
    case .copy: effects.append(.copyStubs([entry.stub]))
    case .filter:
      show(.requests)
      applyFilter("stub:\(FilterWord.containing(entry.stub.name))")
    }
  }

  private mutating func toggle(_ entry: StubBoard.Entry) {
    let name = entry.stub.name
    let on = !entry.stub.enabled
    change(
      stubs: [.setEnabled(name: name, on)], back: [.setEnabled(name: name, !on)],
      title: "Switched “\(name)” \(on ? "on" : "off")")
  }

  private mutating func move(_ entry: StubBoard.Entry, by step: Int) {
    let from = stubs.scroll.selected
    let to = max(0, min(stubs.board.entries.count - 1, from + step))
    guard to != from else { return }
    change(
      stubs: [.move(name: entry.stub.name, to: to)], back: [.move(name: entry.stub.name, to: from)],
      title: "Moved “\(entry.stub.name)”")
  }

  private mutating func remove(_ entry: StubBoard.Entry) {
    if case .code(let process) = entry.origin {
      return say(.error, "It is declared in the code of \(process): switch it off instead.")
    }
    let name = entry.stub.name
    let place = stubs.scroll.selected
    var back: [StubEdit] = [.add(entry.stub, at: place)]
    if let baseline = entry.baseline {
      back = [
        .revert(name: baseline.name), .replace(name: baseline.name, with: entry.stub), .move(name: name, to: place),
      ]
    }
    change(stubs: [.remove(name: name)], back: back, title: "Deleted the stub “\(name)”")
    say(.good, "Deleted the stub “\(name)”.", undoable: true)
  }

  private mutating func duplicate(_ entry: StubBoard.Entry) {
    var copy = entry.stub
    copy.name = stubs.board.freeName(copy.name)
    let place = stubs.scroll.selected + 1
    change(stubs: [.add(copy, at: place)], back: [.remove(name: copy.name)], title: "Copied “\(entry.stub.name)”")
    say(.good, "Copied “\(entry.stub.name)” into “\(copy.name)”, which is selected.", undoable: true)
  }

  private mutating func revert(_ entry: StubBoard.Entry) {
    guard entry.edited, let baseline = entry.baseline else {
      return say(.info, "“\(entry.stub.name)” is as its file has it.")
    }
    change(
      stubs: [.revert(name: entry.stub.name)], back: [.replace(name: baseline.name, with: entry.stub)],
      title: "Took back the changes to “\(entry.stub.name)”")
  }
}

extension StubEdit {
  /// The stub that it adds.
  var added: Stub? { if case .add(let stub, _) = self { stub } else { nil } }
}
