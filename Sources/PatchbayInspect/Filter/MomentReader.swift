import Foundation
import PatchbayWire

/// Reads the moments of `since:` and `until:`.
enum MomentReader {
  /// A duration (that long ago), a time of today, a day, or a whole date and time (RFC 3339; local without a zone).
  static func moment(_ text: String) -> FilterMoment? {
    if let ago = FilterNumber.microseconds(text) { return .ago(ago) }
    let halves = text.split(separator: text.contains("T") ? "T" : " ", omittingEmptySubsequences: false).map(
      String.init)
    var time = tm()
    if halves.count == 1, text.contains(":") {
      var now = time_t(Timestamp.now.microseconds / 1_000_000)
      localtime_r(&now, &time)
      return clock(text, into: &time).map(FilterMoment.at)
    }
    let days = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { Int32($0) ?? -1 }
    guard halves.count <= 2, days.count == 3, (1970...9999).contains(days[0]), (1...12).contains(days[1]),
      (1...31).contains(days[2])
    else { return nil }
    time.tm_year = days[0] - 1900
    time.tm_mon = days[1] - 1
    time.tm_mday = days[2]
    return clock(halves.count == 2 ? halves[1] : "0:0", into: &time).map(FilterMoment.at)
  }

  /// `hh:mm[:ss[.fff]]` and a zone, on the day that `time` has.
  private static func clock(_ text: String, into time: inout tm) -> Timestamp? {
    var clock = text[...]
    var offset: Int?
    if text.hasSuffix("Z") || text.hasSuffix("z") {
      offset = 0
      clock = clock.dropLast()
    } else if let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      let zone = text[text.index(after: sign)...].split(separator: ":").map { Int($0) ?? -1 }
      guard zone.count == 2, (0...23).contains(zone[0]), (0...59).contains(zone[1]) else { return nil }
      offset = (text[sign] == "-" ? -1 : 1) * (zone[0] * 3600 + zone[1] * 60)
      clock = text[..<sign]
    }
    var fields = clock.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    var fraction: Int64 = 0
    if fields.count == 3, let dot = fields[2].firstIndex(of: ".") {
      let digits = String(fields[2][fields[2].index(after: dot)...].prefix(6))
      guard let value = Int64(digits), value >= 0 else { return nil }
      fraction = (0..<(6 - digits.count)).reduce(value) { value, _ in value * 10 }
      fields[2] = String(fields[2][..<dot])
    }
    let numbers = fields.map { Int32($0) ?? -1 }
    guard (2...3).contains(numbers.count), (0...23).contains(numbers[0]), (0...59).contains(numbers[1]),
      numbers.count == 2 || (0...60).contains(numbers[2])
    else { return nil }
    (time.tm_hour, time.tm_min, time.tm_sec) = (numbers[0], numbers[1], numbers.count == 3 ? numbers[2] : 0)
    time.tm_isdst = -1
    let seconds = offset.map { timegm(&time) - $0 } ?? mktime(&time)
    return Timestamp(microseconds: Int64(seconds) * 1_000_000 + fraction)
  }
}
