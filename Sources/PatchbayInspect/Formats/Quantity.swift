/// Sizes and times as people read them.
public enum Quantity {
  /// `1,204`.
  public static func count(_ number: some BinaryInteger) -> String {
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
  public static func bytes(_ count: Int64) -> String {
    guard count >= 1_000 else { return "\(count) B" }
    var value = Double(count)
    for unit in ["kB", "MB", "GB"] {
      value /= 1_000
      if value < 999.5 { return "\(short(value)) \(unit)" }
    }
    return "\(short(value / 1_000)) TB"
  }

  /// `<1 ms`, `34 ms`, `4.1 s`, `2m 05s`, of microseconds.
  public static func duration(_ microseconds: Int64) -> String {
    switch microseconds {
    case ..<1: return "0 ms"
    case ..<1_000: return "<1 ms"
    case ..<999_500: return "\((microseconds + 500) / 1_000) ms"
    case ..<59_950_000: return "\(short(Double(microseconds) / 1_000_000)) s"
    default:
      let seconds = microseconds / 1_000_000
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
