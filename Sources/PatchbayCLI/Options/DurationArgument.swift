import ArgumentParser

/// A duration such as `300ms`, `10s` or `5m`.
struct DurationArgument {
  var duration: Duration

  init(_ duration: Duration) { self.duration = duration }

  /// - Throws: a sentence about what a duration is.
  init(parsing text: String) throws {
    let units: KeyValuePairs = ["ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = units.first(where: { text.hasSuffix($0.key) }),
      let count = Double(text.dropLast(unit.key.count)), count >= 0, count.isFinite
    else {
      throw ValidationError("A duration is a number with ms, s, m, h or d behind it, such as 300ms, 10s or 5m")
    }
    duration = .milliseconds(Int64(min(count * unit.value * 1_000, 1e15)))
  }
}
