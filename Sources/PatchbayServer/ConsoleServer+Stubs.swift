import NIOCore
import PatchbayStubs
import PatchbayWire

extension ConsoleServer {
  /// The stubs as they are now, with their revision.
  package var board: StubBoard { state.withLock { $0.keeper.board } }

  package var unmatched: StubSet.Unmatched { state.withLock { $0.keeper.unmatched } }

  package var holdAll: Action.HoldPoint? { state.withLock { $0.keeper.holdAll } }

  /// How far the stubs' counters are, by process, as far as hooks have said.
  package var stubProgress: [HarnessProcess: [String: StubProgress]] { state.withLock { $0.stubProgress } }

  /// Makes one change and pushes it to every link at once. Returns the revision that it has. Throws where it cannot be
  /// made, with the reason.
  @discardableResult
  package func edit(_ edit: StubEdit, by author: Author) throws(StubError) -> UInt64 {
    do {
      return try self.edit([edit], by: author)
    } catch {
      throw error as? StubError ?? StubError("\(error)")
    }
  }

  /// Makes changes in one step and pushes them to every link at once; nothing changes where one of them cannot be made,
  /// and the error says why. What is added counts from zero, in place of another of its name too.
  @discardableResult
  package func edit(_ edits: [StubEdit], by author: Author) throws -> UInt64 {
    try edit(by: author, anew: edits.addedNames) { board in
      for edit in edits { board = try board.apply(edit) }
    }.revision
  }

  /// Changes the board in one step and pushes it to every link at once. Nothing changes when the closure throws.
  /// Returns the closure's result and the revision that the change has.
  ///
  /// Stub bodies in files are read on the caller's thread, without a lock: links are served and others may change stubs
  /// meanwhile. Where another change came first, this one is worked out again, so the closure may be called several times.
  ///
  /// - Parameter anew: names of stubs that are new, though there may have been one of the name before. They count from
  ///   zero, as do all whose name the board did not have.
  @discardableResult
  package func edit<Result: Sendable>(
    by author: Author, anew: Set<String> = [], _ edit: @Sendable (inout StubBoard) throws -> Result
  ) throws -> (result: Result, revision: UInt64) {
    while true {
      let keeper = state.withLock { $0.keeper }
      let (result, draft) = try keeper.draft(reading: bodies, edit)
      let commit = change { state -> Commit? in
        let before = state.keeper.board
        guard let problems = state.keeper.commit(draft) else { return nil }
        let known = Set(before.entries.map(\.stub.name))
        let names = Set(
          state.keeper.board.entries.lazy.filter { !$0.origin.isCode }.map(\.stub.name)
            .filter { anew.contains($0) || !known.contains($0) })
        // Taken away and added again as it was: nothing but its counters is new.
        if state.keeper.board.revision == before.revision, !names.isEmpty { state.keeper.touch() }
        guard state.keeper.board.revision != before.revision else { return Commit(revision: before.revision) }
        for problem in problems { state.pending.notice(problem, of: nil) }
        state.countAnew(names)
        return state.push(by: author)
      }
      guard let commit else { continue }
      push(commit, tellsFirst: true)
      return (result, commit.revision)
    }
  }

  /// Calls that with the board after each change by a person, a controller or a file, before the links are told of it
  /// and before the change returns: on the thread of whoever made it, so it must be brief.
  package func beforeInForce(_ tell: @escaping @Sendable (StubBoard) -> Void) {
    boardObserver.withLock { $0 = tell }
  }

  /// What happens to requests that no stub matches. Returns the revision that the change has.
  @discardableResult
  package func setUnmatched(_ unmatched: StubSet.Unmatched, by author: Author) -> UInt64 {
    setSwitches(by: author) { current, _ in current = unmatched }
  }

  /// The switch that holds everything. Returns the revision that the change has.
  @discardableResult
  package func setHoldAll(_ point: Action.HoldPoint?, by author: Author) -> UInt64 {
    setSwitches(by: author) { _, current in current = point }
  }

  private func setSwitches(
    by author: Author, _ switches: @Sendable (inout StubSet.Unmatched, inout Action.HoldPoint?) -> Void
  ) -> UInt64 {
    let commit = change { state -> Commit in
      var unmatched = state.keeper.unmatched
      var holdAll = state.keeper.holdAll
      switches(&unmatched, &holdAll)
      guard state.keeper.set(unmatched: unmatched, holdAll: holdAll) else {
        return Commit(revision: state.keeper.board.revision)
      }
      state.pending.switches(unmatched, holdAll, by: author)
      return state.push(by: author)
    }
    push(commit)
    return commit.revision
  }

  /// A file with a stub's body was saved: the bodies are read again and pushed.
  package func refreshBodies(by author: Author) {
    while true {
      let draft = state.withLock { $0.keeper }.refreshed(reading: bodies)
      let commit = change { state -> Commit? in
        guard let problems = state.keeper.commit(draft) else { return nil }
        for problem in problems { state.pending.notice(problem, of: nil) }
        return state.push(by: author)
      }
      if let commit { return push(commit) }
    }
  }

  /// Sets the counters of that stub, or of all, back to zero in every process. Once the revision that is returned is
  /// acknowledged, they are.
  @discardableResult
  package func resetCounts(of name: String?, by author: Author) -> UInt64 {
    try? send(.resetCounts(name: name), to: nil)
    let commit = change { state -> Commit in
      state.keeper.touch()
      return state.push(by: author)
    }
    push(commit)
    return commit.revision
  }

  /// Moves a scenario in every linked process. Once the revision that is returned is acknowledged, it is there.
  @discardableResult
  package func setScenario(_ scenario: ScenarioState, by author: Author) -> UInt64 {
    try? send(.setScenario(scenario), to: nil)
    let commit = change { state -> Commit in
      state.keeper.touch()
      return state.push(by: author)
    }
    push(commit)
    return commit.revision
  }

  /// The state of the scenario in each linked process.
  package func states(of scenario: String) -> [(process: HarnessProcess, state: String)] {
    state.withLock { state in
      state.links.values.map(\.info.process).sorted { $0.pid < $1.pid }.map {
        ($0, state.scenarioStates[$0]?[scenario] ?? Stub.Scenario.start)
      }
    }
  }

  private func push(_ commit: Commit, tellsFirst: Bool = false) {
    if tellsFirst, let board = commit.board { boardObserver.withLock { $0 }?(board) }
    signal(.send, to: commit.channels)
    if !commit.channels.isEmpty { watchStalls() }
  }

  /// Waits until every link has put that revision in force, so that its next request is decided by it. Returns the
  /// links that have not after the timeout, which is the configuration's by default; empty is good.
  package func awaitAcknowledged(_ revision: UInt64, timeout: Duration? = nil) async -> [LinkInfo] {
    let late = await withCheckedContinuation { (done: CheckedContinuation<[LinkID], Never>) in
      let waiter: UInt64? = state.withLock { state in
        let open = Set(state.links.values.filter { $0.info.revision < revision }.map(\.info.id))
        guard !open.isEmpty else { return nil }
        return state.acknowledgements.wait(for: revision, links: open) { done.resume(returning: $0) }
      }
      guard let waiter else { return done.resume(returning: []) }
      after(timeout ?? configuration.acknowledgement) { [weak self] in
        self?.change { $0.acknowledgements.expire(waiter) }
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
}

/// A change of the stubs that is in force here and goes to the links next.
private struct Commit: Sendable {
  var revision: UInt64
  /// nil where nothing has changed.
  var board: StubBoard?
  var channels: [any Channel] = []
}

extension ServerState {
  fileprivate mutating func push(by author: Author) -> Commit {
    pending.board(keeper.board, by: author)
    return Commit(revision: keeper.board.revision, board: keeper.board, channels: pushToAll())
  }
}

extension [StubEdit] {
  fileprivate var addedNames: Set<String> {
    Set(compactMap { if case .add(let stub, _) = $0 { stub.name } else { nil } })
  }
}
