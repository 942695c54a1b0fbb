import PatchbayWire

/// How many requests began in each of the last seconds.
struct RateMeter: Sendable, Equatable {
  static let span = 30
  private var buckets = [Int](repeating: 0, count: RateMeter.span)
  /// The second that the last bucket is for.
  private(set) var second: Int64 = 0

  /// Counts requests that came now.
  mutating func add(_ count: Int, at now: Timestamp) {
    advance(to: now)
    buckets[RateMeter.span - 1] += count
  }

  mutating func advance(to now: Timestamp) {
    let current = now.microseconds / 1_000_000
    guard current > second else { return }
    let steps = Int(min(Int64(RateMeter.span), current - second))
    buckets.removeFirst(steps)
    buckets += Array(repeating: 0, count: steps)
    second = current
  }

  var isIdle: Bool { buckets.allSatisfy { $0 == 0 } }

  /// Requests a second over the last five whole seconds.
  var perSecond: Double {
    Double(buckets[(RateMeter.span - 6)..<(RateMeter.span - 1)].reduce(0, +)) / 5
  }

  /// The last `width` whole seconds as eighths of a cell.
  func sparkline(width: Int) -> String {
    Spark.line(Array(buckets.dropLast().suffix(width).drop { $0 == 0 }).map(Double.init))
  }
}

/// Small charts of one row.
enum Spark {
  private static let eighths: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// One character for each value, scaled to the highest; a space where it is 0.
  static func line(_ values: [Double]) -> String {
    let highest = values.max() ?? 0
    guard highest > 0 else { return String(repeating: " ", count: values.count) }
    return String(values.map { $0 <= 0 ? " " : eighths[min(7, Int($0 / highest * 7.99))] })
  }
}
