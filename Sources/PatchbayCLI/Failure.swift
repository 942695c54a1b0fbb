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
enum Failure {
  static func exit(_ error: any Error) -> Never {
    switch error {
    case let error as CommandNotRun: end(error.reason.description, status: error.reason.exitStatus)
    case let error as FilesError:
      // A line for each mistake.
      StandardError.tell(error.description)
      Foundation.exit(ExitStatus.failed)
    case let error as AttachError:
      StandardError.say(error.description)
      for program in error.programs { StandardError.tell(program.replacing("\n", with: "␊")) }
      Foundation.exit(ExitStatus.failed)
    case let error as UsageError: end(error.description, status: ExitCode.validationFailure.rawValue)
    case let error as RuntimeError where error.isUsage:
      end(error.description, status: ExitCode.validationFailure.rawValue)
    case is RuntimeError, is LaunchError, is ServerError, is HistoryError, is TerminalError,
      is FilterError,
      is StubError,
      is KeyMapError,
      is FormatError:
      end("\(error)", status: ExitStatus.failed)
    default: endParsing(error)
    }
  }

  /// What the argument parser throws: help that was asked for, a status, or wrong usage.
  private static func endParsing(_ error: any Error) -> Never {
    let status = PatchbayCommand.exitCode(for: error)
    if status == .success || error is ExitCode { PatchbayCommand.exit(withError: error) }
    guard status == .validationFailure else { end(sentence(error), status: ExitStatus.failed) }
    let text = PatchbayCommand.fullMessage(for: error)
    // Its last line names the command whose help says more.
    let help = text.firstMatch(of: /See '([^']+) --help'/).map { String($0.1) } ?? "patchbay"
    end("\(UsageError(PatchbayCommand.message(for: error), command: help))", status: status.rawValue)
  }

  /// An error of the system or of a library.
  private static func sentence(_ error: any Error) -> String {
    guard let reason = SystemCause.reason(error) else { return "\(error)" }
    if SystemCause.code(error) == EPIPE { StandardStreams.endAsReaderless() }
    return
      "A file or the output cannot be read or written (\(reason)): look whether the disk is full, or the permissions."
  }

  private static func end(_ sentence: String, status: Int32) -> Never {
    StandardError.say(sentence)
    Foundation.exit(status)
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
