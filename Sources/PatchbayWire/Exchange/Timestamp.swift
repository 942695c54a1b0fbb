import Foundation

/// A moment: microseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Sendable, Comparable {
  public var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// The wall clock now.
  package static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }

  package var milliseconds: Int64 { microseconds / 1_000 }
  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
