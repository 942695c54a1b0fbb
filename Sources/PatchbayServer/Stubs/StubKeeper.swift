import PatchbayStubs
import PatchbayWire

/// The stubs as the console has them, and what each link is to be told of them. A pure value but for stub bodies that
/// lie in files, which are read when the stubs change.
struct StubKeeper: Sendable {
  private(set) var board: StubBoard
  private(set) var unmatched: StubSet.Unmatched
  private(set) var holdAll: Action.HoldPoint?
  private var code: [LinkID: CodeStubs] = [:]
  /// What the person decided for stubs in code, for the next process of the same name.
  private var remembered: [String: [String: StubBoard.Entry]] = [:]
  private var bodies = StubBodies()
  /// What all links are told: the stubs that are not in some process's code, bodies read.
  private var common: [Stub] = []

  init(unmatched: StubSet.Unmatched = .pass, holdAll: Action.HoldPoint? = nil) {
    board = StubBoard(revision: 1)
    self.unmatched = unmatched
    self.holdAll = holdAll
  }

  /// Changes the board and gives it the next revision; nothing changes when the change throws or changes nothing.
  mutating func edit<Result>(_ change: (inout StubBoard) throws -> Result) rethrows -> (
    result: Result, notices: [String]
  ) {
    var next = board
    let result = try change(&next)
    next.revision = board.revision
    guard next != board else { return (result, []) }
    board = next
    return (result, renew())
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

  private mutating func renew() -> [String] {
    board.revision += 1
    let read = bodies.read(board.entries.filter { !$0.isCode })
    common = read.stubs
    return read.problems
  }

  /// What that link is to be told.
  func push(for link: LinkID) -> StubPush {
    var set = StubSet(revision: board.revision, stubs: common, unmatched: unmatched, holdAll: holdAll)
    guard let own = code[link] else { return StubPush(set: set) }
    let entries = board.entries.filter { $0.origin == .code(own.label) }
    set.stubs += entries.filter { $0.overridesCode && $0.stub.enabled }.map(\.stub)
    let inForce = Set(entries.filter { $0.stub.enabled && !$0.overridesCode }.compactMap { $0.baseline?.name })
    return StubPush(set: set, disabledCodeStubs: own.names.filter { !inForce.contains($0.shown) }.map(\.declared))
  }

  /// Whether that link's push differs from the common one.
  func hasOwnPush(_ link: LinkID) -> Bool { code[link]?.names.isEmpty == false }
}

extension StubKeeper {
  /// Takes the stubs that a process declares in its code in place of those it declared before.
  mutating func declare(_ stubs: [Stub], link: LinkID, process: HarnessProcess) -> [String] {
    let label = "\(process.name) \(process.pid)"
    let previous = board.entries.filter { $0.origin == .code(label) }
    var taken = Set(board.entries.filter { $0.origin != .code(label) }.map(\.stub.name))
    var own = CodeStubs(label: label, process: process.name)
    var entries: [StubBoard.Entry] = []
    for stub in stubs {
      let shown = Self.freeName(stub.name, label: label, taken: taken)
      let decided =
        previous.first { $0.baseline?.name == shown } ?? remembered[process.name]?[stub.name]?.renamed(shown)
      var declared = stub
      declared.name = shown
      var entry = StubBoard.Entry(stub: declared, origin: .code(label), baseline: declared)
      if let decided { entry.keepDecision(of: decided) }
      if taken.contains(entry.stub.name) { entry.stub.name = shown }
      taken.insert(shown)
      taken.insert(entry.stub.name)
      own.names.append(.init(shown: shown, declared: stub.name))
      entries.append(entry)
    }
    code[link] = own
    return edit { $0.entries = $0.entries.filter { $0.origin != .code(label) } + entries }.notices
  }

  /// Forgets the stubs in code of a link that has gone; what the person decided for them is kept for the next one.
  /// Returns whether the board changed.
  mutating func withdraw(link: LinkID) -> Bool {
    guard let own = code.removeValue(forKey: link) else { return false }
    guard !code.values.contains(where: { $0.label == own.label }) else { return false }
    for entry in board.entries where entry.origin == .code(own.label) {
      guard let name = own.names.first(where: { $0.shown == entry.baseline?.name })?.declared else { continue }
      remembered[own.process, default: [:]][name] = entry.stub == entry.baseline ? nil : entry
    }
    let before = board.revision
    _ = edit { $0.entries.removeAll { $0.origin == .code(own.label) } }
    return board.revision != before
  }

  private static func freeName(_ name: String, label: String, taken: Set<String>) -> String {
    guard taken.contains(name) else { return name }
    let labelled = "\(name) (\(label))"
    guard taken.contains(labelled) else { return labelled }
    return (2...).lazy.map { "\(labelled) \($0)" }.first { !taken.contains($0) } ?? labelled
  }
}

/// The stubs that one process's code declares.
private struct CodeStubs: Sendable {
  struct Name {
    /// On the board, where names are unique.
    var shown: String
    var declared: String
  }

  var label: String
  var process: String
  var names: [Name] = []
}

extension StubBoard.Entry {
  var isCode: Bool {
    if case .code = origin { true } else { false }
  }

  /// Whether a stub in code was changed in more than being on or off.
  fileprivate var overridesCode: Bool {
    guard var declared = baseline else { return false }
    declared.enabled = stub.enabled
    return declared != stub
  }

  fileprivate func renamed(_ name: String) -> StubBoard.Entry {
    var copy = self
    if stub.name == baseline?.name { copy.stub.name = name }
    copy.baseline?.name = name
    return copy
  }

  /// What a person did to the stub before it was declared anew stays.
  fileprivate mutating func keepDecision(of earlier: StubBoard.Entry) {
    if earlier.overridesCode {
      stub = earlier.stub
    } else if let before = earlier.baseline, before.enabled != earlier.stub.enabled {
      stub.enabled = earlier.stub.enabled
    }
    edited = stub != baseline
  }
}
