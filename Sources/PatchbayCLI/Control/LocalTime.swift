import Foundation
import PatchbayWire

/// The time of day where the person is.
enum LocalTime {
  /// Seconds east of UTC at that moment.
  static func offset(at moment: Timestamp) -> Int {
    TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment.microseconds) / 1e6))
  }
}
