import ArgumentParser
import PatchbayStubs

/// `patchbay`: the root of the command line.
@main
struct PatchbayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patchbay",
    abstract: "See, stub, hold and edit the HTTP requests of Swift programs, live.",
    discussion: """
      Attach a program in one of two ways:
        patchbay run -- COMMAND           hooks COMMAND without a change to its code
        import Patchbay; Patchbay.attach()   in the program, with `patchbay listen` here

      Exit status: 0 done, 1 failed or nothing found, 3 an expectation was broken, 4 a process has not \
      acknowledged a change, 64 wrong usage; `run` ends with the command's own (128+N by signal N, 125 could not \
      be started, 126 not executable, 127 not found).
      """,
    version: PatchbayVersion.text,
    subcommands: [
      RunCommand.self, ListenCommand.self, DemoCommand.self, HistoryCommand.self, ExportCommand.self,
      ImportCommand.self, StubsCommand.self, LogCommand.self, HoldCommand.self,
      ThemesCommand.self, DoctorCommand.self, InstallCommand.self, DemoHarnessCommand.self,
    ],
    defaultSubcommand: ListenCommand.self)

  static func main() async {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      try checkName(arguments.first)
      var command = try parseAsRoot(ArgumentOrder.filtersLast(arguments))
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
    } catch {
      Failure.exit(error)
    }
  }

  /// The default command takes no arguments, so a first word that is no option can only be a command's name.
  private static func checkName(_ word: String?) throws {
    guard let word, !word.hasPrefix("-") else { return }
    let all = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    let names = all.filter { $0 != DemoHarnessCommand.configuration.commandName }
    guard !all.contains(word) else { return }
    let hint = NearestName.hint(for: word, among: names)
    throw ValidationError("There is no command `\(word)`\(hint.isEmpty ? "." : hint)")
  }
}
