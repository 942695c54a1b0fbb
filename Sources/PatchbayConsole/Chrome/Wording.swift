import PatchbayWire

/// Numbers and names as people read them.
enum Wording {
  /// `1,204`.
  static func count(_ number: some BinaryInteger) -> String {
    var digits = Array(String(number))
    let first = digits.first == "-" ? 1 : 0
    var place = digits.count - 3
    while place > first {
      digits.insert(",", at: place)
      place -= 3
    }
    return String(digits)
  }

  /// `1 request`, `2 requests`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(count(number)) \(noun)\(number == 1 ? "" : noun.hasSuffix("s") ? "es" : "s")"
  }

  /// `88 B`, `1.2 kB`, `13.4 MB`.
  static func size(_ bytes: Int64) -> String {
    guard bytes >= 1_000 else { return "\(bytes) B" }
    var value = Double(bytes)
    for unit in ["kB", "MB", "GB", "TB"] {
      value /= 1_000
      if value < 999.5 || unit == "TB" { return "\(short(value)) \(unit)" }
    }
    return "\(bytes) B"
  }

  /// `34 ms`, `4.1 s`, `30 s`, `2m 05s`, of microseconds.
  static func duration(_ microseconds: Int64) -> String {
    switch microseconds {
    case ..<0: return "0 ms"
    case ..<1_000: return microseconds == 0 ? "0 ms" : "<1 ms"
    case ..<999_500: return "\((microseconds + 500) / 1_000) ms"
    case ..<59_950_000: return "\(short(Double(microseconds) / 1_000_000)) s"
    case ..<3_600_000_000:
      let seconds = microseconds / 1_000_000
      return "\(seconds / 60)m \(padded(seconds % 60, 2))s"
    default:
      let minutes = microseconds / 60_000_000
      return "\(minutes / 60)h \(padded(minutes % 60, 2))m"
    }
  }

  /// The time of day, `12:01:03.221`, at an offset from UTC in seconds.
  static func time(_ at: Timestamp, utcOffset: Int, fraction: Bool = true) -> String {
    let milliseconds = at.milliseconds + Int64(utcOffset) * 1_000
    let day = ((milliseconds % 86_400_000) + 86_400_000) % 86_400_000
    let clock =
      "\(padded(day / 3_600_000, 2)):\(padded(day / 60_000 % 60, 2)):\(padded(day / 1_000 % 60, 2))"
    return fraction ? "\(clock).\(padded(day % 1_000, 3))" : clock
  }

  /// `timedOut` as `timed out`.
  static func spaced(_ name: String) -> String {
    var words = ""
    for character in name {
      if character.isUppercase, words.last?.isLowercase == true { words += " " }
      words += words.hasSuffix(" ") ? character.lowercased() : String(character)
    }
    return words
  }

  /// `50 %`, with one place where it is small.
  static func percent(_ share: Double) -> String {
    let value = share * 100
    if value == 0 || value >= 10 { return "\(Int(value.rounded())) %" }
    return "\((value * 10).rounded() / 10) %"
  }

  private static func short(_ value: Double) -> String {
    if value >= 99.95 { return "\(Int(value.rounded()))" }
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
