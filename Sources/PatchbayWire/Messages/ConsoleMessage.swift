import Foundation
import PatchbayStubs

/// What the console says to a hook.
package enum ConsoleMessage: Hashable, Sendable {
  /// The answer to the hello; a first `stubs` follows at once.
  case welcome(Welcome)
  /// The stubs from now on; the hook answers `applied` with the revision.
  case stubs(StubPush)
  case verdict(Verdict)
  /// Send this request from inside the harness.
  case replay(Replay)
  case settings(HookSettings)
  /// Set the counters of that stub, or of all, back to zero.
  case resetCounts(name: String?)
  /// Move a scenario; the hook answers `scenarios`.
  case setScenario(ScenarioState)
  /// The console does not take this link, and why in a sentence; it closes the link afterwards.
  case refused(String)
}

/// The answer to the hello: the version that the console speaks, and what the hook is to do.
package struct Welcome: Hashable, Sendable {
  package var version: UInt32
  package var settings: HookSettings

  package init(version: UInt32 = Wire.version, settings: HookSettings = HookSettings()) {
    self.version = version
    self.settings = settings
  }
}

/// The stubs from now on, in the place of all before.
package struct StubPush: Hashable, Sendable {
  package var set: StubSet
  /// The harness's own stubs in code that are switched off on the console.
  package var disabledCodeStubs: [String]
  /// Names of stubs in the set that stand for the harness's own of the same name: in their place and their scope.
  package var overrides: [String]

  package init(set: StubSet, disabledCodeStubs: [String] = [], overrides: [String] = []) {
    self.set = set
    self.disabledCodeStubs = disabledCodeStubs
    self.overrides = overrides
  }
}

/// What the person decided for one held exchange.
package struct Verdict: Hashable, Sendable {
  /// The hook's key of the exchange.
  package var key: UInt64
  package var decision: Decision

  package enum Decision: Hashable, Sendable {
    /// Go on: a held request as it is or edited, a held response likewise (then `response` holds it).
    case `continue`(request: RecordedRequest?, response: RecordedResponse?)
    case respond(CannedResponse)
    case fail(Fault)
    /// Let it end as a lost connection.
    case drop
  }

  package init(key: UInt64, decision: Decision) {
    self.key = key
    self.decision = decision
  }
}

/// A request to be made from inside the harness.
package struct Replay: Hashable, Sendable {
  /// Comes back in `ExchangeUpdate.Start.replay`.
  package var token: UInt64
  package var request: RecordedRequest

  package init(token: UInt64, request: RecordedRequest) {
    self.token = token
    self.request = request
  }
}

extension ConsoleMessage: WireMessage {
  package var wireKind: UInt16 {
    switch self {
    case .welcome: MessageKind.welcome
    case .stubs: MessageKind.stubs
    case .verdict: MessageKind.verdict
    case .replay: MessageKind.replay
    case .settings: MessageKind.settings
    case .resetCounts: MessageKind.resetCounts
    case .setScenario: MessageKind.setScenario
    case .refused: MessageKind.refused
    }
  }

  package func write(to payload: inout WirePayload) {
    switch self {
    case .welcome(let welcome):
      payload.fields.number(1, UInt64(welcome.version))
      payload.fields.settings(2, welcome.settings)
    case .stubs(let push): payload.fields.push(push)
    case .verdict(let verdict): payload.fields.verdict(verdict)
    case .replay(let replay):
      payload.fields.number(1, replay.token)
      payload.fields.request(2, replay.request)
    case .settings(let settings): payload.fields.settings(1, settings)
    case .resetCounts(let name): payload.fields.text(1, name)
    case .setScenario(let scenario):
      payload.fields.text(1, scenario.name)
      payload.fields.text(2, scenario.state)
    case .refused(let sentence): payload.fields.text(1, sentence)
    }
  }

  package static func read(kind: UInt16, payload: UnsafeRawBufferPointer) throws(WireError) -> ConsoleMessage? {
    var fields = FieldReader(payload, kind: kind)
    switch kind {
    case MessageKind.welcome: return .welcome(try fields.welcome())
    case MessageKind.stubs: return .stubs(try fields.push())
    case MessageKind.verdict: return .verdict(try fields.verdict())
    case MessageKind.replay: return .replay(try fields.replay())
    case MessageKind.settings:
      let value = try fields.last(1)
      return .settings(try fields.required(value, 1).settings())
    case MessageKind.resetCounts: return .resetCounts(name: try fields.last(1)?.text())
    case MessageKind.setScenario:
      var name: String?
      var state: String?
      while let (tag, value) = try fields.next() {
        if tag == 1 { name = value.text() }
        if tag == 2 { state = value.text() }
      }
      return .setScenario(ScenarioState(name: try fields.required(name, 1), state: try fields.required(state, 2)))
    case MessageKind.refused: return .refused(try fields.last(1)?.text() ?? "")
    default: return nil
    }
  }
}

extension FieldWriter {
  fileprivate mutating func push(_ push: StubPush) {
    number(1, push.set.revision)
    number(2, push.set.unmatched.wireCode)
    if let point = push.set.holdAll { number(3, point.wireCode) }
    stubs(push.set.stubs, stubTag: 4, bodyTag: 5)
    for name in push.disabledCodeStubs { text(6, name) }
    for name in push.overrides { text(7, name) }
  }

  fileprivate mutating func verdict(_ verdict: Verdict) {
    number(1, verdict.key)
    switch verdict.decision {
    case .continue(let request, let response):
      number(2, 1)
      if let request { self.request(3, request) }
      if let response { self.response(4, response) }
    case .respond(let response):
      number(2, 2)
      stubs([Stub(name: "verdict", then: .respond(response))], stubTag: 5, bodyTag: 6)
    case .fail(let fault):
      number(2, 3)
      stubs([Stub(name: "verdict", then: .fail(fault))], stubTag: 5, bodyTag: 6)
    case .drop: number(2, 4)
    }
  }
}

extension FieldReader {
  fileprivate func welcome() throws(WireError) -> Welcome {
    var fields = self
    let version = try required(try fields.last(1), 1).number(as: UInt32.self)
    guard Wire.speaks(version) else { throw .otherVersion(version) }
    fields = self
    return Welcome(version: version, settings: try fields.last(2)?.settings() ?? HookSettings())
  }

  fileprivate func push() throws(WireError) -> StubPush {
    var fields = self
    var revision: UInt64?
    var push = StubPush(set: StubSet())
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: revision = try value.number()
      case 2: push.set.unmatched = StubSet.Unmatched(wireCode: try value.number()) ?? .pass
      case 3: push.set.holdAll = Action.HoldPoint(wireCode: try value.number())
      case 6: push.disabledCodeStubs.append(value.text())
      case 7: push.overrides.append(value.text())
      default: break
      }
    }
    push.set.revision = try required(revision, 1)
    push.set.stubs = try stubs(stubTag: 4, bodyTag: 5)
    return push
  }

  fileprivate func verdict() throws(WireError) -> Verdict {
    var fields = self
    var key: UInt64?
    var decision: UInt64 = 1
    var request: RecordedRequest?
    var response: RecordedResponse?
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: key = try value.number()
      case 2: decision = try value.number()
      case 3: request = try value.request()
      case 4: response = try value.response()
      default: break
      }
    }
    let known = try required(key, 1)
    guard decision != 4 else { return Verdict(key: known, decision: .drop) }
    guard decision == 2 || decision == 3 else {
      return Verdict(key: known, decision: .continue(request: request, response: response))
    }
    switch (decision, try stubs(stubTag: 5, bodyTag: 6).last?.then) {
    case (2, .respond(let response)): return Verdict(key: known, decision: .respond(response))
    case (3, .fail(let fault)): return Verdict(key: known, decision: .fail(fault))
    default: throw .missing(kind: kind, tag: 5)
    }
  }

  fileprivate func replay() throws(WireError) -> Replay {
    var fields = self
    var token: UInt64?
    var request: RecordedRequest?
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: token = try value.number()
      case 2: request = try value.request()
      default: break
      }
    }
    return Replay(token: try required(token, 1), request: try required(request, 2))
  }
}
