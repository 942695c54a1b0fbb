import PatchbayStubs
import PatchbayWire

/// The stubs as the console has them, and what each link is to be told of them. A pure value but for stub bodies that
/// lie in files, which are read when the stubs change.
struct StubKeeper: Sendable {
  private(set) var board: StubBoard
  private(set) var unmatched: StubSet.Unmatched
  private(set) var holdAll: Action.HoldPoint?
  private var code = CodeStubs()
  private var bodies = StubBodies()
  /// What all links are told: the stubs that are not in some process's code, bodies read.
  private var common: [Stub] = []

  init(unmatched: StubSet.Unmatched = .pass, holdAll: Action.HoldPoint? = nil) {
    board = StubBoard(revision: 1)
    self.unmatched = unmatched
    self.holdAll = holdAll
  }

  /// Changes the board and gives it the next revision; nothing changes when the change throws or changes nothing.
  /// Returns sentences about bodies that cannot be read.
  mutating func edit<Result>(_ change: (inout StubBoard) throws -> Result) rethrows -> (
    result: Result, notices: [String]
  ) {
    var next = board
    let result = try change(&next)
    return (result, take(next))
  }

  private mutating func take(_ changed: StubBoard) -> [String] {
    var next = changed
    next.entries = code.reconcile(next.entries)
    next.revision = board.revision
    guard next != board else { return [] }
    board = next
    return renew()
  }

  /// The next revision, with the files of stub bodies as they are now. Returns what is wrong with them.
  mutating func renew() -> [String] {
    board.revision += 1
    let read = bodies.read(board.entries.filter { !$0.origin.isCode })
    common = read.stubs
    return read.problems
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

  /// What that link is to be told: an override of a stub in code goes to the process that declares it, and to no other.
  func push(for link: LinkID) -> StubPush {
    var set = StubSet(revision: board.revision, stubs: common, unmatched: unmatched, holdAll: holdAll)
    guard let own = code[link] else { return StubPush(set: set) }
    let entries = board.entries.filter { $0.origin == .code(own.label) }
    // Under the name that the process knows, by which it finds the stub that is overridden.
    let names = Dictionary(own.stubs.map { ($0.shown, $0.declared.name) }, uniquingKeysWith: { first, _ in first })
    let overrides = entries.filter { $0.isOverride && $0.stub.enabled }.map { entry in
      var stub = entry.stub
      stub.name = names[stub.name] ?? stub.name
      return stub
    }
    set.stubs += overrides
    let inForce = Set(entries.filter { $0.stub.enabled && !$0.isOverride }.compactMap { $0.baseline?.name })
    return StubPush(
      set: set, disabledCodeStubs: own.stubs.filter { !inForce.contains($0.shown) }.map(\.declared.name),
      overrides: overrides.map(\.name))
  }

  /// Whether that link's push differs from the common one.
  func hasOwnPush(_ link: LinkID) -> Bool { code[link]?.stubs.isEmpty == false }

  /// Takes the stubs that a process declares in its code in place of those it declared before.
  mutating func declare(_ stubs: [Stub], link: LinkID, process: HarnessProcess) -> [String] {
    code.declare(stubs, link: link, process: process)
    return take(board)
  }

  /// Forgets the stubs in code of a link that has gone; what the person decided for them is kept for the next one.
  /// Returns whether the board changed.
  mutating func withdraw(link: LinkID) -> Bool {
    let before = board.revision
    guard code.withdraw(link, board: board) else { return false }
    _ = take(board)
    return board.revision != before
  }
}
