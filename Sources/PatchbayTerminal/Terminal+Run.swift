import Foundation

extension Terminal {
  /// Runs another program on the terminal, such as the person's editor, and returns its exit status (128 + N if
  /// signal N ended it). The screen is left for it and taken again afterwards; nothing else waits for it.
  ///
  /// It shares our process group, so that SIGINT and SIGQUIT typed there reach us too: ignore them while `isAway`.
  ///
  /// - Parameters:
  ///   - arguments: the program, found through `PATH`, and its arguments.
  ///   - input: is paused meanwhile, so that the keys are the program's alone.
  /// - Throws: `TerminalError.cannotRun`; the screen is ours again then.
  public func runExternally(
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
