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
    case let error as LaunchError: end(error.description, status: error.exitStatus)
    case let error as FilesError: end(error.description, status: 1, prefix: "")
    case is CLIError, is ServerError, is HistoryError, is TerminalError, is FilterError, is StubError, is KeyMapError:
      end("\(error)", status: 1)
    default: PatchbayCommand.exit(withError: error)
    }
  }

  private static func end(_ sentence: String, status: Int32, prefix: String = "patchbay: ") -> Never {
    let lines = sentence.split(separator: "\n", omittingEmptySubsequences: false).map { SafeText.line($0) }
    StandardError.write(prefix + lines.joined(separator: "\n") + "\n")
    Foundation.exit(status)
  }
}
