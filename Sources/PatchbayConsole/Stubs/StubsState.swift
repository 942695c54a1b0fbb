import PatchbayStubs
import PatchbayWire

/// The stubs as the console knows them.
struct StubsState: Sendable {
  var board = StubBoard()
  /// The boards of the last revisions, to explain what a request met.
  private(set) var earlier: [StubBoard] = []
  /// The board as the runtime has it; `board` is ahead of it by what was just changed here.
  private(set) var confirmed = StubBoard()
  var hits = StubHits()
  var unmatched = StubSet.Unmatched.pass
  var holdAll: Action.HoldPoint?
  var scroll = ListScroll()

  var selected: StubBoard.Entry? {
    board.entries.indices.contains(scroll.selected) ? board.entries[scroll.selected] : nil
  }

  mutating func take(_ board: StubBoard) {
    let name = selected?.stub.name
    if board.revision != confirmed.revision {
      earlier.append(confirmed)
      if earlier.count > 64 { earlier.removeFirst() }
    }
    confirmed = board
    hits.keep(board.entries.map(\.stub.name))
    self.board = board
    if let name { select(name) }
  }

  /// Shows a change at once; the runtime's board, which follows, has the last word. Its revision stays.
  mutating func foresee(_ edits: [StubEdit]) {
    let name = selected?.stub.name
    var next = board
    for edit in edits { next = (try? next.apply(edit)) ?? next }
    next.revision = board.revision
    for case .add(let stub, _) in edits { hits.forget(stub.name) }
    board = next
    if let name { select(name) }
  }

  mutating func take(_ progress: [StubProgress], of process: HarnessProcess) {
    for one in progress { hits.take(one, of: process) }
  }

  /// The board that was in force at a revision, where it is still known.
  func board(revision: UInt64) -> StubBoard? {
    confirmed.revision == revision ? confirmed : earlier.last { $0.revision == revision }
  }

  /// Selects a stub by its name, where it is there.
  mutating func select(_ name: String) {
    if let place = board.entries.firstIndex(where: { $0.stub.name == name }) { scroll.selected = place }
  }
}
