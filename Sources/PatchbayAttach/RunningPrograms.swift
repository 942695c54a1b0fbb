import CAttach
import PatchbayLaunch
import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A program that runs, as a person is shown it.
package struct RunningProgram: Hashable, Sendable {
  package let process: pid_t
  /// What the kernel calls it.
  package let name: String
  /// With its arguments.
  package let command: String
  package let user: uid_t
  /// In seconds since 1970.
  package let startedAt: Double

  package init(process: pid_t, name: String, command: String, user: uid_t, startedAt: Double) {
    self.process = process
    self.name = name
    self.command = command
    self.user = user
    self.startedAt = startedAt
  }

  init(_ facts: TargetFacts) {
    self.init(
      process: facts.process, name: facts.name, command: facts.command.isEmpty ? facts.name : facts.command,
      user: facts.user, startedAt: SystemStart.seconds + Double(facts.startedAt) / SystemStart.ticks)
  }
}

extension AttachError {
  /// That no program is meant by a number or a name.
  package static func nobody(_ text: String) -> AttachError {
    AttachError("No program \(text.allSatisfy(\.isWholeNumber) ? "has the number" : "is called") \(text).")
  }
}

private enum SystemStart {
  /// In seconds since 1970.
  static let seconds: Double = {
    let lines = FileBytes.text("/proc/stat", atMost: 1 << 20)?.split(separator: "\n") ?? []
    return lines.first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) } ?? 0
  }()
  static let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
}

/// The programs that run now.
package enum RunningPrograms {
  /// Those of this user (for root, of all) into which the hook can be brought: they have FoundationNetworking, and neither
  /// link Patchbay nor are attended to by a console.
  package static func attachable() -> [RunningProgram] {
    let isRoot = geteuid() == 0
    return ProcessFolder.numbers(in: "/proc").compactMap { process in
      guard process != getpid(), isRoot || Path.status("/proc/\(process)", following: true)?.owner == geteuid(),
        hasNetworking(process), let facts = TargetProcess(process).facts(), isFree(facts)
      else { return nil }
      return RunningProgram(facts)
    }
  }

  private static func hasNetworking(_ process: pid_t) -> Bool {
    FileBytes.text("/proc/\(process)/maps", atMost: 1 << 24)?.contains("/libFoundationNetworking.so") ?? false
  }

  static func isFree(_ facts: TargetFacts) -> Bool {
    switch facts.hooked {
    case .no: true
    case .linked: false
    case .attached(let state): Rendezvous(state.rendezvous, of: facts).console(of: facts.process) == nil
    }
  }

  /// What a person means by a number or a name.
  ///
  /// - Returns: one, or all that bear the name; none where nothing does.
  package static func named(_ text: String) -> [RunningProgram] {
    if let process = pid_t(text) { return TargetProcess(process).facts().map { [RunningProgram($0)] } ?? [] }
    let found = ProcessFolder.numbers(in: "/proc").filter { $0 != getpid() && bears(text, $0) }
    // A wrapper may bear the name of what it started.
    let able = found.filter(hasNetworking)
    return (able.isEmpty ? found : able).compactMap { TargetProcess($0).facts() }.map(RunningProgram.init)
  }

  private static func bears(_ name: String, _ process: pid_t) -> Bool {
    let file = Path.target(ofLink: "/proc/\(process)/exe").map { path in
      Path.name(of: path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path)
    }
    if file == name { return true }
    // The kernel keeps 15 bytes of it.
    return FileBytes.text("/proc/\(process)/comm", atMost: 64)?.split(separator: "\n").first.map(String.init) == name
  }
}

/// The end of a process that is not our child.
package enum ProcessEnd {
  /// A descriptor that can be read from when the process has ended (pidfd_open(2)); nil where the system has none. The
  /// caller closes it.
  package static func descriptor(of process: pid_t) -> Int32? {
    let descriptor = attach_process_descriptor(process)
    return descriptor >= 0 ? descriptor : nil
  }
}

/// Whether this system lets programs be attached to at all.
package enum AttachAbility {
  #if arch(x86_64) || arch(arm64)
    static let isKnownProcessor = true
  #else
    static let isKnownProcessor = false
  #endif
  static let otherProcessor =
    "Attaching works on x86-64 only as yet, and this is another processor: start the program with patchbay run."
  /// For one who wants to be the first.
  static let untriedVariable = "PATCHBAY_ATTACH_UNTRIED"
  static let untriedProcessor =
    "Attaching on arm64 has been built but never been tried on a real machine: start the program with patchbay run, or set "
    + "\(untriedVariable)=1 to try it here."

  static func mayBeTried(on processor: Processor, untried: String?) -> Bool { processor == .x86 || untried == "1" }

  static var mayBeTried: Bool {
    mayBeTried(on: .own, untried: getenv(untriedVariable).map { String(cString: $0) })
  }

  /// What forbids it, in a sentence with the way out; nil where nothing does.
  package static var problem: String? {
    if !isKnownProcessor { return otherProcessor }
    if !mayBeTried { return untriedProcessor }
    let rights = TargetFacts.Rights.own
    switch (rights.scope, rights.mayTraceAll) {
    case (3..., _):
      return
        "kernel.yama.ptrace_scope is 3, so nobody may attach to a program until the system starts again: use patchbay run."
    case (2, false):
      return "kernel.yama.ptrace_scope is 2, so only root may attach to a program: sudo patchbay attach PID."
    case (1, false):
      return
        "kernel.yama.ptrace_scope is 1, so only root may attach to a program: sudo patchbay attach PID, or sudo sysctl "
        + "kernel.yama.ptrace_scope=0."
    default: break
    }
    let code = attach_is_allowed()
    guard code != 0 else { return nil }
    return
      "The system forbids ptrace (\(String(cString: strerror(code)))), as containers do without CAP_SYS_PTRACE: use "
      + "patchbay run."
  }
}
