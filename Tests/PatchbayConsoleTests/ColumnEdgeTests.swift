import PatchbayGrid
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Edges of columns that are dragged, and what a list makes of its room.
@Suite(.bounded) struct ColumnEdgeTests {
  private func place(_ column: RequestColumn, _ driver: ConsoleDriver) -> ColumnLayout.Place? {
    driver.columns.places.first { $0.column == column }
  }

  private func mouse(_ kind: MouseEvent.Kind, _ x: Int, _ driver: inout ConsoleDriver) {
    driver.send(.input(.mouse(MouseEvent(kind, at: Point(x: x, y: 2)))))
  }

  @Test(
    arguments: [RequestColumn.startedAt, .process, .method, .status, .host, .path, .duration],
    [Size(width: 80, height: 24), Size(width: 120, height: 36), Size(width: 200, height: 60)])
  func anEdgeFollowsThePointerAndNothingLeftOfItMoves(column: RequestColumn, size: Size) throws {
    let driver = Sample.driver(size.width, size.height)
    guard let before = place(column, driver) else { return }
    let all = driver.columns.places.map(\.column)
    let left = driver.columns.places.filter { $0.x <= before.x }
    for grip in 0...(size.width < ColumnLayout.narrow ? 0 : 1) {
      var driver = driver
      mouse(.press(.left), before.x + before.width + grip, &driver)
      for step in 1...6 {
        mouse(.drag(.left), before.x + before.width + grip + step, &driver)
        let now = try #require(place(column, driver))
        #expect(now.x == before.x)
        #expect(now.width <= before.width + step)
      }
      for step in stride(from: 6, through: -40, by: -1) {
        mouse(.drag(.left), before.x + before.width + grip + step, &driver)
        let now = try #require(place(column, driver))
        let wanted = max(ColumnMeasure.narrowest(column), before.width + step)
        #expect(now.width <= wanted && (step > 0 || now.width == wanted), "\(step)")
        #expect(driver.columns.places.map(\.column) == all)
        #expect(
          driver.columns.places.filter { $0.x < before.x } == left.filter { $0.x < before.x }, "\(step)")
      }
      mouse(.release(.left), 0, &driver)
      #expect(driver.effects.contains(.saveView(driver.state.view)))
    }
  }

  @Test func sixCellsMoreAreSixCellsMore() {
    var driver = Sample.driver(120, 36)
    for column in [RequestColumn.process, .host, .method] {
      let before = place(column, driver) ?? ColumnLayout.Place(column: column, x: 0, width: 0)
      mouse(.press(.left), before.x + before.width, &driver)
      mouse(.drag(.left), before.x + before.width + 6, &driver)
      mouse(.release(.left), before.x + before.width + 6, &driver)
      #expect(place(column, driver)?.width == before.width + 6)
    }
  }

  @Test(arguments: Array(stride(from: 40, through: 220, by: 9)) + [41, 59, 60, 80, 111, 112, 120])
  func everyColumnIsSeenWholeOrNotAtAll(width: Int) throws {
    var driver = Sample.driver(width, 30)
    for column in RequestColumn.allCases where column != .timeline {
      for descending in [true, false] where column != .number || descending {
        driver.perform(.requests(.setSort(SortOrder(column, descending: descending))))
        driver.send(.tick)
        let heads = driver.lines[2]
        #expect(heads.contains(descending ? "↓" : "↑"), "\(column) at \(width): \(heads)")
        #expect(!heads.contains("…"), "\(column) at \(width): \(heads)")
        let last = try #require(driver.columns.places.last)
        #expect(last.x + last.width <= width - 1)
        #expect(driver.columns.places.map(\.column).contains(.path))
      }
    }
    driver.perform(.requests(.setSort(.arrival)))
    #expect(
      driver.columns.places.map(\.column).contains(.status) && driver.columns.places.map(\.column).contains(.path))
  }

  @Test func aWidthThatDoesNotFitIsMadeNarrowerAndComesBack() {
    var driver = Sample.driver(200, 40)
    driver.setWidth(of: .path, to: 80)
    #expect(place(.path, driver)?.width == 80)
    driver.send(.resized(Size(width: 80, height: 24)))
    #expect((place(.path, driver)?.width ?? 0) >= 14)
    driver.send(.resized(Size(width: 200, height: 40)))
    #expect(place(.path, driver)?.width == 80)
  }

  @Test func aWidthForAWideScreenTakesNoMoreThanItsTurnOnANarrowOne() {
    var driver = ConsoleDriver(width: 200, height: 24)
    driver.add((1...3).map { .make($0) })
    driver.setWidth(of: .host, to: 40)
    #expect(place(.host, driver)?.width == 40)
    driver.send(.resized(Size(width: 80, height: 24)))
    #expect(driver.shows("/v1/users?page=2"))
    driver.setWidth(of: .host, to: 20)
    #expect(place(.host, driver)?.width == 20, "one that is chosen here is kept to")
  }

  @Test func freeCellsGoToWhatIsCut() {
    var driver = ConsoleDriver(width: 120, height: 20)
    let host = "accounts.eu-west.example.com"
    driver.add((1...3).map { .make($0, "GET", "https://\(host)/v1") })
    #expect(driver.shows(host), "\(driver.screen)")
    driver.send(.resized(Size(width: 149, height: 20)))
    driver.add((4...6).map { .make($0, "GET", "https://b.example/v1", stub: "a name of some length") })
    #expect(driver.shows("a name of some length") && driver.shows(host))
  }

  @Test func aColumnDoesNotShrinkWhileRowsComeAndGo() {
    var driver = ConsoleDriver(width: 120, height: 14)
    driver.add([.make(1, "GET", "https://a.very-long-name.example.com/v1")])
    let wide = place(.host, driver)
    driver.add((2...100).map { .make($0, "GET", "https://b.example/v1") })
    #expect(place(.host, driver) == wide)
    driver.press("/")
    driver.type("b.example")
    driver.press("enter")
    #expect((place(.host, driver)?.width ?? 0) < wide?.width ?? 0)
  }

  @Test func theSignOfAFaultStandsApart() {
    var driver = Sample.driver(80, 24)
    driver.press("k k k k x enter")
    #expect(driver.lines.contains { $0.contains("✗ 22:13") })
    #expect(!driver.screen.contains("✗22:13"))
  }
}
