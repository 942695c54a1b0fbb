import PatchbayGrid
import PatchbayStubs

/// What is decided for many stubs at once: all of them, a set of them, a file of them, and what none of them takes.
extension StubsTab {
  /// All off at once, and all on again as they were.
  func togglePause(_ out: inout Outcomes) {
    let pauses = !board.isPaused
    out.change(
      stubs: [.setPaused(pauses)], back: [.setPaused(!pauses)], title: pauses ? "All stubs off" : "Stubs on again")
    out.say(
      pauses ? .warning : .good, pauses ? "All stubs are off; 0 turns them on again." : "The stubs are on as before.",
      undoable: true)
  }

  /// What is said to be on is not while all stubs are off.
  func completed(_ notice: Notice, after change: UndoLog.Change?) -> Notice {
    guard board.isPaused, case .stubs(let edits, _)? = change, edits.contains(where: { $0.added?.enabled == true })
    else { return notice }
    return Notice(notice.kind, "\(notice.text) All stubs are off: 0 turns them on.")
  }

  // MARK: Sets

  /// Each file's stubs, and those made here, to be switched off and on together.
  func offerSets(_ out: inout Outcomes) {
    let sets = board.sets
    guard !sets.isEmpty else { return out.say(.info, "There are no stubs to switch: l loads a file of them.") }
    let items = sets.enumerated().map { place, set in
      let stubs = entries.filter { $0.origin == set }
      let isOff = board.pausedSets.contains(set)
      let on = stubs.filter(\.stub.enabled).count
      return Menu<[Outcome]>.Item(
        place < 9 ? "\(place + 1)" : nil, shown(StubWords.set(set)),
        detail: isOff
          ? "\(Wording.count(stubs.count)), off" : "\(Wording.count(on)) of \(Wording.count(stubs.count)) on",
        isOn: !isOff, [.stubs(.pauseSet(set, !isOff))])
    }
    out.open(
      MenuBox(Menu(title: "Sets of stubs", items: items, note: "off and on together; each stub keeps its own switch")))
  }

  /// A set off, or on again as it was.
  mutating func pause(_ set: StubBoard.Origin, _ pauses: Bool, _ out: inout Outcomes) {
    let name = shown(StubWords.set(set))
    out.change(
      stubs: [.setSetPaused(set, pauses)], back: [.setSetPaused(set, !pauses)],
      title: "\(name) \(pauses ? "off" : "on")")
    out.say(
      pauses ? .warning : .good, pauses ? "The stubs of \(name) are off." : "The stubs of \(name) are on as before.",
      undoable: true)
  }

  // MARK: Files

  mutating func loaded(_ path: String, count: Int, isNew: Bool, isOffline: Bool, _ out: inout Outcomes) {
    let name = shown(StubWords.set(.file(path)))
    let stubs = Wording.count(count, "stub")
    if isOffline {
      // One step: undone, the network answers again.
      out.add(.done("Play \(name) offline", .offline(path, before: snapshot.unmatched, isOn: true)))
      foresee(unmatched: .fail)
      out.perform(.setUnmatched(.fail))
      return out.say(.warning, "Offline: \(stubs) of \(name) answer, all else fails.", undoable: true)
    }
    guard isNew else { return out.say(.good, "Read \(name) again: \(stubs).") }
    out.add(.done("Loaded \(name)", .stubFile(path, isThere: true)))
    let rest = snapshot.unmatched == .pass ? " n decides what no stub takes." : ""
    out.say(.good, "Loaded \(stubs) of \(name).\(rest)", undoable: true)
  }

  // MARK: What no stub takes

  func offerUnmatched(_ out: inout Outcomes) {
    let rows: [(StubSet.Unmatched, key: String, title: String, detail: String)] = [
      (.pass, "p", "Pass: they go to the network", "as without Patchbay"),
      (.fail, "f", "Fail: nothing leaves the program", "offline"),
      (.hold, "h", "Hold: each waits for you", ""),
    ]
    let now = snapshot.unmatched
    let items = rows.map { row in
      Menu<[Outcome]>.Item(
        row.key, row.title, detail: row.detail, isOn: row.0 == now, [.stubs(.setUnmatched(row.0))])
    }
    out.open(
      MenuBox(
        Menu(
          title: "Requests that no stub takes", items: items, selected: rows.firstIndex { $0.0 == now } ?? 0,
          note: "from the next request on")))
  }

  mutating func set(unmatched: StubSet.Unmatched, _ out: inout Outcomes) {
    let before = snapshot.unmatched
    let text =
      switch unmatched {
      case .pass: "What no stub takes goes to the network."
      case .fail: "What no stub takes fails: nothing leaves the program."
      case .hold: "What no stub takes is held."
      }
    guard unmatched != before else { return out.say(.info, text) }
    foresee(unmatched: unmatched)
    out.add(.done("Unmatched: \(unmatched.rawValue)", .unmatched(from: before, to: unmatched)))
    out.perform(.setUnmatched(unmatched))
    out.say(unmatched == .pass ? .good : .warning, text, undoable: true)
  }
}
