import Foundation
import PatchbayLaunch
import PatchbayServer
import Synchronization

/// The command of `run`: found, checked, started with the hook, and what is to be said of it at its end.
package final class HookedCommand: Sendable {
  let words: [String]
  private let check: ExecutableCheck
  private let environment: ChildEnvironment
  private let notes: LaunchNotes
  /// Requests that no stub takes are not to reach the network.
  private let isClosed: Bool
  private let linked = Mutex<Set<Int32>>([])
  private let hasCautioned = Atomic(false)
  private let unreached = Mutex<(found: [Unreached], tell: (@Sendable (String) -> Void)?)>(([], nil))

  /// Finds the command and the hook's libraries.
  ///
  /// - Throws: `LaunchError` with the exit status to end with; also where requests that no stub takes are not to reach
  ///   the network and it is known that the hook cannot see to that.
  package init(words: [String], plan: WorkbenchPlan, folders: PrivateFolders) throws(LaunchError) {
    self.words = words
    // What is only looked at is not kept waiting.
    let promise = plan.settings.degree == .full ? plan.unmatched : nil
    isClosed = promise != nil && promise != .pass
    let libraries = try HookLibraries.find()
    let base = ChildEnvironment.current()
    notes = try LaunchNotes(folders: folders)
    var environment = try libraries.environment(
      base, socket: plan.socket, notes: notes.path, unmatched: promise?.rawValue, folders: folders)
    if plan.trustsPeers { environment["PATCHBAY_TRUST_PEER"] = "1" }
    self.environment = environment
    check = try ExecutableCheck(
      command: words.first ?? "", environment: environment, runtime: libraries.runtime(environment: base))
    if isClosed, let why = check.cautions.first?.description ?? WrapperCheck.reason(words) {
      let sentence = why.hasSuffix(".") ? String(why.dropLast()) : why
      throw LaunchError(
        "its requests could not be kept from the network, as --unmatched \(plan.unmatched) wants it: \(sentence)",
        exitStatus: 126)
    }
  }

  private var hasLinked: Bool { linked.withLock { !$0.isEmpty } }

  /// Sentences about why it may not be hooked.
  var cautions: [String] { check.cautions.map(\.description) }

  /// They have been told where they stay to be read, so that the end need not tell them again.
  func cautioned() { hasCautioned.store(!check.cautions.isEmpty, ordering: .relaxed) }

  /// As they were given, which need not be UTF-8.
  private var arguments: [ByteString] {
    let given = ByteString.lastArguments(words.count)
    return given.map(\.description) == words ? given : words.map { ByteString($0) }
  }

  func watch(_ events: EventBroadcaster) {
    events.subscribe { [self] events in
      for case .linked(let info) in events { linked.withLock { _ = $0.insert(info.process.pid) } }
    }
  }

  func start(
    streams: CommandLaunch.Streams, queue: DispatchQueue, events: @escaping @Sendable (CommandEvent) -> Void
  ) throws(LaunchError) -> PatchbayLaunch.Command {
    let launch = CommandLaunch(
      path: check.path, arguments: arguments, environment: environment, streams: streams)
    let command = try PatchbayLaunch.Command.start(launch, queue: queue, events: events)
    look(command, after: Self.looks)
    return command
  }

  /// How long after the start, and after each look, it is looked for programs that cannot be hooked, as long as nothing has linked.
  private static let looks: [DispatchTimeInterval] = [20, 30, 50, 400, 2_000].map(DispatchTimeInterval.milliseconds)

  /// Calls back on another thread when a program is found into which the hook could not get, while nothing has linked.
  func whenUnreached(_ tell: @escaping @Sendable (String) -> Void) {
    unreached.withLock { $0.tell = tell }
  }

  private func look(_ command: PatchbayLaunch.Command, after waits: [DispatchTimeInterval]) {
    guard let wait = waits.first else { return }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + wait) { [weak self, weak command] in
      guard let self, let command, command.status == nil, isClosed || !hasLinked else { return }
      var all = Unreached.all(under: command.processIdentifier).makeIterator()
      let found = isClosed ? Array(IteratorSequence(all)) : all.next().map { [$0] } ?? []
      let (new, tell) = unreached.withLock { unreached in
        let new = found.filter { !unreached.found.contains($0) }
        unreached.found += new
        return (new.first, unreached.tell)
      }
      if let new { tell?(Self.reason(new)) }
      if isClosed || found.isEmpty { look(command, after: Array(waits.dropFirst())) }
    }
  }

  /// Names the processes that may have let requests out although none that no stub takes was to reach the network; nil
  /// where there are none.
  var escaped: String? {
    guard isClosed else { return nil }
    let linked = linked.withLock { $0 }
    var all = Escaped.all(notes: notes.read(), linked: linked)
    for found in unreached.withLock({ $0.found }).map(Escaped.init)
    where !linked.contains(found.process) && !all.contains(where: { $0.process == found.process }) {
      all.append(found)
    }
    guard !all.isEmpty else { return nil }
    let names = all.prefix(Self.named).map { "\($0.name) (\($0.process)), because \($0.reason)" }
    let more = all.count > Self.named ? ["and \(all.count - Self.named) more"] : []
    return
      "\(all.count) process\(all.count == 1 ? "" : "es") ran without the hook, so that requests which no stub takes "
      + "may have reached the network: \((names + more).joined(separator: "; "))."
  }

  /// How many processes are named.
  private static let named = 20

  /// Takes away what was left for the hook; nothing is known of it afterwards.
  func forget() { notes.remove() }

  /// Why nothing linked, where nothing did; nil where something did, or where it has been told.
  var silence: String? {
    guard !hasLinked, !hasCautioned.load(ordering: .relaxed) else { return nil }
    let name = words.first ?? "The command"
    if let note = notes.read().first {
      switch note.reason {
      case .fewDescriptors:
        return "The hook stayed out of \(note.name) (\(note.process)), because it may open only \(note.detail) files: "
          + "raise that limit (ulimit -n)."
      case .clearedEnvironment, .staticExecutable, .staticRuntime, .notTaken: break
      case .differentRuntime:
        return "The hook stayed out of \(note.name) (\(note.process)) because it runs on another Swift runtime "
          + "(\(note.detail)): build patchbay and the program with the same toolchain."
      case .notLoaded, .notAHook, .noHook:
        return "The hook could not be loaded into \(note.name) (\(note.process)): \(note.detail)."
      }
    }
    if let caution = check.cautions.first { return "Nothing linked: \(caution)." }
    if let unreached = unreached.withLock({ $0.found.first }) { return "Nothing linked: \(Self.reason(unreached))" }
    if let cleared = WrapperCheck.reason(words) { return "Nothing linked: \(cleared)" }
    if let left = left.first {
      return "Nothing linked before \(name) ended, which left \(left.name) (\(left.process)) running, unseen from now "
        + "on: \(Self.staying)."
    }
    if check.kind == .swift(networking: false) {
      return "\(name) made no URLSession: it does not load FoundationNetworking. AsyncHTTPClient, libcurl and other "
        + "clients are invisible to Patchbay."
    }
    if check.kind == .swift(networking: true) {
      return "Nothing linked: \(name) made no URLSession. AsyncHTTPClient, libcurl and other clients are invisible to "
        + "Patchbay."
    }
    return "Nothing linked: \(name) made no URLSession, and nothing that it started made one that could be hooked. "
      + "AsyncHTTPClient, libcurl, programs that are not Swift, static and set-uid ones are invisible to Patchbay, and "
      + "those that a wrapper starts without LD_PRELOAD."
  }

  /// Which of these linked processes runs on although the command has ended; nil where none does.
  func leftBehind(of linked: Set<Int32>) -> String? {
    guard !linked.isEmpty, let left = left.first(where: { linked.contains($0.process) }) else { return nil }
    return "\(words.first ?? "The command") ended and left \(left.name) (\(left.process)) running, unseen from now on: "
      + "\(Self.staying)."
  }

  private static let staying = "let the command wait for it (sh -c '…; wait'), or leave --headless out"

  private var left: [LeftRunning] { environment["PATCHBAY_SOCKET"].map(LeftRunning.all) ?? [] }

  private static func reason(_ unreached: Unreached) -> String {
    let program = "\(unreached.name) (\(unreached.process))"
    switch unreached.reason {
    case .notPreloaded:
      return
        "\(program) runs without the hook, because LD_PRELOAD did not reach it; start it by patchbay run behind the "
        + "wrapper that clears the environment, or link the library Patchbay into it and call Patchbay.attach()."
    case .otherUser(let user):
      return
        "\(program) runs with the rights of another user (\(user)), to whom this console is not open; start patchbay run "
        + "as that user, behind what changes it."
    case .staticRuntime:
      return
        "\(program) has the Swift runtime linked into it (-static-stdlib), where the hook cannot reach it; build it "
        + "without that, or link the library Patchbay into it and call Patchbay.attach()."
    }
  }
}

/// Knows commands that start others without the environment in which these would be hooked.
enum WrapperCheck {
  private static let others: Set<String> = [
    "sudo", "su", "doas", "pkexec", "runuser", "ssh", "docker", "podman", "systemd-run", "flatpak", "snap",
  ]

  /// Why what such a command starts is not hooked, and what to do; nil for any other command.
  static func reason(_ words: [String]) -> String? {
    guard let name = words.first?.split(separator: "/").last.map(String.init) else { return nil }
    if others.contains(name) {
      return
        "\(name) starts programs without the environment by which the hook gets into them; put patchbay run behind "
        + "it (\(name) … patchbay run -- PROGRAM)."
    }
    guard name == "env", clears(words.dropFirst()) else { return nil }
    return "env takes LD_PRELOAD away, by which the hook gets into programs; put patchbay run behind it "
      + "(env … patchbay run -- PROGRAM)."
  }

  /// Whether these options of env(1) take our variables away.
  private static func clears(_ words: ArraySlice<String>) -> Bool {
    var words = words
    while let word = words.popFirst(), word != "--" {
      switch word {
      case "-", "-i", "--ignore-environment", "-uLD_PRELOAD", "--unset=LD_PRELOAD": return true
      case "-u", "--unset": if words.popFirst() == "LD_PRELOAD" { return true }
      // Options with a value of their own.
      case "-C", "--chdir", "-a", "--argv0": _ = words.popFirst()
      case _ where word.hasPrefix("LD_PRELOAD="): return true
      default: if !word.hasPrefix("-"), !word.contains("=") { return false }
      }
    }
    return words.first?.hasPrefix("LD_PRELOAD=") == true
  }
}
