#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What has to be known of a process to tell whether the hook can be brought into it. A value: `refusal` and everything
/// it says can be tested without a process.
package struct TargetFacts: Equatable, Sendable {
  /// The parts of FoundationNetworking and of Patchbay that a program may have.
  package enum Hooked: Equatable, Sendable {
    case no
    /// The library is linked into the program, or `run` has preloaded it.
    case linked
    /// `attach` has been here before.
    case attached(AttachedState)
  }

  /// What runs the program, or watches each of its steps, so that no thread of it can be borrowed.
  package enum Overseer: Equatable, Sendable {
    case threadSanitizer
    case valgrind
  }

  package var process: pid_t
  /// What the kernel calls it.
  package var name = ""
  package var command = ""
  /// Whose rights it has.
  package var user: uid_t = 0
  package var group: gid_t = 0
  /// Its number in the namespace that it runs in.
  package var innerProcess: pid_t
  /// Whether what it has mapped may be read.
  package var mayRead = true
  package var state: Character = "S"
  package var tracer: pid_t = 0
  package var isKernelThread = false
  /// 0 none, 1 strict, 2 filter (proc(5), Seccomp).
  package var seccomp = 0
  package var startedAt: UInt64 = 0
  package var is64Bit = true
  /// Whether a dynamic linker has loaded it.
  package var isDynamic = true
  package var isSwift = true
  package var hasNetworking = true
  /// Swift's libraries are part of the executable itself.
  package var hasStaticSwift = false
  package var overseer: Overseer?
  package var hooked = Hooked.no
  /// The build ids of its Swift libraries, by file name.
  package var runtime: [String: String] = [:]
  /// Whether it sees the same files as we do.
  package var sharesFiles = true

  /// The preload library that is in it, as the program sees it.
  package var preload: String?

  package init(process: pid_t) {
    self.process = process
    innerProcess = process
  }

  /// As sentences call it.
  package var title: String { "\(name.isEmpty ? "Process" : name) \(process)" }

  /// What of the one who asks, and of the system, decides whether ptrace(2) is allowed.
  package struct Rights: Equatable, Sendable {
    package var user: uid_t
    package var mayTraceAll: Bool
    /// `/proc/sys/kernel/yama/ptrace_scope`; 0 where there is no Yama.
    package var scope: Int
    package var isDescendant: Bool
    /// Whether there is code for this processor.
    package var isKnownProcessor = AttachAbility.isKnownProcessor
    /// Whether that code has been run on such a machine, or is to be tried.
    package var mayBeTried = AttachAbility.mayBeTried

    package init(user: uid_t, mayTraceAll: Bool, scope: Int, isDescendant: Bool) {
      self.user = user
      self.mayTraceAll = mayTraceAll
      self.scope = scope
      self.isDescendant = isDescendant
    }
  }

  /// Why the hook cannot be brought in; nil if it can.
  ///
  /// - Parameter hookRuntime: the build ids that the hook was built for.
  package func refusal(_ rights: Rights, hookRuntime: [String: String]) -> AttachError? {
    let it = title
    if !rights.isKnownProcessor { return AttachError(AttachAbility.otherProcessor) }
    if !rights.mayBeTried { return AttachError(AttachAbility.untriedProcessor) }
    func no(_ text: String) -> AttachError { AttachError("\(it) \(text)") }
    if state == "Z" || state == "X" { return no("has ended: only its entry is left, for its parent to collect.") }
    if isKernelThread { return no("is a thread of the kernel, not a program.") }
    if let error = rightsRefusal(rights, it) { return error }
    if tracer != 0 { return no("is being debugged by process \(tracer). End the debugger, then attach.") }
    if state == "T" { return no("is stopped. Let it go on with kill -CONT \(process), then attach.") }
    if !mayRead, rights.mayTraceAll {
      return no(
        "does not let its memory be read, not even by root: the system guards it, or it is of another user namespace.")
    }
    if !mayRead {
      return no(
        "does not let its memory be read: it has more rights than this process, or guards itself (prctl PR_SET_DUMPABLE). "
          + wayOut(rights))
    }
    if seccomp == 1 {
      return no("runs under strict seccomp, which lets nothing be loaded. Start it with patchbay run.")
    }
    // Tried: a program with the thread sanitizer crashes in its own code. valgrind runs the program's code by its own.
    switch overseer {
    case .threadSanitizer:
      return no(
        "was built with the thread sanitizer, which ends it where a thread does what it has not seen. Link Patchbay and call "
          + "Patchbay.attach().")
    case .valgrind: return no("runs under valgrind, whose threads are not the program's. Start it with: patchbay run")
    case nil: break
    }
    if !is64Bit { return no("is a 32-bit program, and Patchbay's hook is a 64-bit library.") }
    if hasStaticSwift || (isSwift && !isDynamic) {
      return no(
        "has Swift's libraries linked into it, and the hook's library would bring others. Build it without "
          + "-static-stdlib, or link Patchbay and call Patchbay.attach().")
    }
    if !isDynamic { return no("is linked statically, so that nothing can be loaded into it.") }
    if !isSwift { return no("is not a Swift program. Patchbay sees the requests of Swift's URLSession only.") }
    if !hasNetworking {
      return no("has not loaded FoundationNetworking, so it makes no URLSession requests. Attach once it does.")
    }
    for (library, theirs) in runtime.sorted(by: { $0.key < $1.key }) {
      guard let ours = hookRuntime[library], ours != theirs else { continue }
      return no(
        "runs on another build of Swift (\(library) \(theirs.prefix(12)), Patchbay's hook needs \(ours.prefix(12))). "
          + "Build Patchbay with the toolchain that built the program.")
    }
    return nil
  }

  private func rightsRefusal(_ rights: Rights, _ it: String) -> AttachError? {
    if rights.scope >= 3 {
      return AttachError(
        "The system allows attaching to nobody until it is started again (kernel.yama.ptrace_scope is 3). Start the "
          + "program with: patchbay run")
    }
    if rights.mayTraceAll { return nil }
    if rights.user != user {
      return AttachError("\(it) belongs to another user (\(user)). \(wayOut(rights))")
    }
    if rights.scope == 2 {
      return AttachError(
        "Only root may attach to programs here (kernel.yama.ptrace_scope is 2). \(wayOut(rights))")
    }
    if rights.scope == 1, !rights.isDescendant {
      return AttachError(
        "The system lets a program attach to its own children only (kernel.yama.ptrace_scope is 1). \(wayOut(rights)), or "
          + "allow it until the system's next start with: sudo sysctl kernel.yama.ptrace_scope=0")
    }
    return nil
  }

  /// For one who may not trace it as he is. `sudo` gives root nothing that it has not: in a container it lacks the capability.
  private func wayOut(_ rights: Rights) -> String {
    rights.user == 0
      ? "Root may not trace programs here, as in a container without CAP_SYS_PTRACE. Start it with: patchbay run"
      : "Attach with: sudo patchbay attach \(process), or start it with: patchbay run"
  }
}
