import PatchbayStubs

extension ConsoleState {
  /// Puts an edited stub in force, together with what others changed of it meanwhile. Where both changed the same, the
  /// person is asked; nothing is in force then.
  ///
  /// - Returns: whether it is in force.
  @discardableResult
  mutating func put(_ mine: Stub, inPlaceOf base: Stub, note: String = "") -> Bool {
    guard let now = stubs.board[base.name]?.stub else {
      guard stubs.board[mine.name] == nil else {
        say(.error, "Another stub is called “\(mine.name)”, and “\(base.name)” is gone: nothing was changed.")
        return false
      }
      change(stubs: [.add(mine, at: 0)], back: [.remove(name: mine.name)], title: "Added the stub “\(mine.name)”")
      say(.good, "“\(base.name)” was removed meanwhile; what you edited is there again.\(note)", undoable: true)
      return true
    }
    if mine.name != base.name, stubs.board[mine.name] != nil {
      say(.error, "Another stub is called “\(mine.name)”: nothing was changed.")
      return false
    }
    let merge = StubMerge(base: base, mine: mine, theirs: now)
    guard merge.conflicts.isEmpty else {
      ask(about: StubConflict(base: base, mine: mine, parts: merge.conflicts))
      return false
    }
    put(merge.merged, inForceFor: now, also: now == base ? "" : " What was changed meanwhile is kept.", note: note)
    return true
  }

  private mutating func put(_ stub: Stub, inForceFor now: Stub, also: String, note: String) {
    guard stub != now else { return say(.info, "Nothing was changed.") }
    change(
      stubs: [.replace(name: now.name, with: stub)], back: [.replace(name: stub.name, with: now)],
      title: "Changed the stub “\(stub.name)”")
    say(.good, "“\(stub.name)” is \(stub.enabled ? "in force" : "saved, and off").\(also)\(note)", undoable: true)
  }

  private mutating func ask(about conflict: StubConflict) {
    let parts = conflict.parts.joined(separator: " and its ")
    var menu = Menu(
      title: "“\(conflict.base.name)” was changed meanwhile",
      items: [
        Menu.Item("s", "Save mine over it", .settle(conflict, keepsMine: true)),
        Menu.Item("t", "Keep it as it is now, throw mine away", .settle(conflict, keepsMine: false)),
        Menu.Item("esc", "Go on editing", .stay),
      ])
    menu.text = ["You and someone else (a script, or its file) both changed its \(parts)."]
    // From the editor there is no form to go back to.
    if case .stubForm = overlays.last {
    } else {
      menu.items.removeLast()
      menu.keepsOpen = true
    }
    overlays.append(.menu(menu))
  }

  mutating func settle(_ conflict: StubConflict, keepingMine: Bool) {
    if case .stubForm = overlays.last { closeTop() }
    guard keepingMine else { return say(.info, "“\(conflict.base.name)” stays as it is now.") }
    guard let now = stubs.board[conflict.base.name]?.stub else {
      put(conflict.mine, inPlaceOf: conflict.base)
      return
    }
    let merged = StubMerge(base: conflict.base, mine: conflict.mine, theirs: now).merged
    put(merged, inForceFor: now, also: "", note: "")
  }
}
