#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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
