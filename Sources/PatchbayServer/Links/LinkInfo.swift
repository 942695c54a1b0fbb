import PatchbayWire

/// Names one link for the life of the console; rises in the order of linking.
package struct LinkID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package var description: String { "\(number)" }
  package static func < (left: LinkID, right: LinkID) -> Bool { left.number < right.number }
}

/// One hook's connection, as the Processes tab shows it.
package struct LinkInfo: Hashable, Sendable, Identifiable {
  package var id: LinkID
  package var process: HarnessProcess
  package var executable: String
  package var parent: Int32
  package var entry: Hello.Entry
  /// Names the process's life: it stays when the hook links again, and differs in another process with the same pid.
  package var instance: UInt64
  /// When the process's hook came to life.
  package var startedAt: Timestamp
  package var linkedAt: Timestamp
  /// nil while it is linked.
  package var unlinkedAt: Timestamp?
  /// Whether the same process was linked before and came back.
  package var isReconnection: Bool
  /// How many earlier processes of this console had the same executable and have gone.
  package var restarts: Int
  package var settings: HookSettings
  /// The newest revision of the stubs that the hook has put in force; 0 is none yet.
  package var revision: UInt64
  /// The newest revision that was handed to the system for it.
  package var pushed: UInt64
  /// What the hook shed, in all.
  package var shed: Shed
  /// What the console itself left out of what the hook sent, because it would have taken too much memory.
  package var cut: Shed
  /// Not read at the moment, because it sends more than the console takes.
  package var isThrottled: Bool
  /// It has not read what the console sent, or it does not answer.
  package var isStalled: Bool
  /// Updates that named an exchange which the console does not know (begun on an earlier link, or shed).
  package var unexplained: UInt64

  package var degree: HookSettings.Degree { settings.degree }

  /// What the record lacks, whoever left it out.
  package var missing: Shed {
    var sum = shed
    sum += cut
    return sum
  }

  /// In characters: who has gone is remembered for long.
  private static let (nameLimit, pathLimit) = (255, 4_096)

  init(id: LinkID, hello: Hello, at: Timestamp, settings: HookSettings) {
    self.id = id
    process = hello.process
    process.name = String(process.name.prefix(Self.nameLimit))
    executable = String(hello.executable.prefix(Self.pathLimit))
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
    cut = Shed()
    isThrottled = false
    isStalled = false
    unexplained = 0
  }
}
