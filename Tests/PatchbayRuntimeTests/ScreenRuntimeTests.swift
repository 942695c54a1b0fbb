import Foundation
import PatchbayConsole
import PatchbayGrid
import PatchbayInspect
import PatchbayTerminal
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

@MainActor private final class WorkerDouble: EffectWorker {
  var effects: [ConsoleEffect] = []
  var sizes: [Size] = []
  var signals: [Int32] = []
  var takesSignals = true

  func perform(_ effect: ConsoleEffect, for runtime: any ScreenHost) { effects.append(effect) }
  func screenResized(_ size: Size) { sizes.append(size) }
  func pass(signal: Int32) -> Bool {
    signals.append(signal)
    return takesSignals
  }
}

/// The console on a made-up terminal, from its first frame to its end. Signals are this process's, so it runs alone.
@MainActor @Suite("The screen's runtime", .alone, .bounded) final class ScreenRuntimeTests {
  private let terminal = TerminalDouble()
  private let worker = WorkerDouble()
  private var runtime: ScreenRuntime

  init() {
    let state = ConsoleState(
      size: Size(width: 90, height: 24), now: .now, setup: ConsoleSetup(mode: .listen, socket: "/s.sock"))
    runtime = ScreenRuntime(state: state, terminal: terminal, worker: worker)
  }

  /// Runs it until the body has ended, and ends it if nobody else has.
  private func running(_ body: () async throws -> Void) async throws {
    let ended = Task { await runtime.run() }
    try await until("the first frame") { !terminal.frames.isEmpty }
    do {
      try await body()
    } catch {
      runtime.end()
      await ended.value
      throw error
    }
    runtime.end()
    await ended.value
    TerminalDouble.forgetSignals()
    terminal.takeAway()
  }

  private func until(_ what: String, _ condition: () -> Bool) async throws {
    let limit = ContinuousClock.now + Patience.usual
    while !condition() {
      guard ContinuousClock.now < limit else {
        throw WaitedInVain(description: "waited in vain for \(what): \(terminal.done)")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private func notice(_ text: String) -> ConsoleEvent { .notice(Notice(.info, text)) }

  private var shows: String { terminal.frames.last ?? "" }

  @Test func itBeginsWithTheSizeThatTheTerminalHasNow() async throws {
    terminal.pictureFormats = [.jpeg]
    try await running {
      #expect(terminal.done == ["size", "mouse true", "title patchbay"])
      #expect(terminal.frames.count == 1 && runtime.state.size == terminal.found)
      #expect(shows == runtime.state.draw().grid.text)
      #expect(worker.effects.first == .runQuery(ExchangeQuery(token: 1)) || worker.effects.contains { $0.isQuery })
      #expect(runtime.size == terminal.found && runtime.colorDepth == .palette256)
    }
    #expect(terminal.taken() == ["size", "close [\(SIGHUP), \(SIGINT), \(SIGTERM)]"])
    #expect(runtime.endingSignal == nil)
  }

  @Test func keysAreTakenInAndShown() async throws {
    try await running {
      let before = shows
      terminal.type("?")
      try await until("the help") { shows != before }
      #expect(shows == runtime.state.draw().grid.text)
      terminal.type("\u{C}")
      try await until("it is drawn again") { terminal.done.contains("redraw") }
    }
  }

  @Test func whatTheTerminalSaysOfItselfIsNoKey() async throws {
    try await running {
      let frame = shows
      terminal.type("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62c")
      try await until("both answers") { terminal.done.contains("answer done") }
      #expect(terminal.taken() == ["size", "answer showsPictures", "answer done"])
      #expect(shows == frame)
    }
  }

  @Test func theEndOfTheKeyboardEndsIt() async throws {
    try await running {
      terminal.hangUp()
      try await until("the end") { terminal.done.contains { $0.hasPrefix("close") } }
    }
    #expect(runtime.endingSignal == SIGHUP)
  }

  @Test func thePersonEndsIt() async throws {
    try await running {
      terminal.type("q")
      try await until("the end") { terminal.done.contains { $0.hasPrefix("close") } }
      // Nothing is done any more.
      let (frames, effects) = (terminal.frames.count, worker.effects.count)
      runtime.send([notice("late"), .input(.key(.control("l")))], isInput: true)
      #expect(terminal.frames.count == frames && worker.effects.count == effects)
      #expect(!runtime.state.draw().grid.text.contains("late"))
    }
    #expect(runtime.endingSignal == nil)
  }

  /// It may have been ended before it runs.
  @Test func theFirstSignalThatEndsItIsItsStatus() async throws {
    runtime.end()
    #expect(runtime.endingSignal == nil)
    runtime.end(signal: SIGTERM)
    runtime.end(signal: SIGHUP)
    runtime.end()
    #expect(runtime.endingSignal == SIGTERM)
    await runtime.run()
    #expect(terminal.done.last?.hasPrefix("close") == true && terminal.frames.isEmpty)
    TerminalDouble.forgetSignals()
    terminal.takeAway()
  }

  @Test func itIsStoppedByAKeyAndGoesOn() async throws {
    try await running {
      _ = terminal.taken()
      terminal.size = Size(width: 71, height: 19)
      terminal.type("\u{1A}")
      try await until("the stop") { terminal.taken() == ["suspend"] }
      #expect(runtime.state.size == terminal.size)
      try await until("the frame") { shows == runtime.state.draw().grid.text }
    }
  }

  @Test func whileAnotherProgramHasTheTerminalNothingIsShown() async throws {
    try await running {
      terminal.isAway = true
      let frames = terminal.frames.count
      runtime.send([notice("unseen")])
      runtime.send([.input(.key(.control("l")))], isInput: true)
      #expect(terminal.frames.count == frames)
      terminal.isAway = false
      try await until("a frame") {
        runtime.send([.input(.key(.control("l")))], isInput: true)
        return hasShown("unseen")
      }
    }
  }

  private func hasShown(_ text: String) -> Bool { terminal.frames.contains { $0.contains(text) } }

  // MARK: Signals

  private var isClosed: Bool { terminal.done.contains { $0.hasPrefix("close") } }

  @Test func anotherSizeIsShownAndTold() async throws {
    try await running {
      _ = terminal.taken()
      terminal.found = Size(width: 66, height: 17)
      kill(getpid(), SIGWINCH)
      try await until("the size") { !worker.sizes.isEmpty }
      #expect(worker.sizes == [terminal.found] && runtime.state.size == terminal.found)
      #expect(terminal.taken() == ["size"])
      try await until("the frame") { shows == runtime.state.draw().grid.text }
    }
  }

  /// Where there is a command it is the command's.
  @Test(arguments: [SIGUSR1, SIGUSR2]) func aSignalThatMeansNothingHereGoesToTheCommand(_ number: Int32) async throws {
    try await running {
      kill(getpid(), number)
      try await until("the signal") { worker.signals == [number] }
      #expect(!isClosed && runtime.endingSignal == nil)
      worker.takesSignals = false
      kill(getpid(), number)
      try await until("the end") { isClosed }
    }
    #expect(worker.signals == [number, number] && runtime.endingSignal == number)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGQUIT]) func aSignalEndsIt(_ number: Int32) async throws {
    try await running {
      kill(getpid(), number)
      try await until("the end") { isClosed }
    }
    #expect(runtime.endingSignal == number && worker.signals == [])
  }

  @Test func itIsStoppedBySignalAndGoesOn() async throws {
    try await running {
      _ = terminal.taken()
      kill(getpid(), SIGTSTP)
      try await until("the stop") { terminal.done.contains("suspend") }
      #expect(terminal.taken() == ["suspend"])
      terminal.size = Size(width: 72, height: 18)
      kill(getpid(), SIGCONT)
      try await until("that it goes on") { terminal.done.contains("continued") }
      #expect(terminal.taken() == ["continued"] && runtime.state.size == terminal.size)
    }
  }

  /// What is typed then is the shell's, and signals are those of whoever listens next.
  @Test func afterItsEndItTakesNothingAnyMore() async throws {
    let ended = Task { await runtime.run() }
    try await until("the first frame") { !terminal.frames.isEmpty }
    runtime.end()
    await ended.value
    _ = terminal.taken()
    let next = SignalSources()
    let seen = SeenLock(false)
    next.on(SIGWINCH) { seen.withLock { $0 = true } }
    terminal.type("x")
    kill(getpid(), SIGWINCH)
    try await until("the signal") { seen.withLock { $0 } }
    next.cancelAll()
    #expect(terminal.taken() == [] && worker.sizes.isEmpty)
    var waiting = pollfd(fd: terminal.keyboard, events: Int16(POLLIN), revents: 0)
    let ready = poll(&waiting, 1, 0)
    #expect(ready == 1 && waiting.revents == Int16(POLLIN))
    TerminalDouble.forgetSignals()
    terminal.takeAway()
  }

  // MARK: Frames

  /// Of a burst the first is shown at once and the rest together, a moment later.
  @Test func aBurstTakesFewFrames() async throws {
    try await running {
      // What comes by itself leaves one frame to the person.
      try await Task.sleep(for: .milliseconds(100))
      let before = terminal.frames.count
      for number in 1...100 { runtime.send([notice("number \(number).")]) }
      #expect(terminal.frames.count > before)
      try await until("the last") { shows.contains("number 100.") }
      #expect(terminal.frames.count < before + 50)
      runtime.send([])
      // Whoever does something need not wait for the frame that comes.
      try await Task.sleep(for: .milliseconds(100))
      for number in 101...102 { runtime.send([notice("number \(number).")]) }
      runtime.send([.input(.key(.control("l")))], isInput: true)
      #expect(shows.contains("number 102."))
    }
  }

  /// The state is woken when it asked for it, again and again.
  @Test func whatDependsOnTimeIsShownWhenItsTimeHasCome() async throws {
    try await running {
      let summary = ExchangeSummary(.answered(1, "http://a.example/", body: Data("x".utf8)))
      runtime.send([.exchanges([ExchangeChange(summary, matches: true)], query: 1)])
      for _ in 0..<2 {
        let due = try #require(runtime.state.nextTick)
        try await until("a tick") { runtime.state.nextTick != due }
        #expect(Timestamp.now >= due)
      }
    }
  }

  @Test func aPictureIsSentWhenThePersonStaysWithIt() async throws {
    func picture(_ x: Int) -> PlacedPicture? {
      Picture(.png, Array(SamplePicture.png()), size: Size(width: 64, height: 32)).map {
        PlacedPicture($0, in: Rect(x: x, y: 1, width: 4, height: 2))
      }
    }
    @MainActor func frame() { runtime.send([.input(.key(.control("l")))], isInput: true) }
    try await running {
      _ = terminal.taken()
      @MainActor func seen() -> [String] { terminal.done.filter { $0.hasPrefix("picture") } }
      terminal.duePicture = picture(1)
      frame()
      #expect(seen().isEmpty)
      terminal.duePicture = picture(2)
      try await until("another one is due") {
        frame()
        return !seen().isEmpty
      }
      #expect(seen() == ["picture 2"], "that one was left before it was sent")
      terminal.duePicture = picture(3)
      frame()
      terminal.duePicture = nil
      frame()
      terminal.duePicture = picture(4)
      try await until("the last") {
        frame()
        return seen().last == "picture 4"
      }
      #expect(seen() == ["picture 2", "picture 4"])
    }
  }

  // MARK: Others that need the terminal

  @Test func anotherProgramHasTheKeys() async throws {
    try await running {
      let status = try await runtime.runExternally(["vi", "a"])
      #expect(status == 7)
      #expect(terminal.taken() == ["size", "run [\"vi\", \"a\"] with the keys"])
    }
  }

  @Test(
    arguments: [
      (700_000, true, true), (700_001, true, false), (3, true, true), (3, false, false),
    ] as [(Int, Bool, Bool)])
  func aCopyGoesToTheTerminalAndElsewhere(_ count: Int, _ takes: Bool, _ isSent: Bool) async throws {
    var asked: [[Bool]] = []
    let state = ConsoleState(size: Size(width: 90, height: 24), now: .now, setup: ConsoleSetup(mode: .listen))
    let folder = try TemporaryFolder()
    runtime = ScreenRuntime(state: state, terminal: terminal, worker: worker) { byTerminal, hasTerminal in
      asked.append([byTerminal, hasTerminal])
      return Clipboard(
        byTerminal: byTerminal, hasTerminal: hasTerminal, multiplexer: nil, programs: [], folder: folder.path)
    }
    terminal.takesClipboard = takes
    try await running {
      _ = terminal.taken()
      let text = String(repeating: "x", count: count)
      runtime.copy(text, label: "the URL")
      try await until("the notice") { shows.contains("the URL") }
      #expect(asked == [[isSent, takes]])
      #expect(terminal.taken() == (isSent ? ["copy \(text.prefix(20))"] : []))
    }
  }
}

extension ConsoleEffect {
  fileprivate var isQuery: Bool { if case .runQuery = self { true } else { false } }
}
