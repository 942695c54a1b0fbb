import ArgumentParser
import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayGrid
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayServer
import PatchbayStubs
import PatchbayTerminal

/// How an error ends the program: one sentence on standard error, and the exit status that fits.
enum Failure {
  static func exit(_ error: any Error) -> Never {
    switch error {
    case let error as CommandNotRun: end(error.reason.description, status: error.reason.exitStatus)
    case let error as FilesError: end(error.description, status: 1, prefix: "")
    case let error as UsageError: end(error.description, status: ExitStatus.usage.rawValue)
    case is CLIError, is LaunchError, is ServerError, is HistoryError, is TerminalError, is FilterError, is StubError,
      is KeyMapError,
      is FormatError:
      end("\(error)", status: 1)
    default: endParsing(error)
    }
  }

  /// What the argument parser throws: help that was asked for, a status, or wrong usage.
  private static func endParsing(_ error: any Error) -> Never {
    let status = PatchbayCommand.exitCode(for: error)
    if status == .success || error is ExitCode { PatchbayCommand.exit(withError: error) }
    guard status == .validationFailure else { end(sentence(error), status: 1) }
    let text = PatchbayCommand.fullMessage(for: error)
    // Its last line names the command whose help says more.
    let help = text.firstMatch(of: /See '([^']+) --help'/).map { String($0.1) } ?? "patchbay"
    end("\(UsageError(PatchbayCommand.message(for: error), command: help))", status: status.rawValue)
  }

  /// An error of the system or of a library.
  private static func sentence(_ error: any Error) -> String {
    guard let cause = cause(error as NSError) else { return "\(error)" }
    if cause.code == Int(EPIPE) { StandardStreams.endAsReaderless() }
    let reason = String(cString: strerror(Int32(truncatingIfNeeded: cause.code)))
    return
      "A file or the output cannot be read or written (\(reason)): look whether the disk is full, or the permissions."
  }

  /// What the system said, where the error is the system's; nil for our own.
  static func reason(_ error: any Error) -> String? {
    cause(error as NSError).map { String(cString: strerror(Int32(truncatingIfNeeded: $0.code))) }
  }

  /// The error of the system behind it.
  private static func cause(_ error: NSError) -> NSError? {
    if error.domain == NSPOSIXErrorDomain { return error }
    return (error.userInfo[NSUnderlyingErrorKey] as? NSError).flatMap(cause)
  }

  private static func end(_ sentence: String, status: Int32, prefix: String = "patchbay: ") -> Never {
    let lines = sentence.split(separator: "\n", omittingEmptySubsequences: false).map { SafeText.line($0) }
    StandardError.write(prefix + lines.joined(separator: "\n") + "\n")
    Foundation.exit(status)
  }
}
