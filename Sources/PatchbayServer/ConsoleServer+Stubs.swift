import PatchbayStubs
import PatchbayWire

extension ConsoleServer {
  /// The stubs as they are now, with their revision.
  public var board: StubBoard { core.state.withLock { $0.keeper.board } }

  public var unmatched: StubSet.Unmatched { core.state.withLock { $0.keeper.unmatched } }

  public var holdAll: Action.HoldPoint? { core.state.withLock { $0.keeper.holdAll } }

  /// Makes one change and pushes it to every link at once. Returns the revision that it has. Throws where it cannot be
  /// made, with the reason.
  @discardableResult
  public func edit(_ edit: StubEdit, by author: Author) throws(StubError) -> UInt64 {
    do {
      return try core.edit(by: author, anew: [edit].addedNames) { board in board = try board.apply(edit) }.revision
    } catch {
      throw error as? StubError ?? StubError("\(error)")
    }
  }

  /// Calls that with the board after each change by a person, a controller or a file, before the links are told of it
  /// and before the change returns: on the thread of whoever made it, so it must be brief.
  public func beforeInForce(_ tell: @escaping @Sendable (StubBoard) -> Void) {
    core.beforeInForce.withLock { $0 = tell }
  }

  /// Makes changes in one step and pushes them to every link at once; nothing changes where one of them cannot be made,
  /// and the error says why. What is added counts from zero, in place of another of its name too.
  @discardableResult
  public func edit(_ edits: [StubEdit], by author: Author) throws -> UInt64 {
    try core.edit(by: author, anew: edits.addedNames) { board in
      for edit in edits { board = try board.apply(edit) }
    }.revision
  }

  /// Changes the board in one step and pushes it to every link at once. Nothing changes when the closure throws;
  /// it must not call the server.
  /// Returns the closure's result and the revision that the change has.
  @discardableResult
  public func edit<Result: Sendable>(
    by author: Author, _ change: @Sendable (inout StubBoard) throws -> Result
  ) throws -> (result: Result, revision: UInt64) {
    try core.edit(by: author, change)
  }

  /// What happens to requests that no stub takes. Returns the revision that the change has.
  @discardableResult
  public func setUnmatched(_ unmatched: StubSet.Unmatched, by author: Author) -> UInt64 {
    core.setSwitches(by: author) { current, _ in current = unmatched }
  }

  /// The switch that holds everything. Returns the revision that the change has.
  @discardableResult
  public func setHoldAll(_ point: Action.HoldPoint?, by author: Author) -> UInt64 {
    core.setSwitches(by: author) { _, current in current = point }
  }

  /// A file with a stub's body was saved: the bodies are read again and pushed.
  public func refreshBodies(by author: Author) { core.refreshBodies(by: author) }

  /// Sets the counters of that stub, or of all, back to zero in every process. Once the revision that is returned is
  /// acknowledged, they are.
  @discardableResult
  public func resetCounts(of name: String?, by author: Author) -> UInt64 {
    core.resetCounts(of: name, by: author)
  }

  /// Waits until every link has put that revision in force, so that its next request is decided by it. Returns the
  /// links that have not after the timeout; empty is good.
  public func awaitAcknowledged(_ revision: UInt64, timeout: Duration = .seconds(2)) async -> [LinkInfo] {
    await core.awaitAcknowledged(revision, timeout: timeout)
  }

  /// How far the stubs' counters are, by process, as far as hooks have said.
  public var stubProgress: [HarnessProcess: [String: StubProgress]] { core.state.withLock { $0.stubProgress } }
}

extension [StubEdit] {
  fileprivate var addedNames: Set<String> {
    Set(compactMap { if case .add(let stub, _) = $0 { stub.name } else { nil } })
  }
}
