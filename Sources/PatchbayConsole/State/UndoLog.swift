import PatchbayStubs
import PatchbayWire

/// What was done and can be undone, across all tabs, the newest last.
struct UndoLog: Sendable {
  struct Step: Sendable, Equatable {
    /// What the person did, such as `Deleted stub "maintenance"`.
    var title: String
    var at: Timestamp
    var change: Change
  }

  enum Change: Sendable, Equatable {
    case stubs(forward: [StubEdit], backward: [StubEdit])
    case filter(from: String, to: String)
    case sorted(from: SortOrder, to: SortOrder)
    case marks([Int64], on: Bool)
    case deleted([Int64])
    case restored([Int64])
    case cleared(from: Int64, to: Int64)
    case holdAll(from: Action.HoldPoint?, to: Action.HoldPoint?)

    var reversed: Change {
      switch self {
      case .stubs(let forward, let backward): .stubs(forward: backward, backward: forward)
      case .filter(let from, let to): .filter(from: to, to: from)
      case .sorted(let from, let to): .sorted(from: to, to: from)
      case .marks(let ids, let on): .marks(ids, on: !on)
      case .deleted(let ids): .restored(ids)
      case .restored(let ids): .deleted(ids)
      case .cleared(let from, let to): .cleared(from: to, to: from)
      case .holdAll(let from, let to): .holdAll(from: to, to: from)
      }
    }
  }

  private(set) var steps: [Step] = []
  /// How many of the steps are in force; those after can be redone.
  private(set) var position = 0

  var canUndo: Bool { position > 0 }
  var canRedo: Bool { position < steps.count }

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

  mutating func undo() -> Step? {
    guard canUndo else { return nil }
    position -= 1
    return steps[position]
  }

  mutating func redo() -> Step? {
    guard canRedo else { return nil }
    position += 1
    return steps[position - 1]
  }
}
