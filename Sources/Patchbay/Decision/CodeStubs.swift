import Foundation
import PatchbayStubs

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One stub that the harness's code declares.
struct CodeStub: Sendable {
  var id: UInt64
  /// Where a closure answers, the action is `code`.
  var stub: Stub
  /// Answers in the place of the stub's action.
  var answer: (@Sendable (URLRequest) throws -> CannedResponse)?
  /// Asked after the pattern.
  var accepts: (@Sendable (URLRequest) -> Bool)?
  /// The one session that it is for; nil is all.
  var scope: SessionScope.Mark?

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
  private var lastID: UInt64 = 0

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

  /// Adds a stub at the end (before the ones for all, where it is for one session), its name made unique by a number.
  mutating func add(_ stub: CodeStub) -> CodeStub {
    var stub = stub
    lastID += 1
    stub.id = lastID
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
}

/// A stub as one process has it in force, with what stands behind it there.
struct EffectiveStub: Sendable {
  var stub: Stub
  /// What the harness's code adds; nil for the console's own.
  var code: CodeStub?
  /// The code answers, or says whether the stub is for a request: not only its sessions are the code's.
  var asksCode: Bool

  /// The console's stubs, then those in code that the console has not switched off, each in its place; one that the
  /// console overrides is as the console has it.
  static func all(_ push: StubPush, code: CodeStubs) -> [EffectiveStub] {
    let console = push.set.stubs.filter { !push.overrides.contains($0.name) }
    let overrides = push.set.stubs.filter { push.overrides.contains($0.name) }
    let changed = Dictionary(overrides.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let gone = Set(push.disabledCodeStubs).union(console.map(\.name))
    let own = code.stubs.compactMap { one -> EffectiveStub? in
      if let override = changed[one.stub.name] { return one.overridden(by: override) }
      return gone.contains(one.stub.name) ? nil : EffectiveStub(stub: one.stub, code: one, asksCode: true)
    }
    return console.map { EffectiveStub(stub: $0, code: nil, asksCode: false) } + own
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
