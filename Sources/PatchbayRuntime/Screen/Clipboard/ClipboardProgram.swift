import Foundation

/// A program that puts its standard input on the clipboard.
struct ClipboardProgram: Sendable {
  let name: String
  private let path: String
  private let arguments: [String]

  /// Those that are in `PATH`, the likeliest first.
  static func present(path: String? = ProcessInfo.processInfo.environment["PATH"]) -> [ClipboardProgram] {
    [
      ("pbcopy", []), ("wl-copy", []), ("xclip", ["-selection", "clipboard"]), ("xsel", ["--clipboard", "--input"]),
    ].compactMap { find($0, $1, in: path) }
  }

  /// The tmux around the console, whose buffer goes on to its terminal's clipboard; nil where there is none.
  static func tmux(environment: [String: String] = ProcessInfo.processInfo.environment) -> ClipboardProgram? {
    guard environment["TMUX"]?.isEmpty == false else { return nil }
    return find("tmux", ["load-buffer", "-w", "-"], in: environment["PATH"])
  }

  private static func find(_ name: String, _ arguments: [String], in path: String?) -> ClipboardProgram? {
    (path ?? "").split(separator: ":").map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    .map { ClipboardProgram(name: name, path: $0, arguments: arguments) }
  }

  /// Runs it for at most that many seconds, then ends it. Returns whether it took the text; without a display it does
  /// not. What it leaves running, to serve the text, is left alone.
  func take(_ text: String, seconds: Double = 2) async -> Bool {
    guard let input = Self.file(with: text) else { return false }
    defer { close(input) }
    guard let process = start(input) else { return false }
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Self.hasSucceeded(process, within: seconds)) }
    }
  }

  /// Starts it in a group of its own, so that an interrupted command does not take it along; nil where that fails.
  private func start(_ input: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    for output in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGHUP, SIGTERM, SIGPIPE, SIGTSTP, SIGCONT, SIGWINCH] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETPGROUP | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var process = pid_t()
    return posix_spawn(&process, path, &actions, &attributes, argv, envp) == 0 ? process : nil
  }

  private static func hasSucceeded(_ process: pid_t, within seconds: Double) -> Bool {
    let limit = ContinuousClock.now + .seconds(seconds)
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return status == 0 }
      if ended < 0, errno != EINTR { return false }
      guard ContinuousClock.now < limit else { break }
      usleep(2_000)
    }
    kill(process, SIGKILL)
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return false
  }

  /// The text as a file without a name: a pipe would break when the program does not read it.
  private static func file(with text: String) -> Int32? {
    let path = NSTemporaryDirectory() + "patchbay-\(UUID().uuidString)"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    unlink(path)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    do {
      try file.write(contentsOf: Data(text.utf8))
      try file.seek(toOffset: 0)
    } catch {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
