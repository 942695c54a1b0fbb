import PatchbayLaunch
import PatchbaySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The folders that consoles make for programs which see other files than they do, or are another user's
/// (`MeetingPlace`): named after both processes, and left where the console was killed, or where the program waited in it
/// for the next one until it ended.
enum ForgottenPlaces {
  static let folders = ["/tmp", "/dev/shm", "/var/tmp"]
  private static let prefix = "patchbay-attach-"

  static func name(console: pid_t, program: pid_t) -> String { "\(prefix)\(console)-\(program)" }

  /// Takes away those whose two processes run no more, with what a console puts there and nothing else. A program that
  /// is numbered otherwise than it seems from here loses nothing: the next console makes the folder that it waits for again.
  ///
  /// - Parameter folder: in which such folders lie.
  static func remove(in folder: String) {
    for name in Path.names(in: folder) where name.hasPrefix(prefix) {
      let numbers = name.dropFirst(prefix.count).split(separator: "-").compactMap { pid_t($0) }
      guard numbers.count == 2, name == Self.name(console: numbers[0], program: numbers[1]),
        numbers.allSatisfy(hasEnded)
      else { continue }
      empty(Path.join(folder, name), program: numbers[1], console: numbers[0])
    }
  }

  private static func hasEnded(_ process: pid_t) -> Bool { process > 0 && kill(process, 0) != 0 && errno == ESRCH }

  /// By its descriptor, so that a link that somebody put in its place leads nowhere.
  private static func empty(_ path: String, program: pid_t, console: pid_t) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    var facts = stat()
    guard fstat(folder, &facts) == 0, facts.st_uid == geteuid() || geteuid() == 0 else { return }
    // A console that lives has it locked, whatever its number is from here.
    let lock = openat(folder, "console.sock.lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    defer { if lock >= 0 { close(lock) } }
    guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
    let link = MeetingPlace.link(of: program)
    for file in [
      "console.sock", "console.sock.control", "console.sock.lock", link, "\(link).\(console)",
      HookLibraries.preloadName, HookLibraries.hookName,
    ] { unlinkat(folder, file, 0) }
    rmdir(path)
  }
}
