import CLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A small process that puts the terminal back when the console that has it on its screen is killed, by SIGKILL too.
package struct ScreenKeeper: Sendable {
  /// A socket on which it is told, by a line `1` or `0`, whether the screen is the console's.
  package let leash: Int32
  private let process: pid_t

  /// nil where there is no shell to be had: then the terminal stays as it is when the console is killed.
  ///
  /// - Parameters:
  ///   - undo: what is written to the terminal.
  ///   - ours: the terminal's settings as the console has made them, as `stty -g` prints them.
  ///   - found: the settings to put back.
  package init?(terminal: Int32, undo: String, ours: String, found: String) {
    var process: pid_t = 0
    var leash: Int32 = -1
    guard launch_screen_keeper_start(&process, &leash, terminal, undo, ours, found) == 0 else { return nil }
    (self.process, self.leash) = (process, leash)
  }

  /// It is not needed any more. Once only.
  package func end() { launch_keeper_end(process, leash) }
}
