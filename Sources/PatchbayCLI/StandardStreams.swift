import Foundation
import PatchbayRuntime

/// The three standard streams of this process.
enum StandardStreams {
  /// Takes the places of streams that are closed, so that no socket or file gets their numbers and is written to as if
  /// it were one. What is started does not inherit the substitutes, and writing to them fails as before.
  static func fill() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number, which is this one.
      _ = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
    }
  }

  /// Ends this process as the system does where nobody reads its output any more: silently.
  static func endAsReaderless() -> Never { ExitStatus.end(by: SIGPIPE) }

  /// Hands on what `print` still has.
  ///
  /// - Throws: a sentence when some of the output could not be written.
  static func finishOutput() throws {
    errno = 0
    let isFlushed = fflush(nil) == 0
    guard !isFlushed else { return }
    if errno == EPIPE { endAsReaderless() }
    throw RuntimeError(
      "The output cannot be written (\(String(cString: strerror(errno)))): look whether the disk is full or the stream is "
        + "closed.")
  }
}

/// A signal that was to end long work (Ctrl-C, `kill`, the end of the terminal), when the work has put away its tools.
struct EndSignal: Sendable {
  let signal: Int32

  /// Does the work; one of the signals cancels its task, which may end by that or not.
  ///
  /// - Returns: what came of it, and the signal if one came.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async -> (result: Result<Value, any Error>, signal: EndSignal?) {
    let end = EndCondition()
    end.watch(signals: [SIGINT, SIGTERM, SIGHUP])
    let working = Task { try await work() }
    let watching = Task { () -> EndSignal? in
      guard case .signal(let number) = await end.wait() else { return nil }
      working.cancel()
      return EndSignal(signal: number)
    }
    let result = await working.result
    end.end(.commandEnded)
    return (result, await watching.value)
  }

  /// Ends this process as the signal would have done.
  func end() -> Never { ExitStatus.end(by: signal) }
}
