import ArgumentParser
import PatchbayDemo
import PatchbayFiles
import PatchbayLaunch
import PatchbayTerminal

/// What `run`, `listen` and `demo` have in common: options and config to a workbench, and a face for it.
struct ConsoleStart {
  var mode: WorkbenchPlan.Mode
  var options: ConsoleOptions
  /// Stub files besides those of the options.
  var extraStubs: [String] = []

  /// Runs the console to its end and leaves with its exit status.
  ///
  /// - Parameter makeCommand: finds what `run` starts, once the socket's path is known.
  func run(
    makeCommand: ((Workbench, PrivateFolders) throws -> HookedCommand)? = nil,
    act: (@Sendable (Workbench) async throws -> Void)? = nil
  ) async throws {
    do {
      try await start(makeCommand: makeCommand, act: act)
    } catch let error as LaunchError where mode == .run {
      throw CommandNotRun(reason: error)
    }
  }

  private func start(
    makeCommand: ((Workbench, PrivateFolders) throws -> HookedCommand)?,
    act: (@Sendable (Workbench) async throws -> Void)?
  ) async throws {
    let folders = PrivateFolders()
    folders.removeForgotten()
    // A script is not to go on with half of what it asked for; a person sees what is wrong.
    let screen = options.headless ? nil : try ScreenConfig(folders: folders)
    let config = try screen?.config ?? ConfigLoading.load(folders: folders)
    if screen != nil {
      try await Terminal.check()
    } else if let theme = options.theme {
      _ = try ThemeCatalog(folders: folders).load(theme)
    }
    let bench = try Workbench(
      WorkbenchPlan(mode, options: options, config: config, folders: folders, extraStubs: extraStubs))
    let command = try makeCommand?(bench, folders)
    defer { command?.forget() }
    let status: ExitCode
    if let screen {
      status = try await ScreenSession(bench: bench, options: options, screen: screen, folders: folders)
        .run(command: command, act: act)
    } else {
      var doing: (@Sendable () async throws -> Void)?
      if let act { doing = { try await act(bench) } }
      status = try await HeadlessRun(bench: bench, options: options).run(command: command, act: doing)
    }
    if status != .success { throw status }
  }

  /// The demo: its harness beside the console and, without a screen, a stub that goes on half-way to the end that was
  /// asked for.
  func runDemo(server: DemoServer) async throws {
    let half = options.headless ? options.duration.map { $0.duration / 2 } : nil
    let port = server.port
    try await run(act: { try await Self.actDemo($0, port: port, half: half) })
    await server.stop()
  }

  /// Keeps the demo's harness running until it is cancelled.
  @Sendable
  private static func actDemo(_ bench: Workbench, port: Int, half: Duration?) async throws {
    let harness = try DemoProcess(port: port, socket: bench.plan.socket)
    defer { harness.end() }
    if let half {
      try await Task.sleep(for: half)
      try await DemoToggle.turnOn(bench)
    }
    while true { try await Task.sleep(for: .seconds(3_600)) }
  }
}
