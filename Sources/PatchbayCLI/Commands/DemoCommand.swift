import ArgumentParser
import PatchbayDemo
import PatchbayLaunch

/// `patchbay demo`
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Try Patchbay on a program of its own that talks to a server on loopback.")

  @OptionGroup var options: ConsoleOptions

  func run() async throws {
    let server = try await DemoServer.start()
    let stubs = try DemoStubFile(folders: PrivateFolders())
    defer { stubs.remove() }
    let start = ConsoleStart(mode: .demo, options: options, extraStubs: options.stubs.isEmpty ? [stubs.path] : [])
    try await start.runDemo(server: server)
  }
}

/// `patchbay demo-harness`: the demo's other process.
struct DemoHarnessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "demo-harness", shouldDisplay: false)

  @Option var port: Int

  func run() async throws {
    DemoHarness.attach()
    ParentWatch.exitAtEndOfInput()
    await DemoHarness(port: port).run()
  }
}
