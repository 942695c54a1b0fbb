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
  /// What was shed in all since the link began, because the console was slow to read.
  case shed(Shed)
  /// A sentence for the person: a regular expression over its budget, a task that could not be stubbed, ….
  case notice(String)
}

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
    case preload
    case attach
    case configuration
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

package struct Shed: Hashable, Sendable {
  package var exchanges: UInt64
  package var bodies: UInt64
  package var bytes: UInt64

  package init(exchanges: UInt64 = 0, bodies: UInt64 = 0, bytes: UInt64 = 0) {
    self.exchanges = exchanges
    self.bodies = bodies
    self.bytes = bytes
  }
}
