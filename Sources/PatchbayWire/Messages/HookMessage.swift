import Foundation
import PatchbayStubs

/// What a hook says to the console.
package enum HookMessage: Hashable, Sendable {
  /// The first message on a link.
  case hello(Hello)
  /// The stubs of that revision are in force from here on.
  case applied(revision: UInt64)
  case exchange(ExchangeUpdate)
  /// The stubs that the harness's code declares; replaces the ones said before.
  case codeStubs([Stub])
  /// How far the stubs' counters are; only those that changed.
  case progress([StubProgress])
  /// The states that scenarios have come to; those that did not move are not told.
  case scenarios([ScenarioState])
  /// What was shed in all since the link began, because the console was slow to read.
  case shed(Shed)
  /// A sentence for the person: a regular expression over its budget, a task that could not be stubbed, ….
  case notice(String)
}

/// The first message: what process it is, and how the hook came into it.
package struct Hello: Hashable, Sendable {
  /// The wire version that the hook speaks; see `Wire.version`.
  package var version: UInt32
  package var process: HarnessProcess
  package var executable: String
  package var parent: Int32
  package var entry: Entry
  /// Random, the same for the whole life of the process: a second link with it is a reconnection.
  package var instance: UInt64
  /// When the process's hook came to life.
  package var startedAt: Timestamp

  /// How the hook came into the process.
  package enum Entry: String, Hashable, Sendable, CaseIterable {
    /// `run`.
    case preload
    /// `Patchbay.attach()`.
    case attach
    case configuration
    /// `patchbay attach`: into a program that ran already.
    case injected
  }

  package init(
    version: UInt32 = Wire.version, process: HarnessProcess, executable: String, parent: Int32, entry: Entry,
    instance: UInt64, startedAt: Timestamp
  ) {
    self.version = version
    self.process = process
    self.executable = executable
    self.parent = parent
    self.entry = entry
    self.instance = instance
    self.startedAt = startedAt
  }
}

/// The counters of one stub in one process.
package struct StubProgress: Hashable, Sendable {
  package var name: String
  /// Requests that it took.
  package var hits: UInt64
  /// The step of a sequence that comes next, from 0.
  package var nextStep: UInt32?

  package init(name: String, hits: UInt64, nextStep: UInt32? = nil) {
    self.name = name
    self.hits = hits
    self.nextStep = nextStep
  }
}

/// What the record lacks in all since the link began, because the console was slow to read.
package struct Shed: Hashable, Sendable {
  /// Exchanges of which nothing was told.
  package var exchanges: UInt64
  /// Bodies of which a part was left out.
  package var bodies: UInt64
  /// The bytes of those parts.
  package var bytes: UInt64

  package init(exchanges: UInt64 = 0, bodies: UInt64 = 0, bytes: UInt64 = 0) {
    self.exchanges = exchanges
    self.bodies = bodies
    self.bytes = bytes
  }

  package static func += (left: inout Shed, right: Shed) {
    left.exchanges = NumberLimits.count(left.exchanges &+ right.exchanges)
    left.bodies = NumberLimits.count(left.bodies &+ right.bodies)
    left.bytes = NumberLimits.count(left.bytes &+ right.bytes)
  }
}

extension HookMessage: WireMessage {
  package var wireKind: UInt16 {
    switch self {
    case .hello: MessageKind.hello
    case .applied: MessageKind.applied
    case .exchange: MessageKind.exchange
    case .codeStubs: MessageKind.codeStubs
    case .progress: MessageKind.progress
    case .scenarios: MessageKind.scenarios
    case .shed: MessageKind.shed
    case .notice: MessageKind.notice
    }
  }

  package func write(to payload: inout WirePayload) {
    switch self {
    case .hello(let hello): payload.fields.hello(hello)
    case .applied(let revision): payload.fields.number(1, revision)
    case .exchange(let update): payload.fields.exchange(update)
    case .codeStubs(let stubs): payload.fields.stubs(stubs, stubTag: 1, bodyTag: 2)
    case .progress(let progress):
      for stub in progress {
        payload.fields.record(1) {
          $0.text(1, stub.name)
          $0.nonzero(2, stub.hits)
          if let step = stub.nextStep { $0.number(3, UInt64(step)) }
        }
      }
    case .scenarios(let scenarios):
      for scenario in scenarios {
        payload.fields.record(1) {
          $0.text(1, scenario.name)
          $0.text(2, scenario.state)
        }
      }
    case .shed(let shed):
      payload.fields.nonzero(1, shed.exchanges)
      payload.fields.nonzero(2, shed.bodies)
      payload.fields.nonzero(3, shed.bytes)
    case .notice(let sentence): payload.fields.text(1, sentence)
    }
  }

  package static func read(kind: UInt16, payload: UnsafeRawBufferPointer) throws(WireError) -> HookMessage? {
    var fields = FieldReader(payload, kind: kind)
    switch kind {
    case MessageKind.hello: return .hello(try fields.hello())
    case MessageKind.applied: return .applied(revision: try fields.revision())
    case MessageKind.exchange: return .exchange(try fields.exchange())
    case MessageKind.codeStubs:
      return .codeStubs(try fields.stubs(stubTag: 1, bodyTag: 2, limit: Wire.stubLimit))
    case MessageKind.progress:
      var progress: [StubProgress] = []
      while let (tag, value) = try fields.next() {
        if tag == 1, progress.count < Wire.stubLimit { progress.append(try value.progress()) }
      }
      return .progress(progress)
    case MessageKind.scenarios:
      var scenarios: [ScenarioState] = []
      while let (tag, value) = try fields.next() {
        if tag == 1, scenarios.count < Wire.stubLimit { scenarios.append(try value.scenario()) }
      }
      return .scenarios(scenarios)
    case MessageKind.shed: return .shed(try fields.shed())
    case MessageKind.notice: return .notice(try fields.last(1)?.text() ?? "")
    default: return nil
    }
  }
}

extension FieldWriter {
  fileprivate mutating func hello(_ hello: Hello) {
    number(1, UInt64(hello.version))
    text(2, hello.process.name)
    nonzeroSigned(3, Int64(hello.process.pid))
    text(4, hello.executable)
    nonzeroSigned(5, Int64(hello.parent))
    number(6, hello.entry.wireCode)
    nonzero(7, hello.instance)
    nonzeroSigned(8, hello.startedAt.microseconds)
  }
}

extension FieldReader {
  fileprivate mutating func hello() throws(WireError) -> Hello {
    var rest = self
    let known = try required(try rest.last(1), 1).number(as: UInt32.self)
    guard Wire.speaks(known) else { throw .otherVersion(known) }
    var hello = Hello(
      version: known, process: HarnessProcess(name: "", pid: 0), executable: "", parent: 0, entry: .preload,
      instance: 0, startedAt: Timestamp(microseconds: 0))
    while let (tag, value) = try next() {
      switch tag {
      case 2: hello.process.name = value.text()
      case 3: hello.process.pid = Int32(truncatingIfNeeded: try value.signed())
      case 4: hello.executable = value.text()
      case 5: hello.parent = Int32(truncatingIfNeeded: try value.signed())
      case 6: hello.entry = Hello.Entry(wireCode: try value.number()) ?? .preload
      case 7: hello.instance = try value.number()
      case 8: hello.startedAt = try value.moment()
      default: break
      }
    }
    return hello
  }

  fileprivate mutating func revision() throws(WireError) -> UInt64 {
    try required(try last(1), 1).number()
  }

  fileprivate func progress() throws(WireError) -> StubProgress {
    var fields = self
    var name: String?
    var progress = StubProgress(name: "", hits: 0)
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: name = value.text()
      case 2: progress.hits = try value.unsignedCount()
      case 3: progress.nextStep = min(try value.number(as: UInt32.self), UInt32(Int32.max))
      default: break
      }
    }
    progress.name = try required(name, 1)
    return progress
  }

  fileprivate func scenario() throws(WireError) -> ScenarioState {
    var fields = self
    var name: String?
    var state: String?
    while let (tag, value) = try fields.next() {
      switch tag {
      case 1: name = value.text()
      case 2: state = value.text()
      default: break
      }
    }
    return ScenarioState(name: try required(name, 1), state: try required(state, 2))
  }

  fileprivate mutating func shed() throws(WireError) -> Shed {
    var shed = Shed()
    while let (tag, value) = try next() {
      switch tag {
      case 1: shed.exchanges = try value.unsignedCount()
      case 2: shed.bodies = try value.unsignedCount()
      case 3: shed.bytes = try value.unsignedCount()
      default: break
      }
    }
    return shed
  }
}
