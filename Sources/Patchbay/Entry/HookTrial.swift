import PatchbayStubs
import PatchbayWire
import Synchronization

/// The hook in force without a console, for this package's own fixtures and benchmarks.
package final class HookTrial: ExchangeSink {
  private let counts = Mutex(Counts())

  /// What was reported so far.
  package struct Counts: Sendable {
    package var started = 0
    package var ended = 0
    package var bytes: Int64 = 0
    package var notices: [String] = []
  }

  package init() {}

  /// Takes every request from now on, answering with the rules if there are any.
  package func begin(answering response: CannedResponse? = nil) {
    let rules = response.map { TrialRules(response: $0) }
    HookState.shared.replace(HookSnapshot(active: true, rules: rules, revision: 1, sink: self))
  }

  package func end() { HookState.shared.replace(.dormant) }

  package var reported: Counts { counts.withLock { $0 } }

  func report(_ report: ExchangeReport) {
    counts.withLock { counts in
      if report.start != nil { counts.started += 1 }
      if let end = report.end {
        counts.ended += 1
        counts.bytes += end.bytesReceived
      }
    }
  }

  func hold(_ key: UInt64, resume: @escaping @Sendable (Verdict.Decision?) -> Void) { resume(nil) }
  func unhold(_ key: UInt64) {}
  func notice(_ sentence: String) { counts.withLock { $0.notices.append(sentence) } }
}

/// One answer for everything.
private struct TrialRules: HookRules {
  let response: CannedResponse
  let looksAtBodies = false

  func decide(_ query: RuleQuery, from position: Int) -> RuleMatch? {
    RuleMatch(name: "trial", by: .stub, what: .action(.respond(response)), next: 1)
  }
}
