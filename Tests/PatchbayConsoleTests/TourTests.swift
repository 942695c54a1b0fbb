import PatchbayGrid
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The tour names the next key, takes none, and comes once.
@Suite(.bounded) struct TourTests {
  private func driver(_ view: ViewSettings = ViewSettings(), mode: ConsoleSetup.Mode = .demo) -> ConsoleDriver {
    var driver = ConsoleDriver(width: 80, height: 24, setup: ConsoleSetup(mode: mode), view: view)
    driver.board = Sample.board()
    driver.send(.board(driver.board, by: nil))
    driver.add([Exchange.make(1), Exchange.make(2, status: 500)])
    return driver
  }

  @Test func goesFromKeyToKeyAndNeverComesAgain() {
    var driver = driver()
    let keys = ["enter", "right", "x enter", "u esc", "2 j j j space", "1 / i s : b a d enter"]
    for (step, key) in keys.enumerated() {
      let line = driver.lines[22]
      #expect(line.contains("tour \(step + 1)/6"), "\(line)")
      driver.press(key)
    }
    #expect(!driver.shows("tour ") && driver.shows("That was the tour."))
    let saved = driver.effects.compactMap { if case .saveView(let view) = $0 { view } else { nil } }.last
    #expect(saved?.tourDone == true)
    #expect(!self.driver(saved ?? ViewSettings()).shows("tour "))
    #expect(!self.driver(mode: .listen).shows("tour "))
  }

  /// Its steps are about what was done.
  @Test func aStubThatAnswersIsNoFailure() {
    var driver = driver()
    driver.press("enter right")
    #expect(driver.shows("tour 3/6  x makes this endpoint fail"))
    driver.press("s enter")
    #expect(driver.shows("tour 3/6"))
  }

  @Test func isEndedAndBegunFromThePalette() {
    var driver = driver()
    driver.press(": t o u r enter")
    #expect(!driver.shows("tour 1/6"))
    driver.press(": t o u r enter")
    #expect(driver.shows("tour 1/6"))
  }

  @Test(arguments: [(58, false), (59, false), (60, true)])
  func saysHowItEndsWhereThatLeavesAGap(_ width: Int, _ isSaid: Bool) {
    let area = Rect(x: 0, y: 0, width: width, height: 1)
    var grid = Grid(Size(width: width, height: 1))
    Tour(isOn: true).draw(on: &grid, in: area, .builtIn)
    #expect(grid.text.hasPrefix(" tour 1/6  enter opens the selected request"))
    #expect(grid.text.contains(": tour ends it") == isSaid)
    grid = Grid(Size(width: width, height: 1))
    Tour(isOn: false).draw(on: &grid, in: area, .builtIn)
    #expect(grid.text.isEmpty)
  }

  @Test func leavesTheListItsRows() {
    var driver = driver()
    driver.add((3...60).map { Exchange.make($0) })
    #expect(driver.lines[21].contains("▸") && driver.lines[22].contains("tour 1/6"))
    driver.send(.resized(Size(width: 40, height: 9)))
    #expect(!driver.shows("tour "))
  }
}
