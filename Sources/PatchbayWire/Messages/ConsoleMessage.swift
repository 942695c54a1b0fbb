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
  /// The console does not take this link, and why in a sentence; it closes the link afterwards.
  case refused(String)
}

package struct Welcome: Hashable, Sendable {
  package var version: UInt32
  package var settings: HookSettings

  package init(version: UInt32 = Wire.version, settings: HookSettings = HookSettings()) {
    self.version = version
    self.settings = settings
  }
}

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

package struct HookSettings: Hashable, Sendable {
  package var degree: Degree
  /// Degrees for hosts that differ, a glob each; the first that fits counts.
  package var hosts: [HostDegree]
  /// The stubs stay in force when the console has gone.
  package var keepStubs: Bool
  /// The program's timeout runs on while a person holds a request.
  package var timeoutRunsWhileHeld: Bool
  /// At most that many bytes of a request's body are reported; the rest is counted.
  package var requestBodyLimit: UInt64
  /// At most that many bytes of a response's body are reported; the rest is counted.
  package var bodyLimit: UInt64

  package enum Degree: String, Hashable, Sendable, CaseIterable {
    case full
    /// Requests are reported when they start; nothing is intercepted.
    case observe
    case bypass
  }

  package struct HostDegree: Hashable, Sendable {
    package var host: String
    package var degree: Degree

    package init(host: String, degree: Degree) {
      self.host = host
      self.degree = degree
    }
  }

  package init(
    degree: Degree = .full, hosts: [HostDegree] = [], keepStubs: Bool = false, timeoutRunsWhileHeld: Bool = false,
    requestBodyLimit: UInt64 = 4 << 20, bodyLimit: UInt64 = 64 << 20
  ) {
    self.degree = degree
    self.hosts = hosts
    self.keepStubs = keepStubs
    self.timeoutRunsWhileHeld = timeoutRunsWhileHeld
    self.requestBodyLimit = requestBodyLimit
    self.bodyLimit = bodyLimit
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

package struct Replay: Hashable, Sendable {
  /// Comes back in `ExchangeUpdate.Start.replay`.
  package var token: UInt64
  package var request: RecordedRequest

  package init(token: UInt64, request: RecordedRequest) {
    self.token = token
    self.request = request
  }
}
