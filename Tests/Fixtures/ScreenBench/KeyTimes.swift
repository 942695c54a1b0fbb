import Foundation
import PatchbayTestSupport

/// Presses keys as a person would, each when the one before is on the screen, and times them.
struct KeyTimes {
  let terminal: BenchTerminal
  private(set) var times: [(key: String, milliseconds: Double)] = []
  /// Keys whose effect was not seen within two seconds, and the screen at the first of them.
  private(set) var missed: [String] = []
  private(set) var screenThen = ""

  init(_ terminal: BenchTerminal) { self.terminal = terminal }

  /// The list, the help, the tabs and the palette, round after round.
  mutating func run(for duration: Duration) {
    let end = ContinuousClock.now + duration
    press("g") { $0.selectedRow != nil && !$0.contains("following") }
    while ContinuousClock.now < end {
      for _ in 0..<12 { move("j") }
      for _ in 0..<6 { move("k") }
      move("\u{04}")
      move("\u{15}")
      press("?") { $0.contains("Send it again from inside") }
      press("\u{1B}[27u") { !$0.contains("Send it again from inside") }
      press("2") { !$0.contains("method") }
      press("1") { $0.contains("method") }
      press(":") { $0.contains("type to find") }
      press("t") { $0.contains("t") && $0.contains("type to find") && !$0.contains("command…") }
      press("\u{1B}[27u") { !$0.contains("type to find") }
    }
  }

  private mutating func move(_ key: String) {
    let before = terminal.screen.selectedRow
    press(key) { $0.selectedRow != nil && $0.selectedRow != before }
  }

  private mutating func press(_ key: String, until condition: @escaping @Sendable (VTScreen) -> Bool) {
    // Not in step with the frames.
    usleep(UInt32.random(in: 5_000...60_000))
    guard let time = terminal.time(Array(key.utf8), until: condition) else {
      if missed.isEmpty { screenThen = terminal.screen.text }
      return missed.append(key)
    }
    times.append((key, time.milliseconds))
  }
}

extension VTScreen {
  /// The row of the list that is selected, by its number.
  var selectedRow: String? {
    lines.first { $0.hasPrefix(" ▸") || $0.hasPrefix("*▸") }.map {
      String($0.dropFirst(2).trimmingCharacters(in: .whitespaces).prefix { $0 != " " })
    }
  }

  /// The highest N of the paths in sight that are `Arrivals.path` and N.
  var newestArrival: Int {
    var newest = 0
    for line in lines {
      guard let range = line.range(of: Arrivals.path) else { continue }
      newest = max(newest, Int(line[range.upperBound...].prefix { $0.isNumber }) ?? 0)
    }
    return newest
  }
}
