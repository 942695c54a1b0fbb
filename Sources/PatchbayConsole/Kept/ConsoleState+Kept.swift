import PatchbayStubs
import PatchbayWire

extension ConsoleState {
  /// Offers what an earlier console left; nothing is brought back without the person's word.
  mutating func take(_ found: KeptStubs) {
    guard !found.edits(on: stubs.board).isEmpty else {
      effects.append(.dropKept(id: found.id))
      return
    }
    kept = found
    if overlays.isEmpty || isOffering { offerKept() }
  }

  mutating func offerKept() {
    guard let kept else { return say(.info, "No stubs of an earlier console are kept.") }
    let names = kept.names
    var menu = Menu(
      title: "Stubs of an earlier console",
      items: [
        Menu.Item("B", "Bring them back", detail: "u undoes", .kept(.bringBack)),
        Menu.Item("D", "Throw them away", .kept(.throwAway)),
      ])
    let time = Wording.time(kept.savedAt, utcOffset: setup.utcOffset, fraction: false)
    menu.text =
      ["Changed there and not written to a file, last at \(time):"]
      + names.prefix(5).map { "• \($0)" } + (names.count > 5 ? ["and \(names.count - 5) more"] : [])
    menu.note = "any other key: later, with B on the Stubs screen"
    menu.isOffer = true
    if isOffering { closeTop() }
    overlays.append(.menu(menu))
  }

  mutating func decideKept(_ answer: KeptAnswer) {
    guard let kept else { return }
    self.kept = nil
    let edits = kept.edits(on: stubs.board)
    let what = "\(Wording.count(kept.names.count, "stub")) of an earlier console"
    if answer == .bringBack {
      if !edits.isEmpty { change(stubs: edits, back: [.restore(stubs.board)], title: "Brought back \(what)") }
      say(.good, "Brought back \(what).", undoable: !edits.isEmpty)
    } else {
      log.add(
        UndoLog.Step(
          title: "Threw away \(what)", at: now, change: .stubs(forward: [.restore(stubs.board)], backward: edits)))
      say(.info, "Threw away \(what).", undoable: true)
    }
    effects.append(.dropKept(id: kept.id))
  }

  // MARK: The form that is open

  /// What stands in a form is kept a moment after it was typed.
  mutating func noteDraft(of form: StubForm) {
    guard draftDue == nil else { return }
    let pause: Int64 = form.form.checking("body") == .atEachKey ? 700_000 : 3_000_000
    draftDue = Timestamp(microseconds: now.microseconds + pause)
  }

  mutating func keepDraft() {
    draftDue = nil
    guard case .stubForm(let form)? = overlays.first(where: { if case .stubForm = $0 { true } else { false } }) else {
      return
    }
    guard form.isChanged else { return dropDraft() }
    var build = StubBuild(form)
    guard let stub = build.stub() else { return }
    hasDraft = true
    effects.append(.keepDraft(StubDraft(base: form.isNew ? nil : form.original.name, stub: stub)))
  }

  /// After the form is closed, by whatever way.
  mutating func dropDraft() {
    draftDue = nil
    guard hasDraft else { return }
    hasDraft = false
    effects.append(.keepDraft(nil))
  }

  var hasStubForm: Bool { overlays.contains { if case .stubForm = $0 { true } else { false } } }
}
