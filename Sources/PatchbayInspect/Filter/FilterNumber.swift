import Foundation
import PatchbayWire

/// Reads numbers with comparison signs and units as ranges.
///
/// Without a sign a value stands for what would be written like it: `34ms` is 34 to 34.999 ms, `5xx` is 500 to 599.
enum FilterNumber {
  static func status(_ item: FilterWord.Item) throws(FilterError) -> ClosedRange<Int> {
    let span = try self.range(item, expected: "a status such as 404, 5xx, >=400 or 400..499", isExact: false) {
      text in
      let digits = Array(text.lowercased().utf8)
      guard (1...3).contains(digits.count), (0x31...0x39).contains(digits[0]) else { return nil }
      let known = digits.prefix { (0x30...0x39).contains($0) }
      guard digits.dropFirst(known.count).allSatisfy({ $0 == UInt8(ascii: "x") }), digits.count == 3,
        let value = Int64(String(decoding: known, as: UTF8.self))
      else { return nil }
      let step: Int64 = [1, 10, 100][3 - known.count]
      return value * step...value * step + step - 1
    }
    return Int(clamping: span.lowerBound)...Int(clamping: span.upperBound)
  }

  static func duration(_ item: FilterWord.Item) throws(FilterError) -> ClosedRange<Int64> {
    try self.range(item, expected: "a duration such as >500ms, <2s or 1s..5s") {
      measured($0, units: durationUnits, bare: 1_000)
    }
  }

  static func size(_ item: FilterWord.Item) throws(FilterError) -> ClosedRange<Int64> {
    try self.range(item, expected: "a size such as >1MB, <10kB or 0") {
      measured($0, units: sizeUnits, bare: 1)
    }
  }

  static func plain(_ item: FilterWord.Item) throws(FilterError) -> ClosedRange<Int64> {
    try self.range(item, expected: "a number such as 17, >17 or 17..20") { text in
      Int64(text).flatMap { $0 < 0 ? nil : $0...$0 }
    }
  }

  /// Microseconds of a duration with its unit; nil where it is none.
  static func microseconds(_ text: String) -> Int64? { measured(text, units: durationUnits, bare: nil)?.lowerBound }

  private static func range(
    _ item: FilterWord.Item, expected: String, isExact: Bool = true, _ read: (String) -> ClosedRange<Int64>?
  ) throws(FilterError) -> ClosedRange<Int64> {
    let (text, range) = (item.text, item.range)
    let signs = [">=", "<=", ">", "<", "="]
    let problem = FilterError("expected \(expected)", at: range)
    if let sign = signs.first(where: text.hasPrefix) {
      guard let value = read(String(text.dropFirst(sign.count))) else { throw problem }
      switch sign {
      case ">=": return value.lowerBound...Int64.max
      case "<=": return Int64.min...(isExact ? value.lowerBound : value.upperBound)
      case ">":
        let bound = isExact ? value.lowerBound : value.upperBound
        guard bound < Int64.max else { throw FilterError("nothing is more than that", at: range) }
        return bound + 1...Int64.max
      case "<":
        guard value.lowerBound > 0 else { throw FilterError("nothing is less than that", at: range) }
        return Int64.min...value.lowerBound - 1
      default: return value
      }
    }
    if let dots = text.range(of: "..") {
      guard let low = read(String(text[..<dots.lowerBound])), let high = read(String(text[dots.upperBound...])),
        low.lowerBound <= high.upperBound
      else { throw problem }
      return low.lowerBound...high.upperBound
    }
    guard let value = read(text) else { throw problem }
    return value
  }

  private static func measured(_ text: String, units: [String: Int64], bare: Int64?) -> ClosedRange<Int64>? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text.dropFirst(number.count).lowercased()
    guard let scale = unit.isEmpty ? bare : units[unit] else { return nil }
    let halves = number.split(separator: ".", omittingEmptySubsequences: false)
    guard halves.count <= 2, let whole = Int64(halves[0]) else { return nil }
    let (base, overflow) = whole.multipliedReportingOverflow(by: scale)
    guard !overflow, base <= Int64.max / 4 else { return nil }
    guard halves.count == 2 else { return base...(base + (whole == 0 ? 1 : scale) - 1) }
    guard (1...9).contains(halves[1].count), let fraction = Int64(halves[1]) else { return nil }
    let parts = (0..<halves[1].count).reduce(Int64(1)) { product, _ in product * 10 }
    // The product alone may be more than 64 bits have.
    let start = base + parts.dividingFullWidth(fraction.multipliedFullWidth(by: scale)).quotient
    return start...start + max(1, scale / parts) - 1
  }

  private static let durationUnits: [String: Int64] = [
    "us": 1, "µs": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "min": 60_000_000, "h": 3_600_000_000,
    "d": 86_400_000_000,
  ]

  private static let sizeUnits: [String: Int64] = [
    "b": 1, "k": 1_000, "kb": 1_000, "m": 1_000_000, "mb": 1_000_000, "g": 1_000_000_000, "gb": 1_000_000_000,
    "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
  ]
}

/// Reads the moments of `since:` and `before:`.
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
