import PatchbayWire

/// Moments as text, without Foundation's formatters: they are on the path of each exchange.
public enum Moment {
  /// RFC 3339 in UTC with milliseconds: `2026-11-21T12:01:03.221Z`.
  public static func rfc3339(_ moment: Timestamp) -> String {
    let (days, milliseconds) = split(moment.milliseconds)
    let (year, month, day) = date(days: days)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock(milliseconds))Z"
  }

  /// The time of day with milliseconds, `12:01:03.221`, that many seconds east of UTC.
  public static func timeOfDay(_ moment: Timestamp, utcOffset: Int = 0) -> String {
    clock(split(moment.milliseconds + Int64(utcOffset) * 1_000).milliseconds)
  }

  private static func split(_ milliseconds: Int64) -> (days: Int64, milliseconds: Int64) {
    let rest = ((milliseconds % 86_400_000) + 86_400_000) % 86_400_000
    return ((milliseconds - rest) / 86_400_000, rest)
  }

  private static func clock(_ milliseconds: Int64) -> String {
    let seconds = milliseconds / 1_000
    let parts = [seconds / 36_000, seconds / 3_600, -1, seconds / 600 % 6, seconds / 60, -1, seconds / 10 % 6, seconds]
    return String(unsafeUninitializedCapacity: 12) { text in
      for (index, part) in parts.enumerated() { text[index] = part < 0 ? UInt8(ascii: ":") : digit(part) }
      text[8] = UInt8(ascii: ".")
      for (index, part) in [milliseconds / 100, milliseconds / 10, milliseconds].enumerated() {
        text[9 + index] = digit(part)
      }
      return 12
    }
  }

  /// The last digit of a number that is not negative.
  private static func digit(_ value: Int64) -> UInt8 { UInt8(ascii: "0") + UInt8(value % 10) }

  /// The civil date of a count of days since 1970-01-01, by the Gregorian calendar's cycle of 400 years.
  private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return digits.utf8.count >= width ? digits : String(repeating: "0", count: width - digits.utf8.count) + digits
  }
}
