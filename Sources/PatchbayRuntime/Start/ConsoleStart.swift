import PatchbayFiles
import PatchbayGrid
import PatchbayLaunch
import PatchbayServer
import PatchbaySystem
import PatchbayTerminal

/// What `run`, `attach`, `listen` and `demo` have in common: options and config to a workbench, and a face for it.
package struct ConsoleStart {
  private let mode: WorkbenchPlan.Mode
  private let options: ConsoleOptions
  private let extraStubs: [String]
  private let target: AttachTarget?
  private let file: String?

  /// - Parameter extraStubs: stub files that come before those of the options.
  package init(mode: WorkbenchPlan.Mode, options: ConsoleOptions, extraStubs: [String] = []) {
    self.mode = mode
    self.options = options
    self.extraStubs = extraStubs
    target = nil
    file = nil
  }

  /// A console that attends to a program which runs.
  package init(attachingTo target: AttachTarget, options: ConsoleOptions) {
    mode = .attach
    self.options = options
    extraStubs = []
    self.target = target
    file = nil
  }

  /// A screen on a file of recorded exchanges; nothing links.
  package init(opening file: String, options: ConsoleOptions) {
    mode = .open
    self.options = options
    extraStubs = []
    target = nil
    self.file = file
  }

  /// Runs the console to its end.
  ///
  /// - Parameters:
  ///   - makeCommand: finds what `run` starts, once the socket's path is known.
  ///   - act: done while the console runs, and cancelled at its end.
  /// - Returns: the status to exit with.
  package func run(
    makeCommand: ((Workbench, PrivateFolders) throws -> HookedCommand)? = nil,
    act: (@Sendable (Workbench) async throws -> Void)? = nil
  ) async throws -> Int32 {
    do {
      return try await start(makeCommand: makeCommand, act: act)
    } catch let error as LaunchError where mode == .run {
      throw CommandNotRun(reason: error)
    }
  }

  private func start(
    makeCommand: ((Workbench, PrivateFolders) throws -> HookedCommand)?,
    act: (@Sendable (Workbench) async throws -> Void)?
  ) async throws -> Int32 {
    try checkDescriptors()
    // Whether it can be read is said even where there is no screen.
    var opened: OpenedFile?
    if let file { opened = try await OpenedFile(file) }
    // Before the screen takes its place: what is said then waits for the end.
    _ = StandardError.isTerminal
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
      WorkbenchPlan(
        mode, options: options, config: config, folders: folders, extraStubs: extraStubs, target: target),
      opened: opened)
    armCrashGuard(of: bench, folders)
    let command = try makeCommand?(bench, folders)
    defer { command?.forget() }
    if let screen {
      return try await ScreenSession(bench: bench, options: options, screen: screen, folders: folders)
        .run(command: command, target: target, act: act)
    }
    var doing: (@Sendable () async throws -> Void)?
    if let act { doing = { try await act(bench) } }
    return try await HeadlessRun(bench: bench, options: options).run(command: command, target: target, act: doing)
  }
}

extension ConsoleStart {
  /// Dispatch and NIO end the process where they get none (measured: 14 without a screen, 56 with the demo on it).
  private func checkDescriptors() throws(RuntimeError) {
    let least = options.headless ? 24 : 60
    guard !Descriptors.areFree(least) else { return }
    throw RuntimeError(
      "Only \(Descriptors.limit) files may be open (ulimit -n), and a console needs \(least) beside those that are: "
        + "start it with a higher limit, such as ulimit -n 256.")
  }

  /// Before the terminal has its own guard, which calls this one.
  private func armCrashGuard(of bench: Workbench, _ folders: PrivateFolders) {
    let log = (try? folders.state()).map { $0 + "/patchbay.log" }
    CrashGuard.arm(
      sockets: [bench.plan.socket, ServerConfiguration.controlSocket(beside: bench.plan.socket)], log: log,
      shown: SafeText.line(log ?? ""))
  }
}

/// The command of `run` was not started: the exit status is that of env(1), which no other subcommand ends with.
package struct CommandNotRun: Error {
  package var reason: LaunchError
}
