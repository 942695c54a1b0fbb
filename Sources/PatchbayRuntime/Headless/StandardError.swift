import Foundation

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

  /// A sentence with our name in front.
  package static func say(_ sentence: String) { write("patchbay: \(sentence)\n") }
}
