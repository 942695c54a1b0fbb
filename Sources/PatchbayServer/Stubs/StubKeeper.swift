import PatchbayStubs
import PatchbayWire

/// The stubs as the console has them, and what each link is to be told of them. A pure value.
///
/// A change goes in two steps, so that no file is read under the lock that guards the value: a `Draft` is made of a copy
/// (stub bodies that lie in files are read there), then committed if the board is still the one it was made of.
struct StubKeeper: Sendable {
  private(set) var board: StubBoard
  private(set) var unmatched: StubSet.Unmatched
  private(set) var holdAll: Action.HoldPoint?
  private var declared = DeclaredStubs()
  /// What all links are told: the stubs that are not in some process's code, bodies read.
  private var common: [Stub] = []

  init(unmatched: StubSet.Unmatched = .pass, holdAll: Action.HoldPoint? = nil) {
    board = StubBoard(revision: 1)
    self.unmatched = unmatched
    self.holdAll = holdAll
  }

  /// The names of all stubs: as they stand on the board, and as the processes know them that declare them.
  var names: Set<String> { declared.names.union(board.entries.lazy.map(\.stub.name)) }

  /// A change that waits to be committed.
  struct Draft: Sendable {
    /// Its revision is that of the board which it was made of.
    fileprivate let board: StubBoard
    /// nil where the stubs are those of before.
    fileprivate let common: [Stub]?
    fileprivate let problems: [String]
    /// Only the files may be others than before, which the board does not show.
    fileprivate let isRefresh: Bool
  }

  /// Works a change out and reads the files that its stubs need, which may take as long as it takes.
  func draft<Result>(
    reading bodies: StubBodies, _ change: (inout StubBoard) throws -> Result
  ) rethrows -> (result: Result, draft: Draft) {
    var next = board
    let result = try change(&next)
    next.revision = board.revision
    guard next != board else { return (result, Draft(board: next, common: nil, problems: [], isRefresh: false)) }
    return (result, draft(of: next, reading: bodies, isRefresh: false))
  }

  /// The same stubs with the files of their bodies as they are now.
  func refreshed(reading bodies: StubBodies) -> Draft { draft(of: board, reading: bodies, isRefresh: true) }

  private func draft(of next: StubBoard, reading bodies: StubBodies, isRefresh: Bool) -> Draft {
    let read = bodies.read(next.entries.filter { !$0.origin.isCode })
    return Draft(board: next, common: read.stubs, problems: read.problems, isRefresh: isRefresh)
  }

  /// Puts the draft in force under the next revision; nothing changes where it is as the board is already. Returns
  /// sentences about bodies that cannot be read; nil, and nothing is done, where the board has changed since the draft
  /// was begun: then another is to be made.
  mutating func commit(_ draft: Draft) -> [String]? {
    guard draft.board.revision == board.revision else { return nil }
    guard let common = draft.common else { return [] }
    var next = draft.board
    // As they are declared now: some may have come that this board does not show.
    next.entries = declared.reconcile(next.entries)
    guard next != board || draft.isRefresh else { return [] }
    board = next
    board.revision += 1
    self.common = common
    return draft.problems
  }

  /// The next revision without a change, so that the links say when what was sent before it is done.
  mutating func touch() { board.revision += 1 }

  /// Returns whether that changes anything.
  mutating func set(unmatched: StubSet.Unmatched, holdAll: Action.HoldPoint?) -> Bool {
    guard unmatched != self.unmatched || holdAll != self.holdAll else { return false }
    self.unmatched = unmatched
    self.holdAll = holdAll
    board.revision += 1
    return true
  }

  /// Switched off rather than left out while they are paused: so the hooks keep their counters.
  private var inForce: [Stub] {
    guard board.isPaused || !board.pausedSets.isEmpty else { return common }
    let paused = Set(board.entries.lazy.filter(board.isPaused).map(\.stub.name))
    return common.map { stub in
      var stub = stub
      if paused.contains(stub.name) { stub.enabled = false }
      return stub
    }
  }

  /// What that link is to be told: an override of a stub in code goes to the process that declares it, and to no other.
  func push(for link: LinkID) -> StubPush {
    var set = StubSet(revision: board.revision, stubs: inForce, unmatched: unmatched, holdAll: holdAll)
    guard let own = declared[link] else { return StubPush(set: set) }
    let entries = board.entries.filter { $0.origin == .code(own.label) }
    // Under the name that the process knows, by which it finds the stub that is overridden.
    let names = Dictionary(own.stubs.map { ($0.shown, $0.declared.name) }, uniquingKeysWith: { first, _ in first })
    let overrides = entries.filter { $0.isOverride && $0.stub.enabled }.map { entry in
      var stub = entry.stub
      stub.name = names[stub.name] ?? stub.name
      return stub
    }
    set.stubs += overrides
    let declared = Set(entries.filter { $0.stub.enabled && !$0.isOverride }.compactMap { $0.baseline?.name })
    return StubPush(
      set: set, disabledCodeStubs: own.stubs.filter { !declared.contains($0.shown) }.map(\.declared.name),
      overrides: overrides.map(\.name))
  }

  /// Whether that link's push differs from the common one.
  func hasOwnPush(_ link: LinkID) -> Bool { declared[link]?.stubs.isEmpty == false }

  /// The stubs that a process declares in its code now take the place of those it declared before. Reads no file: the
  /// stubs that may have some stay as they are.
  mutating func declare(_ stubs: [Stub], link: LinkID, process: HarnessProcess) {
    declared.declare(stubs, link: link, process: process)
    reconcile()
  }

  /// Forgets the stubs in code of a link that has gone; what the person decided for them is kept for the next one.
  /// Returns whether the board changed.
  mutating func withdraw(link: LinkID) -> Bool {
    guard declared.withdraw(link, board: board) else { return false }
    return reconcile()
  }

  @discardableResult
  private mutating func reconcile() -> Bool {
    let entries = declared.reconcile(board.entries)
    guard entries != board.entries else { return false }
    board.entries = entries
    board.revision += 1
    return true
  }
}

/// Who waits for which links to have put a revision in force.
struct Acknowledgements: Sendable {
  private struct Waiter {
    var revision: UInt64
    var links: Set<LinkID>
    var done: @Sendable ([LinkID]) -> Void
  }

  private var waiters: [UInt64: Waiter] = [:]
  private var nextID: UInt64 = 0

  /// Calls back once, with those that have not, when all links have answered or `expire` comes. Returns what names it
  /// there.
  mutating func wait(
    for revision: UInt64, links: Set<LinkID>, _ done: @escaping @Sendable ([LinkID]) -> Void
  ) -> UInt64 {
    nextID += 1
    waiters[nextID] = Waiter(revision: revision, links: links, done: done)
    return nextID
  }

  /// The link has that revision in force, or is gone (nil).
  mutating func answered(_ link: LinkID, revision: UInt64?) {
    for (id, waiter) in waiters where waiter.links.contains(link) && waiter.revision <= revision ?? .max {
      waiters[id]?.links.remove(link)
      guard waiters[id]?.links.isEmpty == true else { continue }
      waiters.removeValue(forKey: id)?.done([])
    }
  }

  /// Answers with the links that have not.
  mutating func expire(_ id: UInt64) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    waiter.done(waiter.links.sorted())
  }

  mutating func expireAll() {
    for id in waiters.keys.sorted() { expire(id) }
  }
}
