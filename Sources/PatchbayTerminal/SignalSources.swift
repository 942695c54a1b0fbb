import CNcurses
import Dispatch
import Foundation

/// Signals as events on the main queue, in the place of handlers.
///
/// None is lost: Dispatch catches a signal some time after its source was resumed, and what comes before that is noted
/// by a handler of our own.
@MainActor
package final class SignalSources {
  private var sources: [Int32: any DispatchSourceSignal] = [:]

  /// What the terminal needs out of ncurses' hands.
  static let all: [Int32] = [SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT, SIGQUIT, SIGUSR1, SIGUSR2]

  package init() {}

  /// Calls `handler` on the main actor whenever the signal comes; replaces the handler before.
  package func on(_ signal: Int32, _ handler: @escaping @MainActor () -> Void) {
    if let old = sources[signal] { old.cancel() } else { _ = Self.note(signal) }
    let source = DispatchSource.makeSignalSource(signal: signal, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated(handler) }
    source.setRegistrationHandler {
      if patchbay_take_signal(signal) { MainActor.assumeIsolated(handler) }
    }
    source.resume()
    sources[signal] = source
  }

  /// No handler is called any more. The signals still do nothing by themselves.
  package func cancelAll() {
    for source in sources.values { source.cancel() }
    sources = [:]
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
