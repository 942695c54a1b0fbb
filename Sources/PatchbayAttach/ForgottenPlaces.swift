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

  /// The processes of such a folder; nil where it is none by its name.
  private static func processes(of name: String) -> (console: pid_t, program: pid_t)? {
    guard name.hasPrefix(prefix) else { return nil }
    let numbers = name.dropFirst(prefix.count).split(separator: "-").compactMap { pid_t($0) }
    guard numbers.count == 2, name == Self.name(console: numbers[0], program: numbers[1]) else { return nil }
    return (numbers[0], numbers[1])
  }

  /// Whether it is such a folder by its path.
  static func isPlace(_ path: String) -> Bool {
    folders.contains(Path.folder(of: path)) && processes(of: Path.name(of: path)) != nil
  }

  /// Takes away those whose two processes run no more, with what a console puts there and nothing else. A program that
  /// is numbered otherwise than it seems from here loses nothing: the next console makes the folder that it waits for again.
  ///
  /// - Parameter folder: in which such folders lie.
  static func remove(in folder: String) {
    for name in Path.names(in: folder) {
      guard let (console, program) = processes(of: name), hasEnded(console), hasEnded(program) else { continue }
      empty(Path.join(folder, name), program: program, console: console)
    }
  }

  private static func hasEnded(_ process: pid_t) -> Bool { process > 0 && kill(process, 0) != 0 && errno == ESRCH }

  /// By its descriptor, so that a link that somebody put in its place leads nowhere.
  private static func empty(_ path: String, program: pid_t, console: pid_t) {
    guard let folder = OpenFolder(path), folder.owner == geteuid() || geteuid() == 0 else { return }
    // A console that lives has it locked, whatever its number is from here.
    let lock = openat(folder.descriptor, "console.sock.lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    defer { if lock >= 0 { close(lock) } }
    guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
    let link = MeetingPlace.link(of: program)
    for file in [
      "console.sock", "console.sock.control", "console.sock.lock", link, "\(link).\(console)",
      HookLibraries.preloadName, HookLibraries.hookName,
    ] { folder.remove(file) }
    rmdir(path)
  }
}
