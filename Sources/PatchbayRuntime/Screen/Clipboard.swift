import Foundation
import PatchbayConsole
import PatchbayLaunch
import PatchbaySystem

/// Where copied text goes beside the terminal's own clipboard.
struct Clipboard: Sendable {
  /// The terminal was sent the text (OSC 52).
  var byTerminal: Bool
  /// The terminal takes text, if it is not too long.
  var hasTerminal: Bool
  /// tmux, where the console runs in one: it hands the text to its own terminal even where it lets no sequence pass.
  var multiplexer: ClipboardProgram? = .tmux()
  var programs = ClipboardProgram.present()
  /// Where the file is written when nothing else surely takes it.
  var folder: String? = try? PrivateFolders().state()

  /// Above this many bytes some terminals drop a text in silence: 100,000 of base64 with what is around it.
  static let safeLength = 74_994

  /// Gives it to the first program that takes it; writes a file where neither that nor the terminal surely could.
  func copy(_ text: String, label: String) async -> Notice {
    var ways = byTerminal ? ["the terminal (OSC 52)"] : []
    if let multiplexer, await multiplexer.copy(text) { ways.append(multiplexer.name) }
    var isSure = text.utf8.count <= Clipboard.safeLength && !ways.isEmpty
    for program in programs where await program.copy(text) {
      ways.append(program.name)
      isSure = true
      break
    }
    let done = "Copied \(label) to the clipboard, by \(ways.joined(separator: " and "))"
    if isSure { return Notice(.good, "\(done).") }
    let reason = hasTerminal ? "too long for the terminal's clipboard" : "this terminal has no clipboard"
    do {
      let path = try write(text)
      guard ways.isEmpty else {
        return Notice(.good, "\(done), which may drop a text as long as this: it is in \(path) too.")
      }
      return Notice(.good, "Wrote \(label) to \(path): \(reason), and no wl-copy, xclip, xsel or pbcopy took it.")
    } catch {
      guard ways.isEmpty else { return Notice(.warning, "\(done), which may drop a text as long as this.") }
      return Notice(.error, "Could not copy \(label): \(reason), and no file could be written (\(error)).")
    }
  }

  private func write(_ text: String) throws -> String {
    guard let folder else { throw RuntimeError("no state folder") }
    let path = "\(folder)/copied.txt"
    try OutputFile.write(text.utf8, to: path, access: .secret)
    return path
  }
}

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
  func copy(_ text: String, seconds: Double = 2) async -> Bool {
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
