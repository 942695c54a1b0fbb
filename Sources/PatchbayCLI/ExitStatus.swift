import ArgumentParser

/// The exit statuses that are Patchbay's own; see the discussion in `patchbay --help`.
enum ExitStatus {
  static let failed = ExitCode(1)
  static let broken = ExitCode(3)
  static let unacknowledged = ExitCode(4)
  /// The command line was not understood (EX_USAGE of sysexits.h).
  static let usage = ExitCode.validationFailure
}
