import Dispatch
import Foundation
import PatchbayConsole
import PatchbayGrid
import PatchbayLaunch
import PatchbayWire
import Synchronization

/// The output of `run`'s command: lines for the tab Output, and the last of them for the shell afterwards.
final class CommandOutput: Sendable {
  fileprivate struct Lines {
    var partial: [UInt8] = []
    var fresh: [OutputLine] = []
    var last: [String] = []
    var ended: String?
    var command: PatchbayLaunch.Command?
  }

  private let lines = Mutex(Lines())
  private let relay: MainRelay

  /// A line longer than this is cut in two.
  private static let longest = 16_384
  /// How many lines are printed on leaving.
  private static let kept = 20

  init(relay: MainRelay) {
    self.relay = relay
  }

  func start(_ hooked: HookedCommand, size: Size) throws(LaunchError) -> PatchbayLaunch.Command {
    let ownInput = isatty(STDIN_FILENO) == 1
    let command = try hooked.start(
      streams: .terminal(columns: size.width, rows: size.height, ownInput: ownInput),
      queue: DispatchQueue(label: "patchbay.command.output")
    ) { [weak self] in self?.take($0, name: hooked.words.first ?? "the command") }
    lines.withLock { $0.command = command }
    return command
  }

  func send(_ bytes: Data) -> Bool { lines.withLock { $0.command }?.send(Array(bytes)) ?? false }

  func interrupt() { lines.withLock { $0.command }?.interrupt() }

  func resize(_ size: Size) { lines.withLock { $0.command }?.resize(columns: size.width, rows: size.height) }

  func drain() -> [ConsoleEvent] {
    lines.withLock { lines in
      defer {
        lines.fresh = []
        lines.ended = nil
      }
      let output: [ConsoleEvent] = lines.fresh.isEmpty ? [] : [.output(lines.fresh)]
      return output + (lines.ended.map { [.commandEnded($0)] } ?? [])
    }
  }

  func printLastLines() {
    for line in lines.withLock({ $0.last }) { print(SafeText.line(line)) }
  }

  private func take(_ event: CommandEvent, name: String) {
    lines.withLock { lines in
      switch event {
      case .output(let bytes):
        lines.partial += bytes
        lines.cut(longest: Self.longest)
      case .ended(let status):
        if !lines.partial.isEmpty { lines.add(lines.partial) }
        lines.partial = []
        lines.ended =
          status > 128 ? "\(name) was ended by signal \(status - 128)." : "\(name) ended with status \(status)."
      }
      lines.last = lines.last.suffix(Self.kept)
    }
    relay.wake()
  }
}

extension CommandOutput.Lines {
  fileprivate mutating func cut(longest: Int) {
    while let end = partial.firstIndex(of: 0x0A) {
      add(partial[..<end])
      partial.removeFirst(end + 1)
    }
    while partial.count > longest {
      add(partial[..<longest])
      partial.removeFirst(longest)
    }
  }

  fileprivate mutating func add(_ bytes: some Sequence<UInt8>) {
    var text = String(decoding: Array(bytes), as: UTF8.self)
    if text.last == "\r" { text.removeLast() }
    fresh.append(OutputLine(at: .now, stream: .output, text: text))
    last.append(text)
  }
}
