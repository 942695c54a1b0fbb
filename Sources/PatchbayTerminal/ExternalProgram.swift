import CLaunch
import Foundation
import PatchbaySystem

extension Terminal {
  /// Runs another program on the terminal, such as the person's editor, and returns its exit status (128 + N if
  /// signal N ended it). The screen is left for it and taken again afterwards; nothing else waits for it.
  ///
  /// It shares our process group, so that SIGINT and SIGQUIT typed there reach us too: `SignalSources.leavingTyped`
  /// is for that.
  ///
  /// - Parameters:
  ///   - arguments: the program, found through `PATH`, and its arguments.
  ///   - input: is paused meanwhile, so that the keys are the program's alone.
  /// - Throws: `TerminalError.cannotRun`; the screen is ours again then.
  package func runExternally(
    _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment, input: TerminalInput?
  ) async throws(TerminalError) -> Int32 {
    guard let program = arguments.first else { throw .cannotRun("", reason: "no program was named") }
    input?.pause()
    leave()
    defer {
      enter()
      input?.resume()
    }
    let process = try ExternalProgram.start(arguments, environment: environment, terminal: keyboard)
    guard let status = await ExternalProgram.wait(process) else {
      throw .cannotRun(program, reason: "its end was not reported")
    }
    return status
  }
}

/// A program that gets the terminal for a while.
private enum ExternalProgram {
  /// Starts it in our process group.
  static func start(
    _ arguments: [String], environment: [String: String], terminal: Int32
  ) throws(TerminalError) -> pid_t {
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    let streams = [terminal, STDOUT_FILENO, isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : STDOUT_FILENO]
    var process = pid_t()
    let failure = launch_spawn_beside(&process, arguments[0], argv, envp, streams, 0)
    guard failure == 0 else {
      throw .cannotRun(arguments[0], reason: String(cString: strerror(failure)))
    }
    return process
  }

  /// Waits on a thread of its own; nil if there is no such child.
  static func wait(_ process: pid_t) async -> Int32? {
    await withCheckedContinuation { continuation in
      Thread.detachWithoutSignals {
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
