import Foundation

/// Times of one way of doing something.
struct Measure {
  private(set) var seconds: [Double] = []
  private(set) var rates: [Double] = []

  /// One request after the other.
  mutating func sequential(_ count: Int, _ body: () async -> Void) async {
    for _ in 0..<count {
      let began = ContinuousClock.now
      await body()
      seconds.append((ContinuousClock.now - began) / .seconds(1))
    }
  }

  /// Many at a time.
  mutating func parallel(
    _ count: Int, width: Int, counts: Bool = true, _ body: @escaping @Sendable () async -> Void
  ) async {
    let began = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<width {
        group.addTask { for _ in 0..<count / width { await body() } }
      }
    }
    guard counts else { return }
    rates.append(Double(count / width * width) / ((ContinuousClock.now - began) / .seconds(1)))
  }

  var median: Double { Self.median(seconds) }
  var rate: Double { Self.median(rates) }

  private static func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }

  /// Prints both and the ratios beside what is promised.
  static func compare(
    _ name: String, _ base: Measure, _ hooked: Measure, latency: Double? = nil, rate: Double? = nil
  ) {
    let slower = hooked.median / base.median
    let times = String(format: "p50 %.1f → %.1f µs (%.2f×", base.median * 1e6, hooked.median * 1e6, slower)
    // The median of the ratios of each pair, as other work on the machine falls on both of a pair.
    let ratios = zip(base.rates, hooked.rates).map { $1 / $0 }.sorted()
    let faster = median(ratios)
    let spread = (ratios[ratios.count / 4], ratios[ratios.count * 3 / 4])
    let rates = String(
      format: "%.0f → %.0f requests/s (%.2f×, half of the pairs %.2f to %.2f", base.rate, hooked.rate, faster, spread.0,
      spread.1)
    print("\(name): \(times)\(verdict("≤", latency) { slower <= $0 }))")
    print("\(name), 16 at a time: \(rates)\(verdict("≥", rate) { faster >= $0 }))")
  }

  private static func verdict(_ sign: String, _ promise: Double?, _ holds: (Double) -> Bool) -> String {
    guard let promise else { return "" }
    return String(format: "; promised \(sign) %.2f: ", promise) + (holds(promise) ? "kept" : "MISSED")
  }
}
