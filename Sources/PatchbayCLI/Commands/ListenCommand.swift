import ArgumentParser
import PatchbayRuntime

/// `patchbay listen`, and `patchbay` alone.
struct ListenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listen", abstract: "Wait for programs that call Patchbay.attach(), and look at their requests.")

  @OptionGroup var console: ConsoleArguments

  func run() async throws {
    try ExitCode.end(with: try await ConsoleStart(mode: .listen, options: console.options).run())
  }
}
