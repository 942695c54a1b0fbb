import PatchbayStubs
import PatchbayWire
import Synchronization

/// The counters of all stubs of this process; they outlive each set of stubs.
final class SharedCounters: Sendable {
  private let counters = Mutex(StubCounters())
  private let compiled = Mutex<StubMatcher?>(nil)

  func with<Result: Sendable>(_ body: (inout StubCounters) -> Result) -> Result {
    counters.withLock { body(&$0) }
  }

  /// Compiles a set for this process, taking over what did not change since the last time.
  func compile(_ set: StubSet) -> StubMatcher {
    let matcher = compiled.withLock { last in
      let process = HookState.shared.process
      let matcher = StubMatcher(set, process: process.name, pid: process.pid, reusing: last)
      last = matcher
      return matcher
    }
    counters.withLock { $0.adopt(matcher) }
    return matcher
  }

  func reset(_ name: String?) { counters.withLock { $0.reset(name) } }

  func setState(_ scenario: ScenarioState) {
    counters.withLock { $0.setState(of: scenario.name, to: scenario.state) }
  }

  func takeMoves() -> [ScenarioState] { counters.withLock { $0.hasMoves ? $0.takeMoves() : [] } }

  func announce() { counters.withLock { $0.announce() } }

  func takeChanges() -> [StubProgress] {
    counters.withLock { counters in
      guard counters.hasChanges else { return [] }
      return counters.takeChanges().map { row in
        StubProgress(name: row.name, hits: row.hits, nextStep: row.nextStep.map { UInt32(clamping: $0) })
      }
    }
  }
}
