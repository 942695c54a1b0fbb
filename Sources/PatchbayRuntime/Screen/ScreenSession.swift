import Dispatch
import Foundation
import PatchbayConsole
import PatchbayGrid
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayServer
import PatchbayTerminal
import PatchbayWire

/// A console on the terminal, from its start to its exit status.
struct ScreenSession {
  let bench: Workbench
  let options: ConsoleOptions
  let screen: ScreenConfig
  let folders: PrivateFolders
  /// Another one in tests.
  var openTerminal: @MainActor (TerminalOptions) throws -> any ScreenTerminal = { try Terminal($0) }

  private var terminalOptions: TerminalOptions {
    var wanted = TerminalOptions(environment: ProcessInfo.processInfo.environment)
    wanted.usesMouse = screen.config.mouse ?? true
    wanted.showsPictures = true
    return wanted
  }

  /// What can go wrong goes wrong before the screen opens, so that the sentence about it is all that is seen.
  @MainActor
  func run(
    command: HookedCommand?, target: AttachTarget?, act: (@Sendable (Workbench) async throws -> Void)?
  ) async throws -> Int32 {
    FreeMemory.mapLargePieces()
    let watch = try RunWatch(bench, options: options, isOutputFree: false)
    let feed = LiveFeed()
    feed.subscribe(to: bench.server.events)
    command?.watch(bench.server.events)
    let kept = keptStubs()
    if let store = kept.store {
      bench.server.events.subscribe { $0.forEach(store.received) }
      bench.server.beforeInForce { store.keep($0) }
    }
    let themes = ThemeCatalog(folders: folders)
    let settings = ViewStore(folders: folders)
    let view = settings.load(options: options, config: screen.config)
    let (theme, problem) = try theme(view.theme, of: themes)
    let output = CommandOutput(feed: feed)
    try await bench.start()
    let terminal: any ScreenTerminal
    var attached: String?
    do {
      if let target { attached = try await bench.guests.attach(target, to: bench.server) }
      terminal = try openTerminal(terminalOptions)
    } catch {
      await bench.stop()
      throw error
    }
    try? terminal.sendErrors(to: folders.state() + "/patchbay.log")
    let keeper = ScreenKeeping(terminal)
    let worker = ScreenWorker(
      bench: bench, feed: feed, themes: themes, settings: settings, output: output, kept: kept.store)
    let state = ConsoleState(
      size: terminal.size, now: .now, setup: setup(command, target), theme: theme.reduced(to: terminal.colorDepth),
      keys: screen.keys, view: view)
    let runtime = ScreenRuntime(state: state, terminal: terminal, worker: worker)
    feed.connect(runtime, output: output)
    command?.whenUnreached { sentence in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { runtime.send(.notice(Notice(.warning, sentence))) }
      }
    }
    var running: PatchbayLaunch.Command?
    do {
      running = try command.map { try output.start($0, size: terminal.size) }
    } catch {
      terminal.close(ignoring: [])
      keeper.end()
      await bench.stop()
      throw error
    }
    let acting = act.map { act in Task { [bench] in try await act(bench) } }
    for notice in bench.notices + (command?.cautions ?? []) + [kept.problem, problem, screen.notice].compactMap(\.self)
    {
      runtime.send(.notice(Notice(.warning, notice)))
    }
    if let attached { runtime.send(.notice(Notice(.good, attached))) }
    bench.guests.whenGone { sentence in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { runtime.send(.notice(Notice(.warning, sentence))) }
      }
    }
    worker.begin(runtime)
    StartUpPages.giveBackSoon()
    let end = EndCondition()
    watch.arm(end)
    let ending = Task {
      let reason = await end.wait()
      runtime.end()
      return reason
    }
    await runtime.run()
    keeper.end()
    kept.store?.end(forgetting: bench.plan.mode == .demo)
    end.end(.commandEnded)
    let reason = await ending.value
    acting?.cancel()
    try? await acting?.value
    await running?.end()
    await worker.stopWorks()
    output.printLastLines()
    let own = (await running?.wait()).map { reason.excuses($0, of: options) ? ExitStatus.success : $0 }
    let status = own ?? runtime.endingSignal.map(ExitStatus.signal) ?? ExitStatus.success
    let result = try await watch.finish(command, status: status)
    await worker.ended()
    return result
  }

  /// The theme that was chosen; the built-in one, and why, where that of an earlier session cannot be read.
  ///
  /// - Throws: why one that was named on the command line cannot be read.
  private func theme(_ name: String, of themes: ThemeCatalog) throws -> (theme: Theme, problem: String?) {
    if options.theme == nil, let configured = screen.theme { return (configured, nil) }
    do { return (try themes.load(name), nil) } catch {
      guard options.theme == nil else { throw error }
      return (.builtIn, ThemeCatalog.sentence(about: error))
    }
  }

  /// What is changed on screen is kept for consoles in the same folder with the same stub files.
  private func keptStubs() -> (store: KeptStubsStore?, problem: String?) {
    let mode = bench.plan.mode
    if mode == .open { return (nil, nil) }
    let files = mode == .demo ? [] : bench.plan.stubFiles.map(AbsolutePath.of)
    let place = ([FileManager.default.currentDirectoryPath, mode == .demo ? "demo" : "stubs"] + files)
      .joined(separator: "\n")
    do {
      return (try KeptStubsStore(folder: folders.state(), place: place), nil)
    } catch {
      return (nil, "\(error)")
    }
  }

  /// What the list begins with. A program's requests are to be seen, not those of yesterday: where there are any, the
  /// present run is shown, unless a filter speaks of runs itself.
  private var startingFilter: String {
    let own = options.filter == nil ? screen.config.filter ?? "" : bench.plan.filter.text
    guard [.run, .demo, .attach].contains(bench.plan.mode), bench.history.count > 0, options.filter == nil else {
      return own
    }
    return Filter.ofLastRun(and: own)
  }

  private func setup(_ command: HookedCommand?, _ target: AttachTarget?) -> ConsoleSetup {
    let mode: ConsoleSetup.Mode =
      switch bench.plan.mode {
      case .run: .run(command: command?.words.joined(separator: " ") ?? "")
      case .attach: .attach(program: target?.title ?? "")
      case .listen: .listen
      case .demo: .demo
      case .open: .open(file: bench.opened?.name ?? "")
      }
    return ConsoleSetup(
      mode: mode, socket: bench.plan.socket, utcOffset: TimeZone.current.secondsFromGMT(),
      filter: startingFilter,
      withSecrets: bench.plan.withSecrets)
  }
}

/// The keeper of the screen while there is one. It is started beside the first frame, which does not wait for it; what it is
/// told meanwhile waits for it.
@MainActor
private final class ScreenKeeping {
  private let terminal: any ScreenTerminal
  private var keeper: ScreenKeeper?

  init(_ terminal: any ScreenTerminal) {
    self.terminal = terminal
    guard let undo = terminal.undo, let keeper = ScreenKeeper() else { return }
    self.keeper = keeper
    terminal.reportState(to: keeper.leash)
    DispatchQueue.global(qos: .userInitiated).async {
      _ = keeper.start(terminal: undo.terminal, undo: undo.bytes, ours: undo.ours, found: undo.found)
    }
  }

  /// The terminal has been put back.
  func end() {
    terminal.reportState(to: -1)
    keeper?.end()
    keeper = nil
  }
}

/// Code that only the start needed: of sixty libraries some 30 MB are mapped by then, and little of it runs again.
enum StartUpPages {
  /// Lets go of it once, when the first frame has long been seen. What is needed again comes back from the page cache.
  static func giveBackSoon() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 1) { giveBack() }
  }

  private static func giveBack() {
    // Foundation reads such a file once, which gives its first page only.
    for code in untouched(FileBytes.text("/proc/self/smaps", atMost: 4 << 20) ?? "") {
      madvise(UnsafeMutableRawPointer(bitPattern: code.lowerBound), code.count, MADV_DONTNEED)
    }
  }

  /// Where code lies that was never written to, in the words of `smaps` (proc(5)): those pages are the file's own, and
  /// nothing can be lost.
  static func untouched(_ maps: String) -> [Range<UInt>] {
    var found: [Range<UInt>] = []
    var code: Range<UInt>?
    for line in maps.split(separator: "\n") {
      if let range = range(line) {
        code = line.contains(" r-xp ") && line.contains("/") ? range : nil
      } else if line.hasPrefix("Anonymous:"), let range = code {
        code = nil
        if line.contains(" 0 kB") { found.append(range) }
      }
    }
    return found
  }

  /// The addresses of a mapping's first line, such as `7f00-8f00 r-xp …`.
  private static func range(_ line: Substring) -> Range<UInt>? {
    let ends = line.prefix { $0 != " " }.split(separator: "-")
    guard ends.count == 2, let start = UInt(ends[0], radix: 16), let end = UInt(ends[1], radix: 16), start < end else {
      return nil
    }
    return start..<end
  }
}
