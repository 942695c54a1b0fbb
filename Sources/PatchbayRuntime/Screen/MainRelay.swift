import Dispatch
import PatchbayConsole
import Synchronization

/// Brings what other threads have for the screen to the main queue, one turn for all of it.
final class MainRelay: Sendable {
  private struct Target: Sendable {
    weak var runtime: ScreenRuntime?
    var feed: LiveFeed?
    var output: CommandOutput?
  }

  private let target = Mutex(Target())

  @MainActor
  func connect(_ runtime: ScreenRuntime, feed: LiveFeed, output: CommandOutput) {
    target.withLock { $0 = Target(runtime: runtime, feed: feed, output: output) }
    wake()
  }

  /// Something is there to be drained.
  func wake() {
    DispatchQueue.main.async { [self] in
      MainActor.assumeIsolated {
        let target = target.withLock { $0 }
        guard let runtime = target.runtime else { return }
        runtime.send((target.output?.drain() ?? []) + (target.feed?.drain() ?? []))
      }
    }
  }
}
