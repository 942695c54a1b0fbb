import Dispatch
import Foundation
import PatchbayConsole
import PatchbayGrid
import PatchbayTerminal
import PatchbayWire

/// Runs the console on the terminal: events in, state, effects out, a frame at most every 16 ms (`FramePacer`) and only
/// when something happened. Nothing wakes it while nothing happens.
@MainActor
final class ScreenRuntime: ScreenHost {
  private(set) var state: ConsoleState
  private let terminal: any ScreenTerminal
  private(set) var input: TerminalInput?
  private let signals = SignalSources()
  private let worker: any EffectWorker
  /// Where text goes; asked with whether the terminal was sent it, and whether it takes any.
  private let clipboard: (_ byTerminal: Bool, _ hasTerminal: Bool) -> Clipboard
  private var pacer = FramePacer(now: .now)
  /// Wakes it for a frame that had to wait, and whether the person waits for that one.
  private var frameTimer: (work: DispatchWorkItem, isInput: Bool)?
  private var alarm: (at: Timestamp, work: DispatchWorkItem)?
  /// Sends the picture that the last frame wants.
  private var pictureTimer: (picture: PlacedPicture, work: DispatchWorkItem)?
  private let rest = RestWatch()
  private var ending: CheckedContinuation<Void, Never>?
  private var hasEnded = false
  /// The signal that ended it, where one did.
  private(set) var endingSignal: Int32?

  init(
    state: ConsoleState, terminal: any ScreenTerminal, worker: any EffectWorker,
    clipboard: @escaping (_ byTerminal: Bool, _ hasTerminal: Bool) -> Clipboard = {
      Clipboard(byTerminal: $0, hasTerminal: $1)
    }
  ) {
    self.state = state
    self.terminal = terminal
    self.worker = worker
    self.clipboard = clipboard
  }

  /// Shows the console until the person, a signal or the terminal's end ends it. The terminal is put back then.
  func run() async {
    input = TerminalInput(
      descriptor: terminal.keyboard,
      onEvents: { [weak self] events in self?.send(events.map(ConsoleEvent.input), isInput: true) },
      onAnswer: { [weak self] answer in
        guard let self else { return }
        terminal.answered(answer)
        if answer == .showsPictures { send(.pictures(terminal.pictureFormats)) }
      },
      onHangUp: { [weak self] in self?.end(signal: SIGHUP) })
    watchSignals()
    rest.stir()
    perform(state.start())
    perform(state.update(.pictures(terminal.pictureFormats), at: .now))
    // It may have been resized since it was opened.
    perform(state.update(.resized(terminal.updateSize()), at: .now))
    show()
    await withCheckedContinuation { continuation in
      if hasEnded { continuation.resume() } else { ending = continuation }
    }
    input?.stop()
    signals.cancelAll()
    alarm?.work.cancel()
    pictureTimer?.work.cancel()
    // A terminal that is closed and its shell both hang us up, and the command is to be ended.
    terminal.close(ignoring: [SIGHUP, SIGTERM, SIGINT])
  }

  /// Takes events in, does what they lead to, and shows it.
  ///
  /// - Parameter isInput: the person did it, and does not wait for the next frame of what comes by itself.
  func send(_ events: [ConsoleEvent], isInput: Bool = false) {
    guard !hasEnded, !events.isEmpty else { return }
    rest.stir()
    for event in events { perform(state.update(event, at: .now)) }
    scheduleFrame(isInput: isInput)
    setAlarm()
  }

  /// - Parameter signal: the one that asked for it.
  func end(signal: Int32? = nil) {
    if endingSignal == nil { endingSignal = signal }
    hasEnded = true
    ending?.resume()
    ending = nil
  }

  private func perform(_ effects: [ConsoleEffect]) {
    for effect in effects {
      switch effect {
      case .quit: end()
      case .suspend: suspend()
      case .redraw: terminal.redrawAll()
      case .copy(let text, let label): copy(text, label: label)
      default: worker.perform(effect, for: self)
      }
    }
  }

  /// To the clipboard by whatever way there is, else to a file; says which.
  func copy(_ text: String, label: String) {
    let isTaken = terminal.takesClipboard && text.utf8.count <= Terminal.clipboardLimit
    if isTaken { terminal.copy(text) }
    Task {
      let notice = await clipboard(isTaken, terminal.takesClipboard).copy(text, label: label)
      send(.notice(notice))
    }
  }

  var colorDepth: ColorDepth { terminal.colorDepth }
  var size: Size { terminal.size }

  func runExternally(_ command: [String]) async throws -> Int32 {
    try await signals.leavingTyped { try await terminal.runExternally(command, input: input) }
  }

  private func suspend() {
    _ = terminal.suspend()
    send(.resized(terminal.size))
  }

  private func watchSignals() {
    signals.on(SIGWINCH) { [weak self] in
      guard let self else { return }
      send([.resized(terminal.updateSize())], isInput: true)
      worker.screenResized(terminal.size)
    }
    for number in [SIGUSR1, SIGUSR2] {
      signals.on(number) { [weak self] in
        if let self, !worker.pass(signal: number) { end(signal: number) }
      }
    }
    for number in [SIGTERM, SIGHUP] { signals.on(number) { [weak self] in self?.end(signal: number) } }
    signals.on(SIGQUIT) { [weak self] in self?.end(signal: SIGQUIT) }
    signals.on(SIGINT) { [weak self] in self?.send([.input(.key(.control("c")))], isInput: true) }
    signals.on(SIGTSTP) { [weak self] in self?.suspend() }
    signals.on(SIGCONT) { [weak self] in
      guard let self else { return }
      terminal.continued()
      send(.resized(terminal.size))
    }
  }

  private func scheduleFrame(isInput: Bool) {
    if let frameTimer, frameTimer.isInput || !isInput { return }
    let wait = pacer.wait(isInput: isInput, now: .now)
    guard wait > .zero else { return show() }
    frameTimer?.work.cancel()
    let work = DispatchWorkItem { [weak self] in MainActor.assumeIsolated { self?.show() } }
    frameTimer = (work, isInput)
    DispatchQueue.main.asyncAfter(deadline: .now() + wait.dispatchInterval, execute: work)
  }

  private func show() {
    frameTimer?.work.cancel()
    frameTimer = nil
    guard !hasEnded, !terminal.isAway else { return }
    pacer.show(now: .now)
    let frame = state.draw()
    terminal.setMouse(frame.mouse)
    terminal.setTitle(frame.title)
    terminal.present(frame.grid)
    schedulePicture()
  }

  /// After the frame, and when the person has stayed with it for a moment: who walks down a list does not wait for
  /// megabytes that are not looked at.
  private func schedulePicture() {
    let due = terminal.duePicture
    guard due != pictureTimer?.picture else { return }
    pictureTimer?.work.cancel()
    pictureTimer = nil
    guard let due else { return }
    let work = DispatchWorkItem { [weak self] in
      MainActor.assumeIsolated {
        guard let self, !self.hasEnded else { return }
        self.pictureTimer = nil
        self.terminal.showPicture()
      }
    }
    pictureTimer = (due, work)
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(50), execute: work)
  }

  /// Wakes the state when it asked for it, and not otherwise.
  private func setAlarm() {
    guard alarm?.at != state.nextTick else { return }
    alarm?.work.cancel()
    alarm = nil
    guard let at = state.nextTick else { return }
    let work = DispatchWorkItem { [weak self] in
      MainActor.assumeIsolated {
        self?.alarm = nil
        self?.send(.tick)
      }
    }
    alarm = (at, work)
    let wait = max(0, at.microseconds - Timestamp.now.microseconds)
    DispatchQueue.main.asyncAfter(deadline: .now() + .microseconds(Int(wait)), execute: work)
  }
}

/// The terminal, as the screen uses it.
@MainActor
protocol ScreenTerminal: AnyObject {
  var keyboard: Int32 { get }
  var colorDepth: ColorDepth { get }
  var size: Size { get }
  var isAway: Bool { get }
  var takesClipboard: Bool { get }
  var pictureFormats: Set<Picture.Format> { get }
  var duePicture: PlacedPicture? { get }
  var undo: Terminal.Undo? { get }
  func present(_ grid: Grid)
  func redrawAll()
  func updateSize() -> Size
  func setMouse(_ isOn: Bool)
  func setTitle(_ title: String)
  func copy(_ text: String)
  func showPicture()
  func answered(_ answer: TerminalAnswer)
  func suspend() -> Bool
  func continued()
  func sendErrors(to path: String) throws
  func reportState(to leash: Int32)
  func close(ignoring quiet: Set<Int32>)
  func runExternally(_ command: [String], input: TerminalInput?) async throws -> Int32
}

extension Terminal: ScreenTerminal {
  func runExternally(_ command: [String], input: TerminalInput?) async throws -> Int32 {
    try await runExternally(command, environment: ProcessInfo.processInfo.environment, input: input)
  }
}

/// What works for the screen knows of it.
@MainActor
protocol ScreenHost: AnyObject, Sendable {
  var state: ConsoleState { get }
  var colorDepth: ColorDepth { get }
  var size: Size { get }
  func send(_ events: [ConsoleEvent], isInput: Bool)
  /// To the clipboard by whatever way there is, else to a file; says which.
  func copy(_ text: String, label: String)
  /// Lets another program have the terminal, and returns its status.
  func runExternally(_ command: [String]) async throws -> Int32
}

extension ScreenHost {
  func send(_ events: [ConsoleEvent]) { send(events, isInput: false) }

  func send(_ event: ConsoleEvent) { send([event]) }
}

/// Does the effects that need more than the terminal. What comes of them is sent back to the runtime.
@MainActor
protocol EffectWorker: AnyObject {
  func perform(_ effect: ConsoleEffect, for runtime: any ScreenHost)
  /// The screen has another size now.
  func screenResized(_ size: Size)
  /// A signal that means nothing to the console came. False where there is no command for which it may be.
  func pass(signal: Int32) -> Bool
}
