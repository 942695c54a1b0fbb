import CLaunch
import Foundation

/// Starts programs with the signals that a shell would give them and, of this process's descriptors, their three streams.
///
/// Foundation's `Process` gives its child also what another thread opens in that moment, and not every library opens its
/// sockets close-on-exec: who waits for the other end to be closed would wait for that program's end.
package enum ProgramStart {
  /// - Parameters:
  ///   - command: The path of the program, then its arguments.
  ///   - flags: Of `posix_spawn`, besides those of signals.
  ///   - streams: Says what its standard streams are; else it has this process's.
  package static func spawn(
    _ command: [String], environment: [String: String], flags: Int16 = 0, folder: String? = nil,
    streams: (inout posix_spawn_file_actions_t) -> Void
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var flags = flags | Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
    streams(&actions)
    launch_give_standard_streams_only(&actions, &flags)
    if let folder { patchbay_spawn_add_folder(&actions, folder) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    sigdelset(&signals, SIGKILL)
    sigdelset(&signals, SIGSTOP)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, flags)

    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var started = pid_t()
    let failure = retryWhileBusy { posix_spawn(&started, command[0], &actions, &attributes, arguments, variables) }
    guard failure == 0 else { throw PtyError.cannotStart(command[0], errno: failure) }
    return started
  }

  /// The exit status of such a program, or 128 + N by signal N; nil while it runs. It is told once: then it is reaped.
  package static func status(of process: pid_t) -> Int32? {
    var word: Int32 = 0
    guard waitpid(process, &word, WNOHANG) == process else { return nil }
    return word & 0x7F == 0 ? word >> 8 & 0xFF : 128 + (word & 0x7F)
  }
}

/// A program that this process has just written: a child that another test starts in that moment has its file open for
/// writing until it executes its own (ETXTBSY).
private func retryWhileBusy(_ start: () -> Int32) -> Int32 {
  for _ in 0..<400 {
    let failure = start()
    guard failure == ETXTBSY else { return failure }
    usleep(5_000)
  }
  return start()
}
