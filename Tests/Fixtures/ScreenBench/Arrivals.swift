import Foundation
import PatchbayTestSupport
import Synchronization

/// When which exchange was first on the screen, or passed over by a newer one.
final class Arrivals: Sendable {
  /// Of this run alone: the history may have those of an earlier one. Short, so that no column cuts the number off.
  static let path = "/\(String(getpid(), radix: 36))-"

  private let seen = Mutex<[ContinuousClock.Instant]>([])

  func take(_ screen: VTScreen, at moment: ContinuousClock.Instant) {
    let newest = screen.newestArrival
    seen.withLock { seen in
      if newest > seen.count { seen += Array(repeating: moment, count: newest - seen.count) }
    }
  }

  /// Milliseconds from being sent to being seen, of all after the first `skipped`.
  func delays(sent: [ContinuousClock.Instant], from skipped: Int) -> [Double] {
    seen.withLock { seen in
      guard skipped < min(seen.count, sent.count) else { return [] }
      return (skipped..<min(seen.count, sent.count)).map { (seen[$0] - sent[$0]).milliseconds }
    }
  }
}
