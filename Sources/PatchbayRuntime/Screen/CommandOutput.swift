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
    ) { [weak self] in self?.received($0, name: hooked.words.first ?? "the command") }
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
    for line in lastLines { print(line) }
  }

  /// What the shell has of it afterwards.
  var lastLines: [String] { state.withLock { $0.lines.last.suffix(Self.kept) }.map(\.plainText) }

  /// - Parameter name: the command as it was given; its end is told in a notice, which has no room for a path.
  func received(_ event: CommandEvent, name: String) {
    state.withLock { state in
      switch event {
      case .output(let bytes): state.lines.append(bytes)
      case .ended(let status):
        state.lines.finish()
        let name = (name as NSString).lastPathComponent
        state.ended =
          status > 128 ? "\(name) was ended by signal \(status - 128)." : "\(name) ended with status \(status)."
      }
    }
    feed.wake()
  }
}

/// Cuts what a command prints into lines. Bounded, however much it prints and however long its lines are.
struct OutputLines {
  /// A line longer than this is cut in two.
  private static let longest = 16_384
  /// How many lines wait to be taken; older ones are let go.
  private static let waiting = 12_000

  private var partial: [UInt8] = []
  private var fresh: [OutputLine] = []
  private var skipped = 0
  private var isOpenLineNews = false
  /// The newest lines.
  private(set) var last: [OutputLine] = []
  private let kept: Int

  /// - Parameter kept: how many of the newest lines are remembered.
  init(kept: Int) { self.kept = kept }

  mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      guard byte != 0x0A else {
        close()
        continue
      }
      // Between letters, and a line's end is none of its own.
      let isInside = byte & 0xC0 == 0x80 && partial.count < Self.longest + 3 || byte == 0x0D
      if partial.count >= Self.longest, !isInside { close() }
      partial.append(byte)
      isOpenLineNews = true
    }
  }

  /// Nothing comes any more.
  mutating func finish() {
    if !partial.isEmpty { close() }
  }

  /// What came since it was asked last, and how many lines before that were let go. A line without an end is among
  /// them, as far as it goes.
  mutating func drain() -> (lines: [OutputLine], skipped: Int)? {
    guard !fresh.isEmpty || isOpenLineNews else { return nil }
    defer {
      fresh = []
      skipped = 0
      isOpenLineNews = false
    }
    let open = partial.isEmpty ? [] : [line(isOpen: true)]
    return (fresh + open, skipped)
  }

  private mutating func close() {
    let line = line(isOpen: false)
    partial.removeAll(keepingCapacity: true)
    fresh.append(line)
    if fresh.count > Self.waiting {
      skipped += fresh.count - Self.waiting / 2
      fresh.removeFirst(fresh.count - Self.waiting / 2)
    }
    last.append(line)
    if last.count > kept * 4 { last.removeFirst(last.count - kept) }
  }

  private func line(isOpen: Bool) -> OutputLine {
    var text = String(decoding: partial, as: UTF8.self)
    // A pty sends CR LF; the CR of an open line may be the beginning of that.
    if text.unicodeScalars.last == "\r" { text.unicodeScalars.removeLast() }
    return OutputLine(at: .now, stream: .output, text: text, isOpen: isOpen)
  }
}
