import Dispatch

/// The time that a process's end gives to its last reports: first everything is sent as ever, then facts without
/// bodies, and at last the count of what is left.
struct FlushClock: Sendable {
  enum Stage: Comparable, Sendable {
    /// The process does not end.
    case none
    case everything
    case facts
    case count
  }

  /// In milliseconds after the beginning.
  static let facts: UInt64 = 80
  static let count: UInt64 = 160
  static let end: UInt64 = 250
  /// As long is waited for what the hook is about to report.
  static let settled: UInt64 = 200

  private let began = DispatchTime.now().uptimeNanoseconds

  private var milliseconds: UInt64 { (DispatchTime.now().uptimeNanoseconds - began) / 1_000_000 }

  var stage: Stage {
    switch milliseconds {
    case ..<Self.facts: .everything
    case ..<Self.count: .facts
    default: .count
    }
  }

  /// Milliseconds until the next stage begins; nil in the last one.
  var untilNext: Int32? {
    let now = milliseconds
    return [Self.facts, Self.count].first { $0 > now }.map { Int32($0 - now) }
  }

  /// That many milliseconds after the beginning.
  func time(_ milliseconds: UInt64) -> DispatchTime {
    DispatchTime(uptimeNanoseconds: began + milliseconds * 1_000_000)
  }
}
