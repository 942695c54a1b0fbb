import PatchbayStubs

/// A stub as one process has it in force, with what stands behind it there.
struct PlacedStub: Sendable {
  var stub: Stub
  /// What the harness's code adds; nil for the console's own.
  var code: CodeStub?
  /// The code answers, or says whether the stub is for a request: not only its sessions are the code's.
  var asksCode: Bool

  /// The console's stubs, then those in code that the console has not switched off, each in its place; one that the
  /// console overrides is as the console has it.
  static func all(_ push: StubPush, code: CodeStubs) -> [PlacedStub] {
    let console = push.set.stubs.filter { !push.overrides.contains($0.name) }
    let overrides = push.set.stubs.filter { push.overrides.contains($0.name) }
    let changed = Dictionary(overrides.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let gone = Set(push.disabledCodeStubs).union(console.map(\.name))
    let own = code.stubs.compactMap { one -> PlacedStub? in
      if let override = changed[one.stub.name] { return one.overridden(by: override) }
      return gone.contains(one.stub.name) ? nil : PlacedStub(stub: one.stub, code: one, asksCode: true)
    }
    return console.map { PlacedStub(stub: $0, code: nil, asksCode: false) } + own
  }
}

extension CodeStub {
  /// Where the console changed all but the action, the code still answers.
  fileprivate func overridden(by override: Stub) -> PlacedStub {
    guard override.then.asksCode else { return PlacedStub(stub: override, code: self, asksCode: false) }
    var stub = override
    stub.then = override.then.replacingCode(by: self.stub.then)
    return PlacedStub(stub: stub, code: self, asksCode: true)
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
