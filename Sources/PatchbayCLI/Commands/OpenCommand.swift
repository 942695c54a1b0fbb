import ArgumentParser
import PatchbayRuntime

/// `patchbay open FILE`
struct OpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Browse a history, HAR or JSON Lines file on screen, without a program.",
    discussion: """
      What the file is tells its content, not its name; - is standard input. It is only read. In a history made by several \
      starts of a console each start is a run: --filter run:last shows the newest, run:3 the third.
      """)

  @Argument(help: "A history, an HTTP archive (HAR), or JSON Lines.", completion: .file()) var file: String
  @Option(parsing: .unconditional, help: ArgumentHelp("Show only what fits.", valueName: "filter")) var filter: String?
  @Option(help: ArgumentHelp("A theme by name or file.", valueName: "name"), completion: .themes) var theme: String?
  @Flag(help: "Leave secrets as they are in exports from the screen.") var withSecrets = false

  func run() async throws {
    var options = ConsoleOptions()
    options.filter = filter
    options.theme = theme
    options.withSecrets = withSecrets
    try ExitCode.end(with: try await ConsoleStart(opening: file, options: options).run())
  }
}
