import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// Whole screens against text files. With `PATCHBAY_WRITE_SCREENS` set they are written instead.
@Suite(.bounded) struct ScreenTests {
  @Test(
    arguments: [
      "requests", "detail", "request", "timing", "why", "filter", "stubs", "form", "faults", "traffic",
      "processes", "output", "help", "palette", "held", "compare", "undo", "welcome",
    ],
    [Size(width: 80, height: 24), Size(width: 120, height: 36), Size(width: 200, height: 60)])
  func screen(_ name: String, _ size: Size) throws {
    let make = try #require(Self.screens[name])
    try expectRecorded(make(size).screen + "\n", "Screens/\(name).\(size.width)x\(size.height).txt")
  }

  private static func sample(_ size: Size, _ keys: String, typing text: String = "") -> ConsoleDriver {
    var driver = Sample.driver(size.width, size.height)
    driver.now.microseconds += 11_000_000
    driver.send(.tick)
    driver.press(keys)
    driver.type(text)
    return driver
  }

  private static let screens: [String: @Sendable (Size) -> ConsoleDriver] = [
    "requests": { sample($0, "k k k k") },
    "detail": { sample($0, "k k k k enter enter j space") },
    "request": { sample($0, "k k k enter right") },
    "timing": { sample($0, "k k k k enter right right") },
    "why": { sample($0, "k k k k enter right right right") },
    "filter": { sample($0, "/", typing: "method:GET hots:a") },
    "stubs": { sample($0, "2 j") },
    "form": { sample($0, "2 e tab tab tab tab") },
    "faults": { sample($0, "k k k k x") },
    "traffic": {
      var driver = sample($0, "3")
      let rows = [
        TrafficStatistics(
          host: "api.example.com", method: "GET", endpoint: "/v1/users/{id}", count: 812, errors: 3, sent: 12_000,
          received: 4_500_000, p50: 34_000, p95: 120_000, p99: 1_200_000, sparkline: [1, 2, 3, 5, 8, 3, 0, 2]),
        TrafficStatistics(
          host: "api.example.com", method: "POST", endpoint: "/v1/注文", count: 41, errors: 20, sent: 120_000,
          received: 45_000, p50: 4_000, p95: 9_000, p99: 12_000, sparkline: [0, 0, 1]),
      ]
      driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, TrafficReport(endpoints: rows)))
      return driver
    },
    "processes": { sample($0, "4") },
    "output": {
      var driver = sample($0, "5")
      driver.send(
        .output([
          OutputLine(at: driver.now, stream: .output, text: "\u{1B}[32mstarted\u{1B}[0m 開始しました"),
          OutputLine(at: driver.now, stream: .error, text: "warning: no network"),
        ]))
      return driver
    },
    "help": { sample($0, "?") },
    "palette": { sample($0, ":", typing: "stub") },
    "held": { sample($0, "c e") },
    "compare": { sample($0, "g m j m D") },
    "undo": { sample($0, "g m m u U") },
    "welcome": { ConsoleDriver(width: $0.width, height: $0.height) },
  ]
}
