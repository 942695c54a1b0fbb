import Dispatch
import Foundation

/// Signals as events on the main queue, in the place of handlers.
///
/// A signal that is watched is ignored by the process itself; children inherit that unless they are started with
/// `POSIX_SPAWN_SETSIGDEF`.
@MainActor
public final class SignalSources {
  private var sources: [Int32: any DispatchSourceSignal] = [:]

  /// What the terminal needs out of ncurses' hands.
  static let all: [Int32] = [SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT, SIGQUIT]

  public init() {}

  /// Calls `handler` on the main actor whenever the signal comes; replaces the handler before.
  public func on(_ signal: Int32, _ handler: @escaping @MainActor () -> Void) {
    sources[signal]?.cancel()
    Foundation.signal(signal, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: signal, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated(handler) }
    source.resume()
    sources[signal] = source
  }

  /// No handler is called any more. The signals stay ignored.
  public func cancelAll() {
    for source in sources.values { source.cancel() }
    sources = [:]
  }

  /// Ignores the terminal's signals and returns what was to happen before.
  static func ignoreAll() -> [(signal: Int32, action: sigaction)] {
    all.map { number in
      var old = sigaction()
      var ignore = sigaction()
      ignore.__sigaction_handler.sa_handler = SIG_IGN
      sigaction(number, &ignore, &old)
      return (number, old)
    }
  }

  static func restore(_ actions: [(signal: Int32, action: sigaction)]) {
    for (number, action) in actions {
      var action = action
      sigaction(number, &action, nil)
    }
  }
}
