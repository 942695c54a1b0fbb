#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A Swift program that a command has started and into which the hook could not get.
public struct Unreached: Sendable, Hashable {
  public enum Reason: Sendable, Hashable {
    /// It loads FoundationNetworking, and not our library: somebody in between took `LD_PRELOAD` away, or the system did,
    /// as it does where a program gets another user's rights.
    case notPreloaded
    /// The Swift runtime is linked into it.
    case staticRuntime
    /// It runs with another user's rights, so that neither our files nor our socket are open to it.
    case otherUser(UInt32)
  }

  public let process: Int32
  public let name: String
  public let reason: Reason

  /// Such processes at this moment among `command` and what it and its children started; looked for as they are read.
  public static func all(under command: Int32) -> some Sequence<Unreached> {
    ProcessTable().descendants(of: command).lazy.compactMap(Unreached.init)
  }

  private init?(_ entry: ProcessTable.Entry) {
    let folder = "/proc/\(entry.process)"
    guard let maps = Self.whole({ FileBytes.text("\(folder)/maps", atMost: 4 << 20) }) else { return nil }
    if let user = entry.user, user != geteuid(), maps.contains("/\(SwiftRuntime.networking)") {
      reason = .otherUser(user)
    } else if maps.contains(HookLibraries.preloadName) {
      return nil
    } else if maps.contains("/\(SwiftRuntime.networking)") {
      reason = .notPreloaded
    } else if let file = ElfFile(path: "\(folder)/exe"), file.hasStaticRuntime {
      reason = .staticRuntime
    } else {
      return nil
    }
    process = entry.process
    name = entry.name
  }

  /// What a process has mapped; nil where that cannot be said. The kernel gives it in pieces: of one that ended meanwhile
  /// the first ones only, without our library, which was loaded first and stands last. Without it it is read once more.
  static func whole(_ read: () -> String?) -> String? {
    guard let maps = read(), !maps.isEmpty else { return nil }
    if maps.contains(HookLibraries.preloadName) { return maps }
    guard let again = read(), !again.isEmpty else { return nil }
    return again
  }
}

/// A process that a command has started and left running at its own end.
public struct LeftRunning: Sendable, Hashable {
  public let process: Int32
  public let name: String

  /// Those that run at this moment and were started with that console's socket in their environment (proc(5),
  /// `environ`), the oldest first. Empty where there is no `/proc`.
  public static func all(socket: String) -> [LeftRunning] {
    let entry = Array("PATCHBAY_SOCKET=\(socket)".utf8)
    let left = ProcessTable().entries.filter { candidate in
      guard candidate.process != getpid(), !candidate.isZombie,
        let environment = FileBytes.read("/proc/\(candidate.process)/environ", atMost: 1 << 20)
      else { return false }
      return environment.split(separator: 0).contains { $0.elementsEqual(entry) }
    }
    return left.sorted { $0.startedAt < $1.startedAt }.map { LeftRunning(process: $0.process, name: $0.name) }
  }
}
