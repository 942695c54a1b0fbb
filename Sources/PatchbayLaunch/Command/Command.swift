import CLaunch
@preconcurrency import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A command that was started. Its methods may be called on any thread.
public final class Command: Sendable {
  private struct State {
    var status: Int32?
    var isReaped = false
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  public let processIdentifier: pid_t
  private let terminal: CommandTerminal?
  private let state = Mutex(State())

  /// Starts a command.
  ///
  /// - Parameters:
  ///   - queue: where `events` is called, one at a time. While it runs the command's output is not read, so that a slow
  ///     one makes the command wait, as any terminal would, and nothing piles up.
  /// - Throws: `LaunchError` with the exit status of env(1): 127 if the file or its interpreter is not there, 126 if it
  ///   cannot be run, 125 if there is no terminal to be had.
  public static func start(
    _ launch: CommandLaunch, queue: DispatchQueue, events: @escaping @Sendable (CommandEvent) -> Void
  ) throws(LaunchError) -> Command {
    let ordered = DispatchQueue(label: "patchbay.command", target: queue)
    var terminal: CommandTerminal?
    var inputIsTerminal = false
    if case .terminal(let columns, let rows, let ownInput) = launch.streams {
      terminal = try CommandTerminal(columns: columns, rows: rows, queue: ordered, events: events)
      inputIsTerminal = ownInput
    }
    var process: pid_t = 0
    let code = launch.path.withCString { path in
      withOptionalCString(terminal?.path) { terminalPath in
        ByteString.withCStrings(launch.arguments) { arguments in
          ByteString.withCStrings(launch.environment.entries) { environment in
            var request = launch_request(
              path: path, arguments: arguments, environment: environment, terminal: terminalPath,
              terminal_is_input: inputIsTerminal ? 1 : 0)
            return launch_spawn(&process, &request)
          }
        }
      }
    }
    guard code == 0 else {
      terminal?.discard()
      throw failure(code, launch.path)
    }
    let command = Command(process, terminal)
    terminal?.begin(process)
    command.watch(ordered, events)
    return command
  }

  private init(_ process: pid_t, _ terminal: CommandTerminal?) {
    processIdentifier = process
    self.terminal = terminal
  }

  /// The exit status, or 128 + N if signal N ended the command, once it has ended.
  public var status: Int32? { state.withLock { $0.status } }

  /// Waits for the end. The `ended` event may come a moment later.
  public func wait() async -> Int32 {
    await withCheckedContinuation { continuation in
      let status = state.withLock { state in
        if state.status == nil { state.waiting.append(continuation) }
        return state.status
      }
      if let status { continuation.resume(returning: status) }
    }
  }

  /// Keys for the command: bytes as a terminal sends them. False if it has no terminal of its own, or so much is waiting
  /// (1 MiB) that these were not taken.
  @discardableResult public func send(_ bytes: [UInt8]) -> Bool {
    terminal?.send(bytes) ?? false
  }

  /// The size of the command's own terminal, in cells.
  public func resize(columns: Int, rows: Int) {
    terminal?.resize(columns: columns, rows: rows)
  }

  /// Waits for the end on a thread of its own, which is parked in the kernel meanwhile.
  private func watch(_ queue: DispatchQueue, _ events: @escaping @Sendable (CommandEvent) -> Void) {
    let process = processIdentifier
    DispatchQueue(label: "patchbay.command.wait").async { [self] in
      var ended: Int32 = 0
      // It can fail only if somebody else reaped our child; then its status is nobody's to know.
      let status = launch_wait_for_end(process, &ended) == 0 ? ended : 125
      // The event first: who has been told of the end may close the terminal, and then nothing more is reported.
      if let terminal {
        terminal.commandEnded(status: status)
      } else {
        queue.async { events(.ended(status: status)) }
      }
      let waiting = state.withLock { state in
        state.status = status
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume(returning: status) }
    }
  }

  /// Gives the process's id back to the system.
  private func reap() {
    state.withLock { state in
      guard state.status != nil, !state.isReaped else { return }
      state.isReaped = true
      launch_relay_forget(processIdentifier)
      launch_reap(processIdentifier)
    }
  }

  deinit {
    terminal?.close()
    reap()
  }

  private static func failure(_ code: Int32, _ path: String) -> LaunchError {
    switch code {
    case ENOENT:
      LaunchError("cannot run \(path): \(MissingInterpreter.reason(path) ?? "it is no longer there")", exitStatus: 127)
    case ENOEXEC:
      LaunchError("cannot run \(path): it is not a program for this machine", exitStatus: 126)
    default: .system("run \(path)", code, exitStatus: 126)
    }
  }
}

private func withOptionalCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
  guard let text else { return body(nil) }
  return text.withCString(body)
}

extension Command {
  /// Sends a signal to the command's process. False if that has ended.
  @discardableResult public func signal(_ number: Int32) -> Bool {
    state.withLock { state in state.status == nil && kill(processIdentifier, number) == 0 }
  }

  /// What Ctrl-C in its own terminal would do: SIGINT to the group in the foreground there. Without a terminal of its
  /// own, to the command's process.
  public func interrupt() {
    guard let terminal else {
      signal(SIGINT)
      return
    }
    state.withLock { state in
      guard !state.isReaped else { return }
      kill(-(terminal.foregroundGroup() ?? processIdentifier), SIGINT)
    }
  }

  /// Ends the command and what it left running (in its session, or as its children if it shares ours): SIGTERM, and
  /// SIGKILL for what is still there after `grace`. Then its terminal is closed. Nothing is waited for longer than that,
  /// whoever holds the terminal.
  public func end(grace: Duration = .seconds(2)) async {
    let clock = ContinuousClock()
    let deadline = clock.now + grace
    var left = victims()
    for victim in left {
      kill(victim.process, SIGTERM)
      // A stopped one could not act on it.
      kill(victim.process, SIGCONT)
    }
    if left.isEmpty { signal(SIGTERM) }
    while clock.now < deadline {
      left = left.filter(\.isAlive)
      if left.isEmpty, status != nil { break }
      await Self.pause()
    }
    // Those that were started meanwhile, too.
    for victim in Set(left + victims()) where victim.isAlive { kill(victim.process, SIGKILL) }
    signal(SIGKILL)
    _ = await wait()
    terminal?.close()
    reap()
  }

  /// Ten milliseconds, also in a task that was cancelled.
  private static func pause() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { continuation.resume() }
    }
  }

  private func victims() -> [ProcessTable.Entry] {
    if state.withLock({ $0.isReaped }) { return [] }
    let table = ProcessTable()
    return terminal == nil ? table.tree(under: processIdentifier) : table.members(ofSession: processIdentifier)
  }
}
