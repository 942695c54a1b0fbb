import PatchbayStubs
import PatchbayWire

/// Stubs that an earlier console did not write to their files before it ended.
package struct KeptStubs: Sendable, Equatable {
  /// Names it for the runtime.
  package var id: String
  package var savedAt: Timestamp
  package var board: StubBoard
  /// What stood in a form that was open when the console ended.
  package var draft: KeptDraft?

  package init(id: String, savedAt: Timestamp, board: StubBoard, draft: KeptDraft? = nil) {
    self.id = id
    self.savedAt = savedAt
    self.board = board
    self.draft = draft
  }

  /// The names of the stubs that were changed, made or removed.
  var names: [String] {
    board.entries.filter(\.isUnwritten).map(\.stub.name) + board.removed.map(\.stub.name)
      + (draft.map { [$0.stub.name] } ?? []).filter { name in
        !board.entries.contains { $0.isUnwritten && ($0.id == name || $0.id == draft?.base) }
      }
  }

  /// The changes that bring them back on a board, as far as they are not there.
  func edits(on current: StubBoard) -> [StubEdit] {
    var next = current
    var edits: [StubEdit] = []
    func add(_ edit: StubEdit) {
      guard let applied = try? next.apply(edit), applied != next else { return }
      next = applied
      edits.append(edit)
    }
    for entry in board.removed where next[entry.baseline?.name ?? entry.stub.name] != nil {
      add(.remove(name: entry.baseline?.name ?? entry.stub.name))
    }
    // Behind the stubs of code that there are now.
    let first = next.countOfCode
    let kept = board.entries.filter { !$0.origin.isCode }
    for (place, entry) in kept.enumerated() where entry.isUnwritten {
      let known = [entry.baseline?.name, entry.stub.name].compactMap { $0 }.first { next[$0] != nil }
      if let known { add(.replace(name: known, with: entry.stub)) } else { add(.add(entry.stub, at: first + place)) }
    }
    if board.isOrderEdited {
      for (place, entry) in kept.enumerated() { add(.move(name: entry.stub.name, to: first + place)) }
    }
    if let draft {
      let known = [draft.base, draft.stub.name].compactMap { $0 }.first { next[$0] != nil }
      if let known { add(.replace(name: known, with: draft.stub)) } else { add(.add(draft.stub, at: 0)) }
    }
    return edits
  }
}

/// A stub as it stands in a form that is open.
package struct KeptDraft: Sendable, Equatable {
  /// The name of the stub that is edited; nil for a new one.
  package var base: String?
  package var stub: Stub

  package init(base: String?, stub: Stub) {
    self.base = base
    self.stub = stub
  }
}

/// What the person said to the offer.
enum KeptReply: Sendable, Equatable {
  case bringBack
  case throwAway
}

extension StubBoard.Entry {
  /// Whether no file has it as it is.
  package var isUnwritten: Bool { origin == .console || edited }
}

extension StubBoard {
  /// Whether anything on it would be gone with the console.
  package var isUnwritten: Bool { isOrderEdited || !removed.isEmpty || entries.contains(where: \.isUnwritten) }
}
