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
