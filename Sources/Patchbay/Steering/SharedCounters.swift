import PatchbayStubs
import PatchbayWire
import Synchronization

/// The counters of all stubs of this process; they outlive each set of stubs.
final class SharedCounters: Sendable {
  private let counters = Mutex(StubCounters())

  func with<Result: Sendable>(_ body: (inout StubCounters) -> Result) -> Result {
    counters.withLock { body(&$0) }
  }

  func adopt(_ matcher: StubMatcher) { counters.withLock { $0.adopt(matcher) } }

  func reset(_ name: String?) { counters.withLock { $0.reset(name) } }

  func takeChanges() -> [StubProgress] {
    counters.withLock { counters in
      guard counters.hasChanges else { return [] }
      return counters.takeChanges().map { row in
        StubProgress(name: row.name, hits: row.hits, nextStep: row.nextStep.map { UInt32(clamping: $0) })
      }
    }
  }
}
