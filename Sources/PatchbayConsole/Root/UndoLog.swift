import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// What was changed and can be undone, across all tabs, the newest last. How the list is looked at (filter, order, marks)
/// is no change: it has ways back of its own, and would stand between the person and the change that is to be undone.
struct UndoLog: Sendable {
  struct Step: Sendable, Equatable {
    /// What the person did, such as `Deleted stub "maintenance"`.
    var title: String
    var at: Timestamp
    var change: Change
  }

  enum Change: Sendable, Equatable {
    case stubs(forward: [StubEdit], backward: [StubEdit])
    /// What was said to the offer of an earlier console's stubs, and what that changed.
    case decided(KeptStubs, isDecided: Bool, forward: [StubEdit], backward: [StubEdit])
    case remarked(from: [Int64: Remark], to: [Int64: Remark])
    case deleted([Int64])
    case restored([Int64])
    case cleared(from: Int64, to: Int64)
    case holdAll(from: Action.HoldPoint?, to: Action.HoldPoint?)
    case unmatched(from: StubSet.Unmatched, to: StubSet.Unmatched)
    case stubFile(String, isThere: Bool)
    /// A file of stubs that answers alone, and what became of the rest before.
    case offline(String, before: StubSet.Unmatched, isOn: Bool)

    var reversed: Change {
      switch self {
      case .stubs(let forward, let backward): .stubs(forward: backward, backward: forward)
      case .decided(let kept, let isDecided, let forward, let backward):
        .decided(kept, isDecided: !isDecided, forward: backward, backward: forward)
      case .remarked(let from, let to): .remarked(from: to, to: from)
      case .deleted(let ids): .restored(ids)
      case .restored(let ids): .deleted(ids)
      case .cleared(let from, let to): .cleared(from: to, to: from)
      case .holdAll(let from, let to): .holdAll(from: to, to: from)
      case .unmatched(let from, let to): .unmatched(from: to, to: from)
      case .stubFile(let path, let isThere): .stubFile(path, isThere: !isThere)
      case .offline(let path, let before, let isOn): .offline(path, before: before, isOn: !isOn)
      }
    }
  }

  private(set) var steps: [Step] = []
  /// How many of the steps are in force; those after can be redone.
  private(set) var position = 0

  var canUndo: Bool { position > 0 }
  /// The last step that is in force.
  var newest: Step? { steps.prefix(position).last }

  mutating func add(_ step: Step) {
    steps.removeSubrange(position...)
    steps.append(step)
    if steps.count > 500 { steps.removeFirst(steps.count - 500) }
    position = steps.count
  }

  /// Puts another change and title in the place of the newest step, for an action that goes on.
  mutating func amend(title: String, _ change: Change) {
    guard position == steps.count, let last = steps.indices.last else { return }
    steps[last].title = title
    steps[last].change = change
  }

  mutating func undo(_ out: inout Outcomes) {
    guard let step = stepBack() else { return out.say(.info, "There is nothing to undo.") }
    out.say(.info, "Undone: \(step.title)")
    step.change.reversed.perform(otherwise: "Others have changed those stubs since: nothing was left to undo.", &out)
  }

  mutating func redo(_ out: inout Outcomes) {
    guard let step = stepForward() else { return out.say(.info, "There is nothing to redo.") }
    out.say(.info, "Done again: \(step.title)")
    step.change.perform(otherwise: "Others have changed those stubs since: nothing was left to do.", &out)
  }

  /// Goes back or forward until that many steps are in force.
  mutating func go(to wanted: Int, _ out: inout Outcomes) {
    while position > wanted, let step = stepBack() { step.change.reversed.perform(otherwise: nil, &out) }
    while position < wanted, let step = stepForward() { step.change.perform(otherwise: nil, &out) }
    let last = newest?.title
    out.say(.info, last.map { "Back to the state after: \($0)" } ?? "Back to the state at the start.")
  }

  private mutating func stepBack() -> Step? {
    guard canUndo else { return nil }
    position -= 1
    return steps[position]
  }

  private mutating func stepForward() -> Step? {
    guard position < steps.count else { return nil }
    position += 1
    return steps[position - 1]
  }

  /// What was done, to go back or forward several steps at once.
  func openMenu(_ context: ConsoleContext, _ out: inout Outcomes) {
    guard !steps.isEmpty else { return out.say(.info, "Nothing was changed yet.") }
    var items = steps.enumerated().map { place, step in
      Menu<[Outcome]>.Item(
        nil, step.title, detail: Wording.time(step.at, utcOffset: context.setup.utcOffset, fraction: false),
        isOn: place < position, [.undo(to: place + 1)])
    }
    items.insert(.init(nil, "As it was at the start", isOn: true, [.undo(to: 0)]), at: 0)
    out.open(
      MenuBox(
        Menu(title: "What was done", items: items, selected: position, note: "enter goes to that point")))
  }
}

extension UndoLog.Change {
  /// - Parameter otherwise: what is said where others have changed the stubs so that nothing of it can be done.
  fileprivate func perform(otherwise: String?, _ out: inout Outcomes) {
    switch self {
    case .stubs(let forward, _): out.add(.stubs(.apply(forward, otherwise: otherwise)))
    case .decided(let kept, let isDecided, let forward, _):
      if !forward.isEmpty { out.add(.stubs(.apply(forward, otherwise: otherwise))) }
      out.add(.stubs(.offered(kept, !isDecided)))
    case .holdAll(_, let to): out.perform(.setHoldAll(to))
    case .unmatched(_, let to): out.perform(.setUnmatched(to))
    case .stubFile(let path, let isThere):
      out.perform(isThere ? .loadStubFile(path, isAgain: true) : .forgetStubFile(path))
    case .offline(let path, let before, let isOn):
      // First what answers, then what fails without it; and the other way round.
      if isOn { out.perform(.loadStubFile(path, isAgain: true)) }
      out.perform(.setUnmatched(isOn ? .fail : before))
      if !isOn { out.perform(.forgetStubFile(path)) }
    case .remarked(_, let to): out.add(.requests(.setRemarks(to)))
    case .deleted(let ids): out.add(.requests(.setDeleted(ids, true)))
    case .restored(let ids): out.add(.requests(.setDeleted(ids, false)))
    case .cleared(_, let to): out.add(.requests(.clear(upTo: to)))
    }
  }
}
