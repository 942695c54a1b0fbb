import PatchbayStubs
import PatchbayWire

/// Names one link for the life of the console; rises in the order of linking.
public struct LinkID: Hashable, Sendable, Comparable, CustomStringConvertible {
  public var number: UInt64

  public init(_ number: UInt64) { self.number = number }

  public var description: String { "\(number)" }
  public static func < (left: LinkID, right: LinkID) -> Bool { left.number < right.number }
}

/// One hook's connection, as the Processes tab shows it.
public struct LinkInfo: Hashable, Sendable, Identifiable {
  public var id: LinkID
  public var process: HarnessProcess
  public var executable: String
  public var parent: Int32
  public var entry: Hello.Entry
  /// The same for the whole life of the process.
  public var instance: UInt64
  /// When the process's hook came to life.
  public var startedAt: Timestamp
  public var linkedAt: Timestamp
  /// nil while it is linked.
  public var unlinkedAt: Timestamp?
  /// Whether the same process was linked before and came back.
  public var isReconnection: Bool
  /// How many earlier processes of this console had the same executable and have gone.
  public var restarts: Int
  public var settings: HookSettings
  /// The newest revision of the stubs that the hook has put in force; 0 is none yet.
  public var revision: UInt64
  /// The newest revision that was handed to the system for it.
  public var pushed: UInt64
  /// What the hook shed, in all.
  public var shed: Shed
  /// Its stubs in code.
  public var codeStubs: [Stub]
  /// Not read at the moment, because it sends more than the console takes.
  public var isThrottled: Bool
  /// It has not read what the console sent, or it does not answer.
  public var isStalled: Bool
  /// Updates that named an exchange which the console does not know (begun on an earlier link, or shed).
  public var unexplained: UInt64

  public var degree: HookSettings.Degree { settings.degree }

  init(id: LinkID, hello: Hello, at: Timestamp, settings: HookSettings) {
    self.id = id
    process = hello.process
    executable = hello.executable
    parent = hello.parent
    entry = hello.entry
    instance = hello.instance
    startedAt = hello.startedAt
    linkedAt = at
    isReconnection = false
    restarts = 0
    self.settings = settings
    revision = 0
    pushed = 0
    shed = Shed()
    codeStubs = []
    isThrottled = false
    isStalled = false
    unexplained = 0
  }
}
