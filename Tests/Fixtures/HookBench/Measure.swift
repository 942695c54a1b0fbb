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
  mutating func parallel(_ count: Int, width: Int, _ body: @escaping @Sendable () async -> Void) async {
    let began = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<width {
        group.addTask { for _ in 0..<count / width { await body() } }
      }
    }
    rates.append(Double(count / width * width) / ((ContinuousClock.now - began) / .seconds(1)))
  }

  var median: Double { Self.median(seconds) }
  var rate: Double { Self.median(rates) }

  private static func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }

  static func compare(_ name: String, _ base: Measure, _ hooked: Measure) {
    let latency = String(
      format: "p50 %.1f → %.1f µs (%.2f×)", base.median * 1e6, hooked.median * 1e6, hooked.median / base.median)
    let rate = String(format: "%.0f → %.0f requests/s (%.2f×)", base.rate, hooked.rate, hooked.rate / base.rate)
    print("\(name): \(latency), 16 at a time \(rate)")
  }
}
