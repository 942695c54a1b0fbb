import CLaunch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A small process that puts the terminal back when the console that has it on its screen is killed, by SIGKILL too.
package final class ScreenKeeper: Sendable {
  /// A socket on which it is told, by a line `1` or `0`, whether the screen is the console's. What is said there before the
  /// process has been started is heard too.
  package let leash: Int32
  private let process: Mutex<Process>

  private enum Process {
    /// It will read from that end of the leash.
    case toCome(leash: Int32)
    case runs(pid_t)
    case gone
  }

  /// Its leash; nil where no socket is to be had. `end()` must be called.
  package init?() {
    var ends: [Int32] = [-1, -1]
    guard launch_screen_leash(&ends) == 0 else { return nil }
    leash = ends[0]
    process = Mutex(.toCome(leash: ends[1]))
  }

  /// Once only, on any thread. False where there is no shell to be had: then the terminal stays as it is when the console
  /// is killed.
  ///
  /// - Parameters:
  ///   - undo: what is written to the terminal.
  ///   - ours: the terminal's settings as the console has made them, as `stty -g` prints them.
  ///   - found: the settings to put back.
  package func start(terminal: Int32, undo: String, ours: String, found: String) -> Bool {
    process.withLock { process in
      guard case .toCome(let end) = process else { return false }
      var started: pid_t = 0
      let hasStarted = launch_screen_keeper_start(&started, end, terminal, undo, ours, found) == 0
      close(end)
      process = hasStarted ? .runs(started) : .gone
      return hasStarted
    }
  }

  /// It is not needed any more. Once only, when nobody speaks on the leash.
  package func end() {
    let ended = process.withLock { process in
      defer { process = .gone }
      return process
    }
    switch ended {
    case .toCome(let end):
      close(end)
      close(leash)
    case .runs(let process): launch_keeper_end(process, leash)
    case .gone: close(leash)
    }
  }
}
