import Foundation
import PatchbayInspect
import PatchbayWire

/// The time of day where the person is.
package enum LocalTime {
  /// For a terminal: the time of day, after the date where that is not today.
  package static func short(_ moment: Timestamp, now: Timestamp = .now) -> String {
    func local(_ moment: Timestamp) -> String {
      Moment.rfc3339(Timestamp(microseconds: moment.microseconds + Int64(offset(at: moment)) * 1_000_000))
    }
    let text = local(moment)
    let time = text.dropFirst(11)
    return text.prefix(10) == local(now).prefix(10) ? String(time.prefix(12)) : "\(text.prefix(10)) \(time.prefix(8))"
  }

  /// Seconds east of UTC at that moment.
  package static func offset(at moment: Timestamp) -> Int {
    TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment.microseconds) / 1e6))
  }
}
