import ArgumentParser
import PatchbayDemo
import PatchbayLaunch
import PatchbayRuntime

/// `patchbay demo`
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Try Patchbay on a program of its own that talks to a server on loopback.")

  @OptionGroup var console: ConsoleArguments

  func run() async throws {
    let options = console.options
    let server = try await DemoServer.start()
    let stubs = try DemoStubFile(folders: PrivateFolders())
    defer { stubs.remove() }
    // Without a screen, a stub goes on half-way to the end that was asked for.
    let half = options.headless ? options.duration.map { $0 / 2 } : nil
    let port = server.port
    let start = ConsoleStart(mode: .demo, options: options, extraStubs: options.stubs.isEmpty ? [stubs.path] : [])
    let status = try await start.run(act: { try await Self.act($0, port: port, half: half) })
    await server.stop()
    try ExitCode.end(with: status)
  }

  /// Keeps the demo's harness running until it is cancelled.
  @Sendable
  private static func act(_ bench: Workbench, port: Int, half: Duration?) async throws {
    let harness = try DemoProcess(port: port, socket: bench.plan.socket)
    defer { harness.end() }
    if let half {
      try await Task.sleep(for: half)
      try await DemoToggle.turnOn(bench)
    }
    while true { try await Task.sleep(for: .seconds(3_600)) }
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
