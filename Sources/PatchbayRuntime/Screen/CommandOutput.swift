import Dispatch
import Foundation
import PatchbayConsole
import PatchbayGrid
import PatchbayLaunch
import PatchbayWire
import Synchronization

/// The output of `run`'s command: lines for the tab Output, and the last of them for the shell afterwards.
final class CommandOutput: Sendable {
  private struct State {
    var lines = OutputLines(kept: CommandOutput.kept)
    var ended: String?
    var command: PatchbayLaunch.Command?
  }

  private let state = Mutex(State())
  private let feed: LiveFeed

  /// How many lines are printed on leaving.
  private static let kept = 20

  init(feed: LiveFeed) {
    self.feed = feed
  }

  func start(_ hooked: HookedCommand, size: Size) throws(LaunchError) -> PatchbayLaunch.Command {
    let ownInput = isatty(STDIN_FILENO) == 1
    let command = try hooked.start(
      streams: .terminal(columns: size.width, rows: size.height, ownInput: ownInput),
      queue: DispatchQueue(label: "patchbay.command.output")
    ) { [weak self] in self?.take($0, name: hooked.words.first ?? "the command") }
    state.withLock { $0.command = command }
    return command
  }

  func send(_ bytes: Data) -> Bool { state.withLock { $0.command }?.send(Array(bytes)) ?? false }

  func interrupt() { state.withLock { $0.command }?.interrupt() }

  func pass(signal: Int32) -> Bool { state.withLock { $0.command }?.signal(signal) ?? false }

  func resize(_ size: Size) { state.withLock { $0.command }?.resize(columns: size.width, rows: size.height) }

  func drain() -> [ConsoleEvent] {
    state.withLock { state in
      defer { state.ended = nil }
      let output = state.lines.drain().map { [ConsoleEvent.output($0.lines, skipped: $0.skipped)] } ?? []
      return output + (state.ended.map { [.commandEnded($0)] } ?? [])
    }
  }

  func printLastLines() {
    for line in state.withLock({ $0.lines.last.suffix(Self.kept) }) { print(line.plainText) }
  }

  private func take(_ event: CommandEvent, name: String) {
    state.withLock { state in
      switch event {
      case .output(let bytes): state.lines.take(bytes)
      case .ended(let status):
        state.lines.finish()
        state.ended =
          status > 128 ? "\(name) was ended by signal \(status - 128)." : "\(name) ended with status \(status)."
      }
    }
    feed.wake()
  }
}
