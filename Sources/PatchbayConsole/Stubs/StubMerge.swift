import PatchbayStubs

/// What a person made of a stub, put together with what became of it meanwhile.
struct StubMerge: Sendable, Equatable {
  /// Both changes; where both changed the same, the person's.
  var merged: Stub
  /// What both changed, and not to the same: `switch`, `pattern`, `action`, ….
  var conflicts: [String]

  /// - Parameters:
  ///   - base: the stub as it was when the person began.
  ///   - mine: what the person made of it.
  ///   - theirs: the stub as it is now.
  init(base: Stub, mine: Stub, theirs: Stub) {
    merged = theirs
    conflicts = []
    merge("name", \.name, base, mine)
    merge("switch", \.enabled, base, mine)
    merge("pattern", \.when, base, mine)
    merge("action", \.then, base, mine)
    merge("skip", \.skip, base, mine)
    merge("chance", \.chance, base, mine)
    merge("seed", \.seed, base, mine)
    merge("times", \.times, base, mine)
    merge("scenario", \.scenario, base, mine)
  }

  private mutating func merge<Value: Equatable>(
    _ name: String, _ part: WritableKeyPath<Stub, Value>, _ base: Stub, _ mine: Stub
  ) {
    guard mine[keyPath: part] != base[keyPath: part] else { return }
    let theirs = merged[keyPath: part]
    if theirs != base[keyPath: part], theirs != mine[keyPath: part] { conflicts.append(name) }
    merged[keyPath: part] = mine[keyPath: part]
  }
}

/// A stub that the person edited while somebody else changed the same of it.
struct StubConflict: Sendable, Equatable {
  /// The stub as it was when the person began.
  var base: Stub
  var mine: Stub
  /// What both changed.
  var parts: [String]
}

/// What somebody else changed about the stubs, in a few words.
enum BoardDifference {
  /// Such as `“orders down” is on, “old” is gone`; empty where nothing of that can be seen.
  static func text(from old: StubBoard, to new: StubBoard) -> String {
    let before = Dictionary(old.entries.map { ($0.stub.name, $0.stub) }) { first, _ in first }
    let names = Set(new.entries.map(\.stub.name))
    var parts: [String] = []
    if old.isPaused != new.isPaused { parts.append(new.isPaused ? "all are off" : "they are on again") }
    for set in new.sets where old.pausedSets.contains(set) != new.pausedSets.contains(set) {
      parts.append("those of \(StubWords.set(set)) are \(new.pausedSets.contains(set) ? "off" : "on again")")
    }
    for stub in new.entries.map(\.stub) {
      guard let known = before[stub.name] else {
        parts.append("“\(stub.name)” is new")
        continue
      }
      guard known != stub else { continue }
      var toggled = known
      toggled.enabled = stub.enabled
      parts.append("“\(stub.name)” is \(toggled == stub ? stub.enabled ? "on" : "off" : "changed")")
    }
    parts += old.entries.map(\.stub.name).filter { !names.contains($0) }.map { "“\($0)” is gone" }
    let more = parts.count > 2 ? " and \(parts.count - 2) more" : ""
    return parts.prefix(2).joined(separator: ", ") + more
  }
}

extension StubBoard {
  /// What takes the change of a stub back, which is made next: one that is as its file has it becomes as the file has it
  /// then, which somebody may have saved meanwhile.
  func edits(from changed: Stub, backTo now: Stub) -> [StubEdit] {
    let isOfFile = self[now.name].map { $0.baseline != nil && !$0.edited } ?? false
    return [.replace(name: changed.name, with: now)] + (isOfFile ? [.revert(name: now.name)] : [])
  }
}

extension StubsTab {
  // MARK: An edited stub in the place of what others changed

  func put(
    _ mine: Stub, inPlaceOf base: Stub, note: String = "", isForm: Bool, _ out: inout Outcomes
  ) {
    guard let now = board[base.name]?.stub else {
      guard board[mine.name] == nil else {
        return out.say(
          .error, "Another stub is called “\(mine.name)”, and “\(base.name)” is gone: nothing was changed.")
      }
      out.change(stubs: [.add(mine, at: 0)], back: [.remove(name: mine.name)], title: "Added the stub “\(mine.name)”")
      out.say(.good, "“\(base.name)” was removed meanwhile; what you edited is there again.\(note)", undoable: true)
      if isForm { out.close() }
      return
    }
    if mine.name != base.name, board[mine.name] != nil {
      return out.say(.error, "Another stub is called “\(mine.name)”: nothing was changed.")
    }
    let merge = StubMerge(base: base, mine: mine, theirs: now)
    guard merge.conflicts.isEmpty else {
      return ask(about: StubConflict(base: base, mine: mine, parts: merge.conflicts), isForm: isForm, &out)
    }
    put(merge.merged, inForceFor: now, also: now == base ? "" : " What was changed meanwhile is kept.", note, &out)
    if isForm { out.close() }
  }

  private func put(_ stub: Stub, inForceFor now: Stub, also: String, _ note: String, _ out: inout Outcomes) {
    guard stub != now else { return out.say(.info, "Nothing was changed.") }
    out.change(
      stubs: [.replace(name: now.name, with: stub)], back: board.edits(from: stub, backTo: now),
      title: "Changed the stub “\(stub.name)”")
    out.say(.good, "“\(stub.name)” is \(stub.enabled ? "in force" : "saved, and off").\(also)\(note)", undoable: true)
  }

  /// A form stays open below the question, to go on in it; from the editor there is none to go back to.
  private func ask(about conflict: StubConflict, isForm: Bool, _ out: inout Outcomes) {
    let closing: [Outcome] = isForm ? [.close] : []
    var menu = Menu<[Outcome]>(
      title: "“\(conflict.base.name)” was changed meanwhile",
      items: [
        .init("s", "Save mine over it", closing + [.stubs(.settle(conflict, keepsMine: true))]),
        .init(
          "t", "Keep it as it is now, discard mine", closing + [.stubs(.settle(conflict, keepsMine: false))]),
      ])
    if isForm { menu.items.append(.init("esc", "Go on editing", [])) }
    let parts = conflict.parts.joined(separator: " and its ")
    menu.text = ["You and someone else (a script, or its file) both changed its \(parts)."]
    out.open(MenuBox(menu, keepsOpen: !isForm))
  }

  func settle(_ conflict: StubConflict, keepingMine: Bool, _ out: inout Outcomes) {
    guard keepingMine else { return out.say(.info, "“\(conflict.base.name)” stays as it is now.") }
    guard let now = board[conflict.base.name]?.stub else {
      return put(conflict.mine, inPlaceOf: conflict.base, isForm: false, &out)
    }
    let merged = StubMerge(base: conflict.base, mine: conflict.mine, theirs: now).merged
    put(merged, inForceFor: now, also: "", "", &out)
  }
}
