import CLaunch
import Foundation

/// Starts a program as the leader of a session of its own, with a new pseudo terminal as its controlling terminal.
package struct PtySpawn {
  /// The master's descriptor: non-blocking, close-on-exec.
  package let master: Int32
  package let process: pid_t
  /// The path of the slave, such as `/dev/pts/3`.
  package let slave: String

  package init(
    _ command: [String], environment: [String: String], columns: Int, rows: Int, folder: String?,
    redirect: [Int32: String]
  ) throws {
    var name = [CChar](repeating: 0, count: 128)
    master = patchbay_pty_open(&name, name.count, UInt16(columns), UInt16(rows))
    guard master >= 0 else { throw PtyError.cannotStart(command[0], errno: -master) }
    slave = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    _ = fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK)

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, slave, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    for (descriptor, path) in redirect {
      let flags = descriptor == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
      posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
    }
    if let folder { patchbay_spawn_add_folder(&actions, folder) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigfillset(&defaults)
    sigdelset(&defaults, SIGKILL)
    sigdelset(&defaults, SIGSTOP)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | patchbay_spawn_new_session())

    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var started = pid_t()
    let failure = posix_spawn(&started, command[0], &actions, &attributes, arguments, variables)
    guard failure == 0 else {
      close(master)
      throw PtyError.cannotStart(command[0], errno: failure)
    }
    process = started
  }
}
