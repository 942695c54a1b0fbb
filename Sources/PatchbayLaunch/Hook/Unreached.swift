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
  }

  public let process: Int32
  public let name: String
  public let reason: Reason

  /// The first such process at this moment among `command` and what it and its children started.
  public static func first(under command: Int32) -> Unreached? {
    ProcessTable().descendants(of: command).lazy.compactMap { Unreached(process: $0.process) }.first
  }

  private init?(process: pid_t) {
    let folder = "/proc/\(process)"
    guard let maps = FileBytes.text("\(folder)/maps", atMost: 4 << 20), !maps.contains(HookLibraries.preloadName) else {
      return nil
    }
    if maps.contains("/\(SwiftRuntime.networking)") {
      reason = .notPreloaded
    } else if let file = ElfFile(path: "\(folder)/exe"), file.isSwift,
      !file.needed.contains(SwiftRuntime.core) || file.definesURLSession
    {
      reason = .staticRuntime
    } else {
      return nil
    }
    self.process = process
    name = FileBytes.text("\(folder)/comm", atMost: 64)?.split(separator: "\n").first.map(String.init) ?? "a program"
  }
}
