import CNcurses
import Dispatch
import Foundation

/// Signals as events on the main queue, in the order in which they came.
///
/// Their handler writes into a pipe. Dispatch's own sources would do, but for one thing: they tell of a signal some time after it
/// came, and it cannot be known whether that was while another program had the terminal.
@MainActor
package final class SignalSources {
  private var handlers: [Int32: @MainActor () -> Void] = [:]
  private var source: (any DispatchSourceRead)?
  /// Whether what is typed is another program's.
  private var isTypedTheirs = false
  private var isMarkSeen = false

  /// What the terminal needs out of ncurses' hands.
  static let all: [Int32] = [SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT, SIGQUIT, SIGUSR1, SIGUSR2]
  /// Those that are typed and come to each program in the terminal's foreground, and do nothing else than come.
  private static let typed: Set<Int32> = [SIGINT, SIGQUIT]
  /// We send it to ourselves: of those that have come the kernel hands out the lower numbers first, and the next only when
  /// the handler is done, so that the typed ones before it are in the pipe when it is.
  private static let mark = SIGURG

  package init() {}

  /// Calls `handler` on the main actor whenever the signal comes, once for those that came together; replaces the handler
  /// before.
  package func on(_ signal: Int32, _ handler: @escaping @MainActor () -> Void) {
    if handlers.updateValue(handler, forKey: signal) == nil { _ = Self.note(signal) }
    guard source == nil, case let pipe = patchbay_signal_pipe(), pipe >= 0 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: pipe, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.deliver() } }
    source.resume()
    self.source = source
  }

  private func deliver() {
    var numbers = [UInt8](repeating: 0, count: 256)
    let count = read(patchbay_signal_pipe(), &numbers, numbers.count)
    var seen: Set<Int32> = []
    for number in numbers.prefix(max(0, count)).map(Int32.init) where seen.insert(number).inserted {
      if number == Self.mark { isMarkSeen = true }
      if isTypedTheirs, Self.typed.contains(number) { continue }
      handlers[number]?()
    }
  }

  /// No handler is called any more. The signals still do nothing by themselves.
  package func cancelAll() {
    source?.cancel()
    source = nil
    handlers = [:]
  }

  /// Runs something in which what is typed is another program's: of ctrl-c and ctrl-\ nothing is told.
  package func leavingTyped<Value>(to program: () async throws -> Value) async throws -> Value {
    isTypedTheirs = true
    let outcome: Result<Value, any Error>
    do { outcome = .success(try await program()) } catch { outcome = .failure(error) }
    isMarkSeen = false
    _ = Self.note(Self.mark)
    kill(getpid(), Self.mark)
    // It takes some 50 µs; a second is for a machine that has better things to do.
    for _ in 1...1000 {
      deliver()
      if isMarkSeen { break }
      try? await Task.sleep(for: .milliseconds(1))
    }
    isTypedTheirs = false
    return try outcome.get()
  }

  /// From now on the terminal's signals do nothing by themselves. Returns what was to happen before.
  static func noteAll() -> [(signal: Int32, action: sigaction)] {
    all.map { ($0, note($0)) }
  }

  private static func note(_ signal: Int32) -> sigaction {
    var old = sigaction()
    var new = sigaction()
    new.__sigaction_handler.sa_handler = patchbay_note_signal
    new.sa_flags = SA_RESTART
    sigfillset(&new.sa_mask)
    sigaction(signal, &new, &old)
    return old
  }

  static func restore(_ actions: [(signal: Int32, action: sigaction)], but quiet: Set<Int32> = []) {
    for (number, action) in actions where !quiet.contains(number) {
      var action = action
      sigaction(number, &action, nil)
    }
  }
}
