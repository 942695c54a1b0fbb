import CLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A small process that has a command's terminal in its hands too. As long as we live it only waits; when we are killed it
/// takes what the command writes and throws it away, so that the command goes on instead of being hung up, and ends when
/// nobody has the terminal any more.
struct Keeper {
  let process: pid_t
  private let leash: Int32

  /// nil where there is no shell to be had: then the command ends with us.
  ///
  /// - Parameter master: our end of the terminal.
  init?(master: Int32, command: pid_t) {
    var process: pid_t = 0
    var leash: Int32 = -1
    guard master >= 0, launch_keeper_start(&process, &leash, master, command) == 0 else { return nil }
    (self.process, self.leash) = (process, leash)
  }

  /// It is not needed any more. Once only.
  func end() {
    launch_keeper_end(process, leash)
  }
}
