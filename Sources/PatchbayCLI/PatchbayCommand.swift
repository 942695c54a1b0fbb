import ArgumentParser
import PatchbayRuntime

/// `patchbay`: the root of the command line.
///
/// To add a command, write its file in `Commands` and name it in `subcommands`: help, completions and the check of
/// misspelt names read that list. An option of `run`, `listen` and `demo` is a property of `ConsoleArguments` (its help)
/// and of `ConsoleOptions` (its value).
@main
struct PatchbayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patchbay",
    abstract: "See, stub, hold and edit the HTTP requests of Swift programs, live.",
    discussion: """
      Attach a program in one of three ways:
        patchbay run COMMAND                 hooks COMMAND, its code unchanged
        patchbay attach PID                  hooks a program that runs already
        import Patchbay; Patchbay.attach()   in the program, and `patchbay` here

      Exit status:
        0      done
        1      failed, or found nothing (`history --exit-status`)
        3      a check (--expect, --forbid, --expect-stubs-used) was broken, whatever the command's status
        4      a process has not acknowledged a change within 2 s
        64     wrong usage
        128+N  ended by signal N
      `run` ends with the command's own status (128+N when signal N ended it):
        0      with checks that held, --for or --until-idle ended it
        125    it could not be started
        126    it is not executable, or nothing can be hooked in it
        127    it was not found
      """,
    version: PatchbayVersion.text,
    subcommands: [
      RunCommand.self, AttachCommand.self, DetachCommand.self, OpenCommand.self, ListenCommand.self,
      DemoCommand.self,
      HistoryCommand.self, ExportCommand.self,
      ImportCommand.self, StubsCommand.self, LogCommand.self, HoldCommand.self,
      FaultsCommand.self, SchemaCommand.self, ThemesCommand.self, DoctorCommand.self, InstallCommand.self,
      UninstallCommand.self, DemoHarnessCommand.self,
    ],
    defaultSubcommand: ListenCommand.self)

  static func main() async {
    StandardStreams.fill()
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if let help = try HelpRequest.text(arguments, columns: TerminalWidth.output) {
        try help.show()
        return try StandardStreams.finishOutput()
      }
      if let script = CompletionScript.asked(arguments) {
        print(script)
        return try StandardStreams.finishOutput()
      }
      var command = try command(of: arguments)
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
      try StandardStreams.finishOutput()
    } catch {
      Failure.exit(error)
    }
  }
}

extension PatchbayCommand {
  /// What the words behind the program's name ask for.
  ///
  /// - Throws: what is wrong with them, or the parser's own answer, such as its version.
  static func command(of arguments: [String]) throws -> any ParsableCommand {
    try CommandNames.check(arguments)
    let root: any ParsableCommand.Type = ArgumentOrder.asksTheParser(arguments) ? Self.self : Root.self
    return try root.parseAsRoot(ArgumentOrder.arranged(arguments))
  }

  /// The same without a default command, which ``ArgumentOrder`` names instead. The parser would ask it for all its options
  /// at each word of a line: of a build for debugging, which checks them too, `run -- true` took 0.10 s and takes 0.07.
  private struct Root: ParsableCommand {
    static let configuration: CommandConfiguration = {
      var configuration = PatchbayCommand.configuration
      configuration.defaultSubcommand = nil
      return configuration
    }()
  }
}

extension ExitCode {
  /// Ends a command with that status, which need not be one of success.
  static func end(with status: Int32) throws(ExitCode) {
    if status != ExitStatus.success { throw ExitCode(status) }
  }
}
