import ArgumentParser
import PatchbayLaunch
import PatchbayRuntime

/// `patchbay run -- COMMAND…`
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Start a command with all its URLSession requests hooked, and look at them.",
    discussion: """
      The command needs no change. On screen its output is on the tab Output; with --headless its standard streams are \
      its own. The exit status is the command's (128+N when signal N ended it, 125 to 127 as env(1)).
      """)

  @OptionGroup var console: ConsoleArguments

  @Argument(
    parsing: .postTerminator, help: ArgumentHelp("The command and its arguments.", valueName: "command"),
    completion: .file())
  var command: [String] = []

  func validate() throws {
    if command.isEmpty { throw ValidationError("Name the command behind --, such as: patchbay run -- ./app --verbose") }
  }

  func run() async throws {
    let status = try await ConsoleStart(mode: .run, options: console.options).run { bench, folders in
      try HookedCommand(words: command, plan: bench.plan, folders: folders)
    }
    try ExitCode.end(with: status)
  }
}
