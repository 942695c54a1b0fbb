import Foundation

/// A program that gets the terminal for a while.
enum ExternalProgram {
  /// Starts it in our process group, with default signals and none blocked: ignored ones would survive the exec.
  static func start(
    _ arguments: [String], environment: [String: String], terminal: Int32
  ) throws(TerminalError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if terminal != STDIN_FILENO { posix_spawn_file_actions_adddup2(&actions, terminal, STDIN_FILENO) }
    if isatty(STDERR_FILENO) != 1 { posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    sigdelset(&signals, SIGKILL)
    sigdelset(&signals, SIGSTOP)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var process = pid_t()
    let failure = posix_spawnp(&process, arguments[0], &actions, &attributes, argv, envp)
    guard failure == 0 else {
      throw .cannotRun(arguments[0], reason: String(cString: strerror(failure)))
    }
    return process
  }

  /// Waits on a thread of its own; nil if there is no such child.
  static func wait(_ process: pid_t) async -> Int32? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
          if errno != EINTR { return continuation.resume(returning: nil) }
        }
        let signal = status & 0x7F
        continuation.resume(returning: signal == 0 ? status >> 8 & 0xFF : 128 + signal)
      }
    }
  }
}
