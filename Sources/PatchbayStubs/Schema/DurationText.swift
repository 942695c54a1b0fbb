/// Durations as stub files write them: a number and `ms`, `s`, `m`, `h` or `d`, also several (`1m30s`).
package enum DurationText {
  private static let units: [(name: String, attoseconds: Int128)] = [
    ("d", 86_400 * second), ("h", 3_600 * second), ("m", 60 * second), ("s", second), ("ms", second / 1_000),
  ]
  private static let second: Int128 = 1_000_000_000_000_000_000
  /// The longest that is taken: a thousand days.
  private static let limit: Int128 = 1_000 * 86_400 * second

  /// nil when the text is no duration, or one over a thousand days.
  package static func parse(_ text: String) -> Duration? {
    var rest = Substring(text)
    var total: Int128 = 0
    var parts = 0
    while true {
      rest = rest.drop { $0 == " " }
      if rest.isEmpty { break }
      guard let number = QuantityText.number(&rest) else { return nil }
      rest = rest.drop { $0 == " " }
      let name = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(name.count)
      guard let unit = units.first(where: { $0.name == name.lowercased() })?.attoseconds else { return nil }
      guard let amount = number.times(unit), amount <= limit, total + amount <= limit else { return nil }
      total += amount
      parts += 1
    }
    guard parts > 0 else { return nil }
    return duration(attoseconds: total)
  }

  /// The shortest text in one unit that gives the same duration again; a negative one is written as `0ms`.
  package static func print(_ duration: Duration) -> String {
    let total = Int128(duration.components.seconds) * second + Int128(duration.components.attoseconds)
    guard total > 0 else { return "0ms" }
    for unit in units where total % unit.attoseconds == 0 && total >= unit.attoseconds {
      return "\(total / unit.attoseconds)\(unit.name)"
    }
    let unit = total > second ? ("s", second) : ("ms", second / 1_000)
    return QuantityText.decimal(total, per: unit.1) + unit.0
  }

  private static func duration(attoseconds: Int128) -> Duration {
    Duration(
      secondsComponent: Int64(attoseconds / second), attosecondsComponent: Int64(attoseconds % second))
  }
}

/// Sizes as stub files write them: a number and `B`, `kB`, `MB`, `GB` (1000) or `KiB`, `MiB`, `GiB` (1024).
package enum SizeText {
  private static let units: [(name: String, bytes: Int128)] = [
    ("GB", 1_000_000_000), ("GiB", 1 << 30), ("MB", 1_000_000), ("MiB", 1 << 20), ("kB", 1_000), ("KiB", 1 << 10),
    ("B", 1),
  ]

  /// nil when the text is no size. A number alone is bytes.
  package static func parse(_ text: String) -> Int? {
    var rest = Substring(text).drop { $0 == " " }
    guard let number = QuantityText.number(&rest) else { return nil }
    let name = rest.drop { $0 == " " }.lowercased()
    let unit = name.isEmpty ? 1 : units.first { $0.name.lowercased() == name }?.bytes
    guard let unit, let bytes = number.times(unit) else { return nil }
    return Int(exactly: bytes)
  }

  /// The text in the largest unit that gives the same size again.
  package static func print(_ bytes: Int) -> String {
    let amount = Int128(max(bytes, 0))
    for unit in units where amount >= unit.bytes && amount % unit.bytes == 0 {
      return "\(amount / unit.bytes)\(unit.name)"
    }
    return "0B"
  }
}

/// Decimal numbers without the errors of floating point.
enum QuantityText {
  struct Number {
    var digits: Int128
    /// How many of the digits stand after the point.
    var decimals: Int

    /// The exact product; nil when it is no whole number or too large.
    func times(_ unit: Int128) -> Int128? {
      var scale: Int128 = 1
      for _ in 0..<decimals { scale *= 10 }
      let (product, overflow) = digits.multipliedReportingOverflow(by: unit)
      return overflow || product % scale != 0 ? nil : product / scale
    }
  }

  /// Takes a number off the front.
  static func number(_ text: inout Substring) -> Number? {
    var number = Number(digits: 0, decimals: 0)
    var count = 0
    var afterPoint = false
    while let next = text.first {
      if next == ".", !afterPoint, count > 0 {
        afterPoint = true
      } else if next.isASCII, let digit = next.wholeNumberValue {
        count += 1
        guard count <= 19 else { return nil }
        number.digits = number.digits * 10 + Int128(digit)
        if afterPoint { number.decimals += 1 }
      } else {
        break
      }
      text.removeFirst()
    }
    return count == 0 || (afterPoint && number.decimals == 0) ? nil : number
  }

  static func decimal(_ value: Int128, per unit: Int128) -> String {
    var text = "\(value / unit)"
    var rest = value % unit
    if rest > 0 { text += "." }
    while rest > 0 {
      rest *= 10
      text += "\(rest / unit)"
      rest %= unit
    }
    return text
  }
}
