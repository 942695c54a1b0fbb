import ArgumentParser
import Foundation
import PatchbayAttach
import PatchbayConsole
import PatchbayFiles
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayRuntime
import PatchbayServer
import PatchbayStubs
import PatchbayTerminal

/// How an error ends the program: one sentence on standard error, and the exit status that fits.
struct Failure: Equatable {
  /// Whole lines for standard error.
  var text: String
  var status: Int32

  static func exit(_ error: any Error) -> Never {
    if SystemCause.code(error) == EPIPE { StandardStreams.endAsReaderless() }
    guard let failure = Failure(error) else { PatchbayCommand.exit(withError: error) }
    StandardError.write(failure.text)
    Foundation.exit(failure.status)
  }

  init(text: String, status: Int32) {
    self.text = text
    self.status = status
  }

  private init(_ sentence: String, status: Int32) {
    self.init(text: StandardError.line(sentence), status: status)
  }

  /// - Returns: nil where it is none: help that was asked for, or a status alone.
  init?(_ error: any Error) {
    switch error {
    case let error as CommandNotRun: self.init(error.reason.description, status: error.reason.exitStatus)
    case let error as FilesError:
      // A line for each mistake.
      self.init(text: StandardError.lines(error.description), status: ExitStatus.failed)
    case let error as AttachError:
      let programs = error.programs.map { StandardError.lines($0.replacing("\n", with: "␊")) }
      self.init(text: StandardError.line(error.description) + programs.joined(), status: ExitStatus.failed)
    case let error as UsageError: self.init(error.description, status: ExitCode.validationFailure.rawValue)
    case let error as RuntimeError where error.isUsage:
      self.init(error.description, status: ExitCode.validationFailure.rawValue)
    case is RuntimeError, is LaunchError, is ServerError, is HistoryError, is TerminalError,
      is FilterError,
      is StubError,
      is KeyMapError,
      is FormatError:
      self.init("\(error)", status: ExitStatus.failed)
    default: self.init(parsing: error)
    }
  }

  /// What the argument parser throws: help that was asked for, a status, or wrong usage.
  private init?(parsing error: any Error) {
    let status = PatchbayCommand.exitCode(for: error)
    if status == .success || error is ExitCode { return nil }
    guard status == .validationFailure else {
      self.init(Self.sentence(error), status: ExitStatus.failed)
      return
    }
    let text = PatchbayCommand.fullMessage(for: error)
    // Its last line names the command whose help says more.
    let help = text.firstMatch(of: /See '([^']+) --help'/).map { String($0.1) } ?? "patchbay"
    self.init("\(UsageError(PatchbayCommand.message(for: error), command: help))", status: status.rawValue)
  }

  /// An error of the system or of a library.
  private static func sentence(_ error: any Error) -> String {
    guard let reason = SystemCause.reason(error) else { return "\(error)" }
    return
      "A file or the output cannot be read or written (\(reason)): look whether the disk is full, or the permissions."
  }
}

/// The command line was not understood: what is wrong with it, and whose help says more.
struct UsageError: Error, CustomStringConvertible, LocalizedError {
  var description: String

  /// - Parameter command: such as `patchbay run`.
  init(_ problem: String, command: String) {
    let problem = Self.oneLine(problem)
    let end = problem.last.map { ".?!".contains($0) } == true ? "" : "."
    description = "\(problem)\(end) See `\(command) --help`."
  }

  var errorDescription: String? { description }

  /// The parser gives choices a line each, behind a sentence of their own.
  private static func oneLine(_ problem: String) -> String {
    let lines = problem.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let choices = lines.filter { $0.hasPrefix("- ") }.map { $0.dropFirst(2) }.joined(separator: ", ")
    return lines.filter { !$0.hasPrefix("- ") }.joined(separator: " ")
      .replacing(". Please provide one of the following:", with: ": choose one of \(choices)")
  }
}
