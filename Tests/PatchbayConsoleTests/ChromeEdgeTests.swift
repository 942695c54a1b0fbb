import PatchbayGrid
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What is at the edge of the screen, at the bounds of what fits there.
@Suite(.bounded) struct ChromeEdgeTests {
  @Test(arguments: [
    (40, 9, true), (39, 9, false), (40, 8, false), (200, 8, false), (39, 60, false), (200, 60, true),
  ])
  func theConsoleNeedsFortyColumnsAndNineRows(_ width: Int, _ height: Int, _ fits: Bool) {
    #expect(Size(width: width, height: height).fitsConsole == fits)
  }

  private func head(_ width: Int, _ active: Tab, _ modes: [HeaderMode], _ rate: RateMeter) -> String {
    var grid = Grid(Size(width: width, height: 1))
    Header(width: width, active: active, modes: modes, linked: 1, recorded: 7, rate: rate)
      .draw(on: &grid, in: Rect(x: 0, y: 0, width: width, height: 1), .builtIn)
    return grid.text
  }

  @Test(arguments: [
    (1, "0.2/s"), (49, "9.8/s"), (50, "10/s"), (51, "10/s"), (53, "11/s"), (6_000, "1,200/s"),
  ])
  func theRateHasADecimalBelowTen(_ count: Int, _ text: String) {
    var rate = RateMeter()
    rate.add(count, at: Timestamp(microseconds: 1_000_000))
    rate.advance(to: Timestamp(microseconds: 2_000_000))
    let head = head(160, .requests, [], rate)
    #expect(head.hasSuffix("1 linked · 7 requests · █ " + text), "\(head)")
  }

  @Test func theGravestModeIsSaidHoweverNarrowItIs() {
    let modes = ["10,000 held", "PAUSED"].map { HeaderMode(text: $0, short: $0) }
    for count in 1...2 {
      let head = head(40, .processes, Array(modes.prefix(count)), RateMeter())
      #expect(head.contains("4 Processes") && head.contains("10,000 held") && !head.contains("PAUSED"), "\(head)")
    }
  }
}
