import ArgumentParser
import Foundation

/// The exit statuses that are Patchbay's own; see the discussion in `patchbay --help`.
enum ExitStatus {
  static let failed = ExitCode(1)
  static let broken = ExitCode(3)
  static let unacknowledged = ExitCode(4)
  /// The command line was not understood (EX_USAGE of sysexits.h).
  static let usage = ExitCode.validationFailure

  /// Ends this process as the signal does by itself, although it was watched or a library of ours ignores it.
  static func end(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    raise(number)
    exit(128 + number)
  }
}
