import Foundation
import PatchbayStubs

/// What a hook says to the console.
public enum HookMessage: Hashable, Sendable {
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

public struct Hello: Hashable, Sendable {
  /// The wire version that the hook speaks; see `Wire.version`.
  public var version: UInt32
  public var process: HarnessProcess
  public var executable: String
  public var parent: Int32
  public var entry: Entry
  /// Random, the same for the whole life of the process: a second link with it is a reconnection.
  public var instance: UInt64
  /// When the process's hook came to life.
  public var startedAt: Timestamp

  /// How the hook came into the process.
  public enum Entry: String, Hashable, Sendable, CaseIterable {
    case preload
    case attach
    case configuration
  }

  public init(
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
public struct StubProgress: Hashable, Sendable {
  public var name: String
  /// Requests that it took.
  public var hits: UInt64
  /// The step of a sequence that comes next, from 0.
  public var nextStep: UInt32?

  public init(name: String, hits: UInt64, nextStep: UInt32? = nil) {
    self.name = name
    self.hits = hits
    self.nextStep = nextStep
  }
}

public struct Shed: Hashable, Sendable {
  public var exchanges: UInt64
  public var bodies: UInt64
  public var bytes: UInt64

  public init(exchanges: UInt64 = 0, bodies: UInt64 = 0, bytes: UInt64 = 0) {
    self.exchanges = exchanges
    self.bodies = bodies
    self.bytes = bytes
  }
}
