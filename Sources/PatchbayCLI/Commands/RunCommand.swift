import ArgumentParser
import Foundation
import PatchbayGrid
import PatchbayLaunch
import PatchbayRuntime

/// `patchbay run [--] COMMAND…`
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Start a command with all its URLSession requests hooked, and look at them.",
    discussion: """
      The command needs no change. On screen its output is on the tab Output; with --headless its standard streams are \
      its own. The exit status is the command's (128+N when signal N ended it, 125 to 127 as env(1)).

      `--` may be left out: options of ours end at the first word that is none.
      """)

  @OptionGroup var console: ConsoleArguments

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "command"),
    completion: .commands)
  var command: [String] = []
  /// The line that a shell completes.
  @Option(parsing: .unconditional, help: .hidden) var completing: String?

  func validate() throws {
    if command.isEmpty, completing == nil {
      throw ValidationError("Name the command behind the options, such as: patchbay run -- ./app --verbose")
    }
  }

  func run() async throws {
    if let completing {
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      for word in TypedLine(completing).commandWords(path: path) { print(SafeText.line(word)) }
      return
    }
    let status = try await ConsoleStart(mode: .run, options: console.options).run { bench, folders in
      try HookedCommand(words: command, plan: bench.plan, folders: folders)
    }
    try ExitCode.end(with: status)
  }
}
