import PatchbayInspect
import PatchbayWire

/// Numbers and names as people read them.
enum Wording {
  /// The first of some mistakes, and how many there are besides.
  static func first(of problems: [String]) -> String {
    guard let first = problems.first else { return "a field is wrong" }
    let others = problems.count - 1
    return others == 0 ? first : "\(first); \(count(others, "other")) \(others == 1 ? "is" : "are") marked ✗"
  }

  /// `1,204`.
  static func count(_ number: some BinaryInteger) -> String { Quantity.count(number) }

  /// `1 request`, `2 requests`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(count(number)) \(noun)\(number == 1 ? "" : noun.hasSuffix("s") ? "es" : "s")"
  }

  /// `88 B`, `1.2 kB`, `13.4 MB`.
  static func size(_ bytes: Int64) -> String { Quantity.bytes(bytes) }

  /// `34 ms`, `4.1 s`, `30 s`, `2m 05s`, `1h 07m`, of microseconds.
  static func duration(_ microseconds: Int64) -> String {
    // From there on the seconds are those of a full hour.
    guard microseconds >= 3_599_500_000 else { return Quantity.duration(microseconds) }
    let minutes = max(60, microseconds / 60_000_000)
    let rest = minutes % 60
    return "\(minutes / 60)h \(rest < 10 ? "0" : "")\(rest)m"
  }

  /// The time of day, `12:01:03.221`, at an offset from UTC in seconds.
  static func time(_ at: Timestamp, utcOffset: Int, fraction: Bool = true) -> String {
    let clock = Moment.timeOfDay(at, utcOffset: utcOffset)
    return fraction ? clock : String(clock.prefix(8))
  }

  /// The day, `20 Nov`, with its year where that is not this one; nil where it is today.
  static func day(_ at: Timestamp, now: Timestamp, utcOffset: Int) -> String? {
    let (day, today) = (Moment.day(at, utcOffset: utcOffset), Moment.day(now, utcOffset: utcOffset))
    if day == today { return nil }
    let text = "\(day.day) \(months[(day.month - 1) % 12])"
    return day.year == today.year ? text : "\(text) \(day.year)"
  }

  /// The time of day, with the day where that is not today: `20 Nov 11:29:59.560`.
  static func moment(_ at: Timestamp, now: Timestamp, utcOffset: Int, fraction: Bool = true) -> String {
    let clock = time(at, utcOffset: utcOffset, fraction: fraction)
    return day(at, now: now, utcOffset: utcOffset).map { "\($0) \(clock)" } ?? clock
  }

  /// With the whole date: `20 Nov 2026 11:29:59.560`.
  static func wholeMoment(_ at: Timestamp, utcOffset: Int) -> String {
    let day = Moment.day(at, utcOffset: utcOffset)
    return "\(day.day) \(months[(day.month - 1) % 12]) \(day.year) \(time(at, utcOffset: utcOffset))"
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// The same in that many cells: of another day hours and minutes only, or the day alone.
  static func moment(_ at: Timestamp, now: Timestamp, utcOffset: Int, width: Int) -> String {
    let clock = time(at, utcOffset: utcOffset, fraction: width >= 12)
    guard let day = day(at, now: now, utcOffset: utcOffset) else { return clock }
    let whole = "\(day) \(clock.prefix(5))"
    return whole.count <= width ? whole : day.count <= width ? day : String(day.suffix(4))
  }

  /// `timedOut` as `timed out`, `badURL` as `bad URL`.
  static func spaced(_ name: String) -> String {
    if name == "unknown" { return "unknown error" }
    var words: [String] = []
    for character in name {
      let last = words.last?.last
      if words.isEmpty || character.isUppercase && last?.isUppercase == false {
        words.append(String(character))
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words.map { $0.dropFirst().contains(where: \.isUppercase) ? $0 : $0.lowercased() }.joined(separator: " ")
  }

  /// `50 %`, with one place where it is small.
  static func percent(_ share: Double) -> String {
    let value = share * 100
    if value == 0 || value >= 10 { return "\(Int(value.rounded())) %" }
    return "\((value * 10).rounded() / 10) %"
  }
}
