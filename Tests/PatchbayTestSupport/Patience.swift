import Foundation
import Synchronization

/// How long tests wait for what must happen.
package enum Patience {
  /// Every limit is multiplied by it: `PATCHBAY_PATIENCE` in the environment, for a machine that is slow, and what
  /// ``busyness(load:processors:)`` says of the load: the system's mean of the last minute or, where it is more, that of
  /// the last ten seconds. Of two whole runs that begin together the tests with the longest limits begin first, and the
  /// mean of the minute has not yet heard of them.
  package static var factor: Double {
    var load = 0.0
    guard getloadavg(&load, 1) == 1 else { return asked }
    let processors = ProcessInfo.processInfo.activeProcessorCount
    return asked * busyness(load: max(load, recent.withLock { $0.threads }), processors: processors)
  }

  private static let asked = ProcessInfo.processInfo.environment["PATCHBAY_PATIENCE"].flatMap { Double($0) } ?? 1
  private static let recent = Mutex(RecentLoad())

  /// Linux alone says how many threads want a processor now. Open for good: there are tests that count descriptors.
  private static let loads = open("/proc/loadavg", O_RDONLY | O_CLOEXEC)

  /// Called twice a second.
  static func look() {
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = pread(loads, &bytes, bytes.count, 0)
    guard count > 0 else { return }
    recent.withLock { $0.see(String(decoding: bytes[..<count], as: UTF8.self)) }
  }

  /// How much longer all takes where others want the processors. These tests alone are about three for each.
  package static func busyness(load: Double, processors: Int) -> Double {
    min(8, max(1, load / Double(4 * max(1, processors))))
  }

  /// The usual limit of a wait for a condition. What is waited for takes milliseconds; a test that fails because it
  /// never comes should not cost a minute.
  package static var usual: Duration { .seconds(seconds) }
  /// The same as a number, for Dispatch.
  package static var seconds: Double { 20 * factor }

  /// How often to try what has so many milliseconds for it: a busy machine is late by itself, but not each time.
  package static func tries(_ count: Int) -> Int { Int(Double(count) * max(1, factor)) }
}

/// How many threads wanted a processor in the last ten seconds, from looks at `/proc/loadavg` twice a second.
package struct RecentLoad {
  package private(set) var threads = 0.0

  package init() {}

  /// - Parameter text: of `/proc/loadavg`, such as `0.76 3.08 4.36 5/320 12345`: five want one now, the reader among them.
  package mutating func see(_ text: String) {
    let fields = text.split(separator: " ")
    guard fields.count > 3, let now = fields[3].split(separator: "/").first.flatMap({ Double($0) }) else { return }
    threads += (now - threads) / 20
  }
}

/// A limit of time that grows with ``Patience/factor`` as long as it runs: who began while nothing else ran, and has to share
/// the processors later, is given the time for it.
package struct PatientLimit {
  private let limit: Duration
  private var factor: Double

  /// - Parameter limit: where nothing else wants the processors.
  package init(_ limit: Duration, factor: Double = Patience.factor) {
    (self.limit, self.factor) = (limit, factor)
  }

  package var now: Duration { limit * factor }

  /// It never shrinks: what was lost while the machine was busy stays lost.
  package mutating func see(_ factor: Double) { self.factor = max(self.factor, factor) }
}
