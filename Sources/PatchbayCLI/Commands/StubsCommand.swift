import ArgumentParser

/// `patchbay stubs …`
struct StubsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stubs", abstract: "Check stub files, and see and change the stubs of a running console.",
    subcommands: [
      StubsCheckCommand.self, StubsListCommand.self, StubsAddCommand.self, StubsEnableCommand.self,
      StubsDisableCommand.self, StubsRemoveCommand.self, StubsResetCommand.self, StubsExplainCommand.self,
      StubsSchemaCommand.self,
    ])
}
