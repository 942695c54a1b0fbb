import CAttach
import PatchbayLaunch
import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A process as `/proc` has it.
package struct TargetProcess: Sendable {
  let process: pid_t
  var memory: TargetMemory { TargetMemory(process: process) }

  package init(_ process: pid_t) { self.process = process }

  private func text(_ name: String, atMost limit: Int = 1 << 24) -> String? {
    FileBytes.text("/proc/\(process)/\(name)", atMost: limit)
  }

  var isThere: Bool { access("/proc/\(process)", F_OK) == 0 }
  var hasEnded: AttachError { AttachError("Process \(process) ended while it was attached to.") }

  func maps() -> ProcessMaps { ProcessMaps(bytes: FileBytes.read("/proc/\(process)/maps", atMost: 1 << 24) ?? []) }

  /// The threads that it has now.
  func threads() -> [pid_t] { ProcessFolder.numbers(in: "/proc/\(process)/task") }

  /// The system call that a thread waits in, with its six arguments, its stack and its place; nil while it runs.
  func systemCall(of thread: pid_t) -> [UInt64]? {
    var words = [UInt64](repeating: 0, count: SystemCall.wordCount)
    return attach_system_call(process, thread, &words) == 1 ? words : nil
  }

  /// Bit N-1 is for signal N.
  struct Signals: Equatable {
    var pending: UInt64 = 0
    var pendingForAll: UInt64 = 0
    var blocked: UInt64 = 0
    /// The program has handlers for them.
    var caught: UInt64 = 0

    /// Wait for the thread, which does not block them.
    var coming: UInt64 { (pending | pendingForAll) & ~blocked }
  }

  func signals(of thread: pid_t) -> Signals? {
    guard let status = text("task/\(thread)/status", atMost: 1 << 14) else { return nil }
    return Signals(status: status)
  }

  /// Since the system's start, in clock ticks; nil if there is no such process.
  package var startedAt: UInt64? { line()?.startedAt }

  /// As `/proc/PID/stat` has it.
  private func line() -> (startedAt: UInt64, flags: UInt64, parent: pid_t)? {
    guard let stat = text("stat", atMost: 4096), let nameEnd = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: nameEnd)...].split(separator: " ")
    guard fields.count > 19, let startedAt = UInt64(fields[19]) else { return nil }
    return (startedAt, UInt64(fields[6]) ?? 0, pid_t(fields[1]) ?? 0)
  }

  /// Where a file of the program's lies for us.
  func ownPath(_ path: String) -> String { sharesFiles ? path : "/proc/\(process)/root" + path }

  /// Whether it sees the same files as we do.
  var sharesFiles: Bool {
    Self.namespace("mnt", of: "\(process)") == Self.namespace("mnt", of: "self")
      && FileIdentity(path: "/proc/\(process)/root/", following: true)
        == FileIdentity(path: "/proc/self/root/", following: true)
  }

  /// Whether processes have the same numbers for it as for us.
  var sharesNumbers: Bool { Self.namespace("pid", of: "\(process)") == Self.namespace("pid", of: "self") }

  private static func namespace(_ kind: String, of process: String) -> String? {
    Path.target(ofLink: "/proc/\(process)/ns/\(kind)")
  }
}

/// Folders of `/proc`.
enum ProcessFolder {
  /// The entries that are numbers, in their order.
  static func numbers(in path: String) -> [pid_t] {
    Path.names(in: path).compactMap { pid_t($0) }.sorted()
  }
}

// MARK: Facts

extension TargetProcess {
  /// nil if there is no such process. For the number of a thread those of its process.
  package func facts() -> TargetFacts? {
    guard let status = text("status", atMost: 1 << 16), let stat = line() else { return nil }
    var facts = TargetFacts(process: process)
    // The number of one of its threads.
    if let program = facts.read(status: status), program != process { return TargetProcess(program).facts() }
    // PF_KTHREAD, for kernels whose status does not say it.
    if stat.flags & 0x0020_0000 != 0 { facts.isKernelThread = true }
    facts.startedAt = stat.startedAt
    facts.command = text("cmdline", atMost: 1 << 16)?.split(separator: "\0").joined(separator: " ") ?? ""
    facts.sharesFiles = sharesFiles
    readImages(into: &facts)
    return facts
  }

  private func readImages(into facts: inout TargetFacts) {
    let executable = ElfFile(path: "/proc/\(process)/exe")
    facts.is64Bit = executable?.is64Bit ?? true
    facts.isDynamic = executable?.interpreter != nil
    let maps = maps()
    // A process may be allowed to see what another has mapped (CAP_PERFMON), and nothing else of it.
    facts.mayRead = !maps.mappings.isEmpty && Path.target(ofLink: "/proc/\(process)/exe") != nil
    let hasLibrary = maps.image(named: "libswiftCore.so") != nil
    facts.isSwift = hasLibrary || executable?.isSwift == true
    // Stripped, its symbols do not say so; but that it brings no runtime along does.
    facts.hasStaticSwift = executable?.definesURLSession == true || (facts.isSwift && !hasLibrary)
    facts.hasNetworking = maps.image(named: "libFoundationNetworking.so") != nil
    facts.overseer = overseer(maps)
    for library in ["libswiftCore.so", "libFoundationNetworking.so"] {
      if let image = maps.image(named: library) {
        facts.runtime[library] = TargetImage(base: image.base, in: memory)?.buildID
      }
    }
    if let library = maps.image(named: HookLibraries.preloadName) {
      let attachment = TargetImage(base: library.base, in: memory).flatMap { AttachedState($0, in: memory) }
      facts.hooked = attachment.map { .attached($0) } ?? .linked
      facts.preload = library.path
    } else if maps.image(named: HookLibraries.hookName) != nil || linksHook(maps) {
      facts.hooked = .linked
    }
  }

  private func overseer(_ maps: ProcessMaps) -> TargetFacts.Overseer? {
    if Path.target(ofLink: "/proc/\(process)/exe")?.contains("/valgrind/") == true { return .valgrind }
    let isSanitized = maps.images.contains { path, base in
      (!Self.isOfSystem(path) || path.contains("tsan"))
        && TargetImage(base: base, in: memory)?.address(of: "__tsan_init") != nil
    }
    return isSanitized ? .threadSanitizer : nil
  }

  /// Whether the executable or a library of the program's own has the hook linked into it.
  private func linksHook(_ maps: ProcessMaps) -> Bool {
    guard maps.image(named: "libFoundationNetworking.so") != nil else { return false }
    if ElfFile.linksHook("/proc/\(process)/exe") { return true }
    return maps.images.contains { path, _ in
      !Self.isOfSystem(path) && ElfFile.linksHook("/proc/\(process)/root" + path)
    }
  }

  private static func isOfSystem(_ path: String) -> Bool {
    let name = Path.name(of: path)
    return ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"].contains { path.hasPrefix($0) }
      || path.contains("/swift/linux/") || name.hasPrefix("libFoundation") || name.hasPrefix("libswift")
      || name == "lib_FoundationICU.so"
  }

  package func rights() -> TargetFacts.Rights {
    var rights = TargetFacts.Rights.own
    rights.isDescendant = isDescendant
    return rights
  }

  private var isDescendant: Bool {
    var at = self
    for _ in 0..<64 {
      guard let parent = at.line()?.parent, parent > 1 else { return false }
      if parent == getpid() { return true }
      at = TargetProcess(parent)
    }
    return false
  }

  /// Where the hook of a program that is linked looks for its console: what its environment says, else the default.
  package func linkedSocket(_ facts: TargetFacts) -> String {
    func variable(_ name: String) -> String? {
      text("environ", atMost: 1 << 20)?.split(separator: "\0").first { $0.hasPrefix("\(name)=") }
        .map { String($0.dropFirst(name.utf8.count + 1)) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    if let socket = variable("PATCHBAY_SOCKET") { return socket }
    if let folder = variable("XDG_RUNTIME_DIR"), let status = Path.status(folder, following: true), status.isFolder,
      status.owner == facts.user
    {
      return Path.join(Path.withoutTrailingSlash(folder), "patchbay/default.sock")
    }
    return "/tmp/patchbay-\(facts.user)/default.sock"
  }
}

extension TargetProcess.Signals {
  /// Of a thread (proc(5), `status`).
  init(status: String) {
    for line in status.split(separator: "\n") {
      func mask() -> UInt64 { UInt64(line.drop { $0 != "\t" }.dropFirst(), radix: 16) ?? 0 }
      if line.hasPrefix("SigPnd:") { pending = mask() }
      if line.hasPrefix("ShdPnd:") { pendingForAll = mask() }
      if line.hasPrefix("SigBlk:") { blocked = mask() }
      if line.hasPrefix("SigCgt:") { caught = mask() }
    }
  }
}

extension TargetFacts {
  /// What `/proc/PID/status` says (proc(5)).
  ///
  /// - Returns: the number of the program, which for one of its threads is another.
  mutating func read(status: String) -> pid_t? {
    var program: pid_t?
    for line in status.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let values = parts[1].split(whereSeparator: \.isWhitespace)
      switch parts[0] {
      case "Name": name = parts[1].split(separator: "\t").first.map(String.init) ?? ""
      case "State": state = values.first?.first ?? "S"
      case "Uid": user = values.count > 1 ? uid_t(values[1]) ?? 0 : 0
      case "Tgid": program = values.first.flatMap { pid_t($0) }
      case "Gid": group = values.count > 1 ? gid_t(values[1]) ?? 0 : 0
      case "TracerPid": tracer = values.first.flatMap { pid_t($0) } ?? 0
      case "Seccomp": seccomp = values.first.flatMap { Int($0) } ?? 0
      case "NSpid": innerProcess = values.last.flatMap { pid_t($0) } ?? process
      case "Kthread": isKernelThread = values.first == "1"
      default: break
      }
    }
    return program
  }
}

/// How far a program was attached to before: what the preload library that is in it says (`PatchbayAttachBlock.h`).
package struct AttachedState: Equatable, Sendable {
  /// Every session was looked for.
  package var isWhole: Bool
  /// Where its hook finds its consoles, as the program sees it.
  package var rendezvous: String

  package init(isWhole: Bool, rendezvous: String) {
    self.isWhole = isWhole
    self.rendezvous = rendezvous
  }

  /// nil where the library was preloaded.
  init?(_ library: TargetImage, in memory: TargetMemory) {
    guard let place = library.address(of: "patchbay_attachment"), memory.half(at: place) == 1,
      let stage = memory.half(at: place + 4), stage > 0
    else { return nil }
    isWhole = stage == 2
    rendezvous = memory.text(at: place + 8, atMost: 512)
  }
}

extension TargetFacts.Rights {
  /// This process's.
  package static var own: TargetFacts.Rights {
    let status = FileBytes.text("/proc/self/status", atMost: 1 << 16) ?? ""
    let capabilities =
      status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
      .flatMap { UInt64($0.dropFirst(7).drop(while: \.isWhitespace), radix: 16) } ?? 0
    let scope = FileBytes.text("/proc/sys/kernel/yama/ptrace_scope", atMost: 64)?.split(separator: "\n").first
    return TargetFacts.Rights(
      user: geteuid(), mayTraceAll: capabilities >> 19 & 1 == 1, scope: scope.flatMap { Int($0) } ?? 0,
      isDescendant: false)
  }
}
