import Foundation

/// Prints figures beside what was promised, and knows whether one was broken.
struct Figures {
  private(set) var areKept = true

  mutating func say(_ name: String, _ value: Double, _ unit: String, atMost limit: Double) {
    let isKept = value <= limit
    if !isKept { areKept = false }
    let number = String(format: value >= 100 || value == value.rounded() ? "%.0f" : "%.1f", value)
    let promise = String(format: "promised: ≤ %g", limit)
    write("\(isKept ? "✓" : "✗") \(padded(name)) \(number) \(unit)  (\(promise))")
  }

  func note(_ name: String, _ text: String) { write("  \(padded(name)) \(text)") }

  /// Below which the given share of the values lies.
  static func percentile(_ values: [Double], _ share: Double) -> Double {
    guard !values.isEmpty else { return .infinity }
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.up)) - 1)]
  }

  /// At once, also into a pipe.
  private func write(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }

  private func padded(_ text: String) -> String {
    text.padding(toLength: 52, withPad: " ", startingAt: 0)
  }
}

extension Duration {
  var milliseconds: Double { self / .milliseconds(1) }
}
