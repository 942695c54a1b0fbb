import Foundation
import NIOCore
import PatchbayStubs
import PatchbayWire

extension ServerCore {
  /// Changes the board and tells every link at once. Returns the change's result and the revision then in force.
  ///
  /// - Parameter anew: names of stubs that are new, though there may have been one of the name before. They count from
  ///   zero, like all whose name the board did not have.
  func edit<Result: Sendable>(
    by author: Author, anew: Set<String> = [], _ edit: @Sendable (inout StubBoard) throws -> Result
  ) throws -> (result: Result, revision: UInt64) {
    let (answer, board, channels) = try change {
      state -> ((result: Result, revision: UInt64), StubBoard?, [any Channel]) in
      let before = state.keeper.board.revision
      let known = Set(state.keeper.board.entries.map(\.stub.name))
      let (result, notices) = try state.keeper.edit(edit)
      let names = Set(
        state.keeper.board.entries.lazy.filter { !$0.origin.isCode }.map(\.stub.name)
          .filter { anew.contains($0) || !known.contains($0) })
      // Taken away and added again as it was: nothing but its counters is new.
      if state.keeper.board.revision == before, !names.isEmpty { state.keeper.touch() }
      let revision = state.keeper.board.revision
      guard revision != before else { return ((result, revision), nil, []) }
      for notice in notices { state.pending.notice(notice, of: nil) }
      state.pending.board(state.keeper.board, by: author)
      state.countAnew(names)
      return ((result, revision), state.keeper.board, state.pushToAll())
    }
    if let board { beforeInForce.withLock { $0 }?(board) }
    signal(.send, to: channels)
    if !channels.isEmpty { watchStalls() }
    return (answer.result, answer.revision)
  }

  func setSwitches(
    by author: Author, _ switches: @Sendable (inout StubSet.Unmatched, inout Action.HoldPoint?) -> Void
  ) -> UInt64 {
    let (revision, channels) = change { state -> (UInt64, [any Channel]) in
      var unmatched = state.keeper.unmatched
      var holdAll = state.keeper.holdAll
      switches(&unmatched, &holdAll)
      guard state.keeper.set(unmatched: unmatched, holdAll: holdAll) else { return (state.keeper.board.revision, []) }
      state.pending.board(state.keeper.board, by: author)
      state.pending.switches(unmatched, holdAll, by: author)
      return (state.keeper.board.revision, state.pushToAll())
    }
    signal(.send, to: channels)
    if !channels.isEmpty { watchStalls() }
    return revision
  }

  /// Reads the files of stub bodies again and tells every link.
  func refreshBodies(by author: Author) {
    let channels = change { state -> [any Channel] in
      for notice in state.keeper.renew() { state.pending.notice(notice, of: nil) }
      state.pending.board(state.keeper.board, by: author)
      return state.pushToAll()
    }
    signal(.send, to: channels)
    if !channels.isEmpty { watchStalls() }
  }

  /// Sets counters back. The revision that is returned is acknowledged after the hooks have done so.
  func resetCounts(of name: String?, by author: Author) -> UInt64 {
    try? send(.resetCounts(name: name), to: nil)
    let (revision, channels) = change { state -> (UInt64, [any Channel]) in
      state.keeper.touch()
      state.pending.board(state.keeper.board, by: author)
      return (state.keeper.board.revision, state.pushToAll())
    }
    signal(.send, to: channels)
    if !channels.isEmpty { watchStalls() }
    return revision
  }

  /// Waits until every link has that revision in force. Returns those that had not after the timeout.
  func awaitAcknowledged(_ revision: UInt64, timeout: Duration) async -> [LinkInfo] {
    let late = await withCheckedContinuation { (done: CheckedContinuation<[LinkID], Never>) in
      let waiter: UInt64? = state.withLock { state in
        let open = Set(state.links.values.filter { $0.info.revision < revision }.map(\.info.id))
        guard !open.isEmpty else { return nil }
        return state.acknowledgements.wait(for: revision, links: open, done)
      }
      guard let waiter else { return done.resume(returning: []) }
      pump.after(timeout) { [weak self] in
        self?.change { $0.acknowledgements.give(up: waiter) }
      }
    }
    guard !late.isEmpty else { return [] }
    return change { state in
      for id in late where state.links[id]?.info.isStalled == false {
        state.links[id]?.info.isStalled = true
        state.pending.changed(id)
      }
      return late.compactMap { state.links[$0]?.info }
    }
  }

  /// Some time after a push, marks the links that have not acknowledged it. No timer runs while all have.
  func watchStalls() {
    let (starts, revision) = state.withLock { state in
      defer { state.watchesStalls = true }
      return (!state.watchesStalls, state.keeper.board.revision)
    }
    guard starts else { return }
    pump.after(.seconds(2)) { [weak self] in
      let isBehind = self?.change { state -> Bool in
        state.watchesStalls = false
        for (id, entry) in state.links where entry.info.revision < revision && !entry.info.isStalled {
          state.links[id]?.info.isStalled = true
          state.pending.changed(id)
        }
        return state.keeper.board.revision > revision
      }
      if isBehind == true { self?.watchStalls() }
    }
  }
}
