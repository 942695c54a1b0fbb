import Foundation
import PatchbayRuntime

/// A signal that was to end long work (Ctrl-C, `kill`, the end of the terminal), when the work has put away its tools.
struct Interruption: Sendable {
  let signal: Int32

  /// Does the work; one of the signals cancels its task, which may end by that or not.
  ///
  /// - Returns: what came of it, and the signal if one came.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async -> (result: Result<Value, any Error>, interruption: Interruption?) {
    let end = EndCondition()
    end.watch(signals: [SIGINT, SIGTERM, SIGHUP])
    let working = Task { try await work() }
    let watching = Task { () -> Interruption? in
      guard case .signal(let number) = await end.wait() else { return nil }
      working.cancel()
      return Interruption(signal: number)
    }
    let result = await working.result
    end.end(.commandEnded)
    return (result, await watching.value)
  }

  /// Ends this process as the signal would have done.
  func end() -> Never { ExitStatus.end(by: signal) }
}
