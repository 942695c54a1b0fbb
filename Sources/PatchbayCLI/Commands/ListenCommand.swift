import ArgumentParser

/// `patchbay listen`, and `patchbay` alone.
struct ListenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listen", abstract: "Wait for programs that call Patchbay.attach(), and look at their requests.")

  @OptionGroup var options: ConsoleOptions

  func run() async throws {
    try await ConsoleStart(mode: .listen, options: options).run()
  }
}
