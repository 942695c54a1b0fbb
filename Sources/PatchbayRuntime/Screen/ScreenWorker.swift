import Foundation
import PatchbayConsole
import PatchbayFiles
import PatchbayGrid
import PatchbayHistory
import PatchbayInspect
import PatchbayLaunch
import PatchbayServer
import PatchbayStubs
import PatchbaySystem
import PatchbayWire

/// Does what the screen's state asks for, off the main actor where it takes time, and sends back what came of it.
@MainActor
final class ScreenWorker: EffectWorker {
  let bench: Workbench
  let feed: LiveFeed
  private let themes: ThemeCatalog
  private let settings: ViewStore
  private let output: CommandOutput
  private let kept: KeptStubsStore?
  /// What earlier consoles left and the person has not decided, the next to be offered first.
  private var found: [KeptStubs] = []
  /// Long work that is under way, by token.
  private var works: [Int: Task<Void, Never>] = [:]
  /// The search that is under way.
  var query: Task<Void, Never>?
  var previewing: Task<Void, Never>?
  var detailing: Task<Void, Never>?
  var describing: Task<Void, Never>?
  private var events: Task<Void, Never>?
  private var nextWork = 1 << 40

  init(
    bench: Workbench, feed: LiveFeed, themes: ThemeCatalog, settings: ViewStore, output: CommandOutput,
    kept: KeptStubsStore?
  ) {
    self.bench = bench
    self.feed = feed
    self.themes = themes
    self.settings = settings
    self.output = output
    self.kept = kept
  }

  /// Tells the screen what is there already and what the history has to say.
  func begin(_ runtime: any ScreenHost) {
    runtime.send([
      .board(bench.server.board, by: nil), .recorded(bench.history.count), .themes(themes.names),
      .switches(unmatched: bench.server.unmatched, holdAll: bench.server.holdAll),
    ])
    kept?.onProblem { sentence in
      Task { @MainActor [weak runtime] in runtime?.send(.notice(Notice(.error, sentence))) }
    }
    findKept(runtime)
    tellRuns(runtime)
    let history = bench.history
    events = Task { [weak runtime] in
      var saysRetired = true
      var told: [String] = []
      defer { for sentence in told { StandardError.say(sentence) } }
      for await event in history.events {
        switch event {
        // It comes when the screen has gone.
        case .lost: StandardError.say(event.description)
        // The screen's own words go with it. On a terminal they would stand on it.
        case .lostFile, .closedToOthers:
          if StandardError.isTerminal { told.append(event.description) } else { StandardError.say(event.description) }
        default: break
        }
        guard let runtime else { continue }
        if case .lostFile(_, _, let first, _) = event {
          runtime.send(.retired(exchanges: Int(clamping: first), below: first))
        }
        if case .retired(let count, _) = event {
          let oldest = try? await history.ids(from: max(0, history.count - 1), count: 1).first
          runtime.send(.retired(exchanges: count, below: oldest ?? 0))
          // It goes on with each batch that comes: once is enough.
          guard saysRetired else { continue }
          saysRetired = false
        }
        runtime.send(.notice(Notice(event == .recovered ? .good : .warning, event.description)))
      }
    }
    bench.stubFiles.onNotice = { sentence, isError in
      Task { @MainActor [weak runtime] in runtime?.send(.notice(Notice(isError ? .error : .info, sentence))) }
    }
    watchTheme(runtime.state.view.theme, runtime)
  }

  func perform(_ effect: ConsoleEffect, for runtime: any ScreenHost) {
    switch effect {
    case .runQuery(let query): run(query, runtime)
    case .loadSummaries(let ids): loadSummaries(ids, runtime)
    case .watchExchange(let id): watch(id, runtime)
    case .loadRetries(let id): loadRetries(id, runtime)
    case .fetchWithPrevious(let id, let purpose): fetchWithPrevious(id, purpose, runtime)
    case .fetch(let ids, let purpose): fetch(ids, purpose, runtime)
    case .loadTraffic(let token, let filter): loadTraffic(token, filter, runtime)
    case .loadTrafficDetail(let token, let filter): loadTrafficDetail(token, filter, runtime)
    case .loadStubDetail(let stub, let filter): loadStubDetail(stub, filter, runtime)
    case .preview(let token, let pattern): preview(token, pattern, runtime)
    case .editStubs(let edits): edit(edits, runtime)
    case .setScenario(let scenario): bench.server.setScenario(scenario, by: .person)
    case .resetCounts(let name): bench.server.resetCounts(of: name, by: .person)
    case .setHoldAll(let point): bench.server.setHoldAll(point, by: .person)
    case .setUnmatched(let unmatched): _ = bench.server.setUnmatched(unmatched, by: .person)
    case .loadStubFile(let path, let isAgain): loadStubFile(path, isAgain: isAgain, runtime)
    case .forgetStubFile(let path): forgetStubFile(path, runtime)
    case .writeStubs: writeStubs(runtime)
    case .decide(let decisions): decide(decisions, runtime)
    case .replay(let id, let request): replay(id, request, runtime)
    case .setDegree(let instance, let degree): setDegree(instance, degree, runtime)
    case .findPrograms: findPrograms(runtime)
    case .attach(let process): attach(process, runtime)
    case .copyExchange(let id, let kind): copy(id, kind, runtime)
    case .copyStubs(let stubs): runtime.copy(StubFile.copy(stubs), label: stubs.count == 1 ? "the stub" : "the stubs")
    case .export(let format, let filter): export(format, filter, runtime)
    case .playOffline(let filter): playOffline(filter, runtime)
    case .importFile(let path): importFile(path, runtime)
    case .completePath(let text, let isStubFile): completePath(text, isStubFile: isStubFile, runtime)
    case .cancelWork(let token): works[token]?.cancel()
    case .setMarked(let ids, let isOn): change(isOn ? .mark(ids) : .unmark(ids), runtime)
    case .setRemarks(let remarks): change(.remark(remarks), runtime)
    case .saveBody(let id, let side, let opens): saveBody(id, side, opens: opens, runtime)
    case .openFile(let path): openFile(path, runtime)
    case .setDeleted(let ids, let isOn): change(isOn ? .delete(ids) : .restore(ids), runtime)
    case .openEditor(let job): open(job, runtime)
    case .sendToCommand(let bytes):
      if !output.send(bytes) { runtime.send(.notice(Notice(.error, "The command takes no input any more."))) }
    case .interruptCommand: output.interrupt()
    case .saveView(let view): settings.save(view)
    case .useTheme(let name): useTheme(name, runtime)
    case .loadSwatches: loadSwatches(runtime)
    case .saveScreen: saveScreen(runtime)
    case .compare(let exchanges, let purpose): compare(exchanges, purpose, runtime)
    case .keepDraft(let draft): kept?.keep(draft: draft)
    case .dropKept(let id):
      kept?.drop(id)
      offerKept(runtime)
    case .keepAgain(let left): kept?.keepAgain(left)
    case .copy, .suspend, .redraw, .quit: break
    }
  }

  /// A body of many megabytes takes seconds to read, for which neither keys nor requests wait.
  private func findKept(_ runtime: any ScreenHost) {
    guard let kept else { return }
    let reading = Task.detached { kept.found() }
    Task { [weak runtime] in
      found = await reading.value
      if let runtime { offerKept(runtime) }
    }
  }

  private func offerKept(_ runtime: any ScreenHost) {
    if !found.isEmpty { runtime.send(.kept(found.removeFirst())) }
  }

  /// Stops long work, and returns when it has put away what it had begun: the history is needed for that.
  func stopWorks() async {
    for work in works.values { work.cancel() }
    while let work = works.values.first { await work.value }
  }

  /// Returns when all that the history had to say is told; it is to be closed before.
  func ended() async {
    themes.stopWatching()
    await events?.value
  }

  /// The command's own terminal is as large as the screen.
  func screenResized(_ size: Size) { output.resize(size) }

  func pass(signal: Int32) -> Bool { output.pass(signal: signal) }

  /// Begins long work, which has a token and which Esc stops: its task is cancelled then.
  func work(_ runtime: any ScreenHost, _ body: @escaping @MainActor (_ token: Int) async -> Void) {
    nextWork += 1
    let token = nextWork
    works[token] = Task { [weak runtime] in
      await body(token)
      works[token] = nil
      runtime?.send(.workEnded(token: token))
    }
  }

  /// Does something that may fail, and says so if it does.
  func attempt(_ runtime: any ScreenHost, _ body: @escaping @MainActor () async throws -> Void) {
    Task {
      do {
        try await body()
      } catch is CancellationError {
      } catch {
        runtime.send(.notice(Notice(.error, "\(error)")))
      }
    }
  }
}

extension ScreenWorker {
  private func useTheme(_ name: String, _ runtime: any ScreenHost) {
    show(Result { try themes.load(name) }, runtime)
    watchTheme(name, runtime)
  }

  /// Reads all themes; those with mistakes are left out.
  private func loadSwatches(_ runtime: any ScreenHost) {
    let themes = themes
    let depth = runtime.colorDepth
    Task { [weak runtime] in
      let found = await Task.detached {
        let pairs = themes.names.compactMap { name in
          (try? themes.load(name)).map { (name, $0.reduced(to: depth)) }
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
      }.value
      runtime?.send(.swatches(found))
    }
  }

  /// The theme in force is read again whenever its file is saved.
  private func watchTheme(_ name: String, _ runtime: any ScreenHost) {
    themes.watch(name) { result in
      Task { @MainActor [weak self, weak runtime] in
        guard let self, let runtime else { return }
        show(result, runtime)
      }
    }
  }

  private func show(_ result: Result<Theme, any Error>, _ runtime: any ScreenHost) {
    switch result {
    case .success(let theme): runtime.send(.theme(theme.reduced(to: runtime.colorDepth)))
    case .failure(let error): runtime.send(.notice(Notice(.error, ThemeCatalog.sentence(about: error))))
    }
  }

  /// The screen as text and SVG in the working directory, beside those that were saved there before.
  private func saveScreen(_ runtime: any ScreenHost) {
    let grid = runtime.state.draw().grid
    attempt(runtime) {
      let stem = FreePath.stem("patchbay-screen", endings: [".txt", ".svg"])
      try OutputFile.write((grid.text + "\n").utf8, to: stem + ".txt", access: .secret)
      try OutputFile.write(grid.svg().utf8, to: stem + ".svg", access: .secret)
      runtime.send(.notice(Notice(.good, "Saved the screen to \(stem).txt and \(stem).svg.")))
    }
  }
}
