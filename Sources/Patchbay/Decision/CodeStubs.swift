import Foundation
import PatchbayStubs
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One stub that the harness's code declares.
struct CodeStub: Sendable {
  /// No other stub of this process ever has it; 0 until it is declared.
  var id: UInt64 = 0
  /// Where a closure answers, the action is `code`.
  var stub: Stub
  /// Answers in the place of the stub's action.
  var answer: StubHandler?
  /// Asked after the pattern.
  var accepts: (@Sendable (URLRequest) -> Bool)?
  /// The one session that it is for; nil is all.
  var scope: SessionScope.Mark?
  /// It stands for all requests, and the next one of its kind for the same sessions takes its place.
  var isHandler = false

  /// What the console is shown: a predicate is code too, whatever is answered then.
  var declared: Stub {
    guard accepts != nil else { return stub }
    var stub = stub
    stub.then = .code
    return stub
  }
}

/// The stubs in code, in the order in which they are tried: those of a session before those for all.
struct CodeStubs: Sendable {
  private(set) var stubs: [CodeStub] = []
  var strictness = Strictness()

  private static let lastID = Atomic<UInt64>(0)

  /// Where a request that no stub takes fails.
  struct Strictness: Sendable {
    var everywhere = false
    var scopes: Set<SessionScope.Mark> = []

    /// Requests that no stub takes fail nowhere.
    var isEmpty: Bool { !everywhere && scopes.isEmpty }

    func applies(to scope: SessionScope.Mark?) -> Bool {
      everywhere || scope.map { scopes.contains($0) } ?? false
    }
  }

  var isEmpty: Bool { stubs.isEmpty && strictness.isEmpty }

  /// What the console is told.
  var declared: [Stub] { stubs.map(\.declared) }

  /// Adds a stub at the end (before the ones for all, where it is for one session), its name made unique by a number; a
  /// handler in the place of the one before it.
  mutating func add(_ stub: CodeStub) -> CodeStub {
    var stub = stub
    stub.id = Self.lastID.add(1, ordering: .relaxed).newValue
    if stub.isHandler, let place = stubs.firstIndex(where: { $0.isHandler && $0.scope == stub.scope }) {
      stub.stub.name = stubs[place].stub.name
      stubs[place] = stub
      return stub
    }
    let name = stub.stub.name
    var number = 2
    while stubs.contains(where: { $0.stub.name == stub.stub.name }) {
      stub.stub.name = "\(name) (\(number))"
      number += 1
    }
    let place = stub.scope == nil ? stubs.endIndex : stubs.firstIndex { $0.scope == nil } ?? stubs.endIndex
    stubs.insert(stub, at: place)
    return stub
  }

  mutating func remove(_ id: UInt64) { stubs.removeAll { $0.id == id } }

  mutating func remove(_ scope: SessionScope.Mark) {
    stubs.removeAll { $0.scope == scope }
    strictness.scopes.remove(scope)
  }

  /// Removes what is for all sessions.
  mutating func removeThoseForAll() {
    stubs.removeAll { $0.scope == nil }
    strictness.everywhere = false
  }
}

/// A stub as one process has it in force, with what stands behind it there.
struct EffectiveStub: Sendable {
  var stub: Stub
  /// What the harness's code adds; nil for the console's own.
  var code: CodeStub?
  /// The code answers, or says whether the stub is for a request: not only its sessions are the code's.
  var asksCode: Bool

  /// The stubs in code that the console has not switched off, each in its place, then the console's own. One that the
  /// console overrides is as the console has it, in its place too: its sessions stay the code's where the person changed
  /// the stub itself, and a stub of the console's that has its name is for all.
  static func all(_ push: StubPush, code: CodeStubs) -> [EffectiveStub] {
    let console = Dictionary(push.set.stubs.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let overrides = Set(push.overrides)
    let off = Set(push.disabledCodeStubs)
    let own = code.stubs.compactMap { one -> EffectiveStub? in
      guard let override = console[one.stub.name] else {
        return off.contains(one.stub.name) ? nil : EffectiveStub(stub: one.stub, code: one, asksCode: true)
      }
      guard !overrides.contains(one.stub.name) else { return one.overridden(by: override) }
      return EffectiveStub(stub: override, code: nil, asksCode: false)
    }
    let placed = overrides.union(code.stubs.map(\.stub.name))
    let others = push.set.stubs.filter { !placed.contains($0.name) }
    return own + others.map { EffectiveStub(stub: $0, code: nil, asksCode: false) }
  }
}

extension CodeStub {
  /// Where the console changed all but the action, the code still answers.
  fileprivate func overridden(by override: Stub) -> EffectiveStub {
    guard override.then.asksCode else { return EffectiveStub(stub: override, code: self, asksCode: false) }
    var stub = override
    stub.then = override.then.replacingCode(by: self.stub.then)
    return EffectiveStub(stub: stub, code: self, asksCode: true)
  }
}

extension Action {
  /// Code of the program answers, or one step of it.
  fileprivate var asksCode: Bool {
    switch self {
    case .code: true
    case .sequence(let steps, _): steps.contains { $0.asksCode }
    case .respond, .fail, .pass, .hold: false
    }
  }

  fileprivate func replacingCode(by action: Action) -> Action {
    switch self {
    case .code: action
    case .sequence(let steps, let afterwards):
      .sequence(steps.map { $0.replacingCode(by: action) }, afterwards: afterwards)
    case .respond, .fail, .pass, .hold: self
    }
  }
}
