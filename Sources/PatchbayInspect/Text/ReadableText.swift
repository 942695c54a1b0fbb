import PatchbayWire

/// An exchange as one readable line: time, method, status or error, URL, size, duration, by whom. Text of the network
/// is in it as it came; who prints it makes it safe.
package enum OneLine {
  /// - Parameters:
  ///   - withSecrets: secrets in the URL are left as they are.
  ///   - utcOffset: seconds east of UTC for the time of day.
  package static func text(_ summary: ExchangeSummary, withSecrets: Bool = false, utcOffset: Int = 0) -> String {
    let url = withSecrets ? summary.url : Redaction.standard.url(summary.url)
    let size = summary.status == nil ? "—" : Quantity.bytes(summary.size)
    let took = summary.duration.map(Quantity.duration) ?? "—"
    var line = Moment.timeOfDay(summary.startedAt, utcOffset: utcOffset)
    // There may be thousands a second.
    line.reserveCapacity(64 + url.utf8.count)
    for part in [padded(summary.method, 6), padded(result(summary), 3), url, size, took, by(summary)] {
      line += "  "
      line += part
    }
    return line
  }

  /// The status, the error's name, or how far it has come.
  package static func result(_ summary: ExchangeSummary) -> String {
    switch summary.outcome {
    case .cancelled: "cancelled"
    case .abandoned: "abandoned"
    case .failed: summary.error.map { $0.name ?? "\($0.domain) \($0.code)" } ?? "failed"
    case .responded: summary.status.map(String.init) ?? "—"
    case nil where summary.isHeld: "held"
    case nil where summary.isObserved: "observed"
    case nil: summary.status.map(String.init) ?? "waiting"
    }
  }

  private static func by(_ summary: ExchangeSummary) -> String {
    switch (summary.by, summary.stub) {
    case (.network, nil): "network"
    case (.network, let stub?): "network, through \(stub)"
    case (.stub, let stub?): "stub \(stub)"
    case (.code, let stub?): "code \(stub)"
    case (let by, let stub): stub.map { "\(by.rawValue) \($0)" } ?? by.rawValue
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    let count = text.count
    return count >= width ? text : text + String(repeating: " ", count: width - count)
  }
}

/// Sizes and times as people read them.
package enum Quantity {
  /// `1,204`.
  package static func count(_ number: some BinaryInteger) -> String {
    var digits = Array(String(number))
    let first = digits.first == "-" ? 1 : 0
    var place = digits.count - 3
    while place > first {
      digits.insert(",", at: place)
      place -= 3
    }
    return String(digits)
  }

  /// `88 B`, `1.2 kB`, `13.4 MB` (units of 1000).
  package static func bytes(_ count: Int64) -> String {
    guard count >= 1_000 else { return "\(count) B" }
    var value = Double(count)
    for unit in ["kB", "MB", "GB"] {
      value /= 1_000
      if value < 999.5 { return "\(short(value)) \(unit)" }
    }
    return "\(short(value / 1_000)) TB"
  }

  /// `<1 ms`, `34 ms`, `4.1 s`, `2m 05s`, of microseconds.
  package static func duration(_ microseconds: Int64) -> String {
    switch microseconds {
    case ..<1: return "0 ms"
    case ..<1_000: return "<1 ms"
    case ..<999_500: return "\((microseconds + 500) / 1_000) ms"
    case ..<59_950_000: return "\(short(Double(microseconds) / 1_000_000)) s"
    default:
      let seconds = microseconds / 1_000_000 + (microseconds % 1_000_000 >= 500_000 ? 1 : 0)
      let rest = seconds % 60
      return "\(seconds / 60)m \(rest < 10 ? "0" : "")\(rest)s"
    }
  }

  private static func short(_ value: Double) -> String {
    if value >= 99.95 { return "\(Int(value.rounded()))" }
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

/// Moments as text, without Foundation's formatters: they are on the path of each exchange.
package enum Moment {
  /// RFC 3339 in UTC with milliseconds: `2026-11-21T12:01:03.221Z`.
  package static func rfc3339(_ moment: Timestamp) -> String {
    let (days, milliseconds) = split(moment.milliseconds)
    let (year, month, day) = date(days: days)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock(milliseconds))Z"
  }

  /// The time of day with milliseconds, `12:01:03.221`, that many seconds east of UTC.
  package static func timeOfDay(_ moment: Timestamp, utcOffset: Int = 0) -> String {
    clock(split(moment.milliseconds + Int64(utcOffset) * 1_000).milliseconds)
  }

  /// Year, month and day, that many seconds east of UTC.
  package static func day(_ moment: Timestamp, utcOffset: Int = 0) -> (year: Int, month: Int, day: Int) {
    let (year, month, day) = date(days: split(moment.milliseconds + Int64(utcOffset) * 1_000).days)
    return (Int(year), Int(month), Int(day))
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
