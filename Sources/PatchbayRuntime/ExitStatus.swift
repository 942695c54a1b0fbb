import Foundation
import PatchbayGrid

/// The exit statuses that are Patchbay's own; see the discussion in `patchbay --help`.
package enum ExitStatus {
  package static let success: Int32 = 0
  package static let failed: Int32 = 1
  /// A check (`--expect`, `--forbid`, `--expect-stubs-used`) was broken.
  package static let broken: Int32 = 3
  /// A process has not acknowledged a change in time.
  package static let unacknowledged: Int32 = 4

  /// What a shell calls the end by a signal.
  package static func signal(_ number: Int32) -> Int32 { 128 + number }

  /// Ends this process as the signal does by itself, although it was watched or a library of ours ignores it.
  package static func end(by number: Int32) -> Never {
    Foundation.signal(number, SIG_DFL)
    raise(number)
    exit(signal(number))
  }
}

/// Standard error, line by line.
package enum StandardError {
  package static let isTerminal = isatty(STDERR_FILENO) == 1

  package static func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// A sentence with our name in front. Whatever it names (a file, a process, what a server sent) does nothing to the
  /// terminal.
  package static func say(_ sentence: String) { write(line(sentence)) }

  package static func line(_ sentence: String) -> String { "patchbay: \(SafeText.line(sentence))\n" }

  /// Lines without our name, as safe.
  package static func tell(_ lines: String) { write(self.lines(lines)) }

  package static func lines(_ lines: String) -> String {
    lines.split(separator: "\n", omittingEmptySubsequences: false).map { SafeText.line($0) + "\n" }.joined()
  }
}

/// The version of this build.
package enum PatchbayVersion {
  package static let text = "0.1.0"
}
