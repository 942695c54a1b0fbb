import PatchbayGrid
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct ColumnTests {
  private func driver() -> ConsoleDriver {
    var driver = ConsoleDriver()
    driver.add((1...3).map { .make($0) })
    return driver
  }

  private func width(_ column: RequestColumn, _ driver: ConsoleDriver) -> Int? {
    driver.columns.places.first { $0.column == column }?.width
  }

  @Test func keysInTheColumnsMenuChangeAWidthThatIsKept() {
    var driver = driver()
    let before = width(.method, driver) ?? 0
    driver.press("C j j j > > >")
    #expect(width(.method, driver) == before + 3)
    #expect(driver.shows("\(before + 3) wide"))
    #expect(driver.effects.contains(.saveView(driver.state.view)))
    #expect(driver.state.view.widths == [.method: before + 3])
    driver.press("< left")
    #expect(width(.method, driver) == before + 1)
    driver.press("space del")
    #expect(driver.state.view.widths.isEmpty && driver.state.view.columns.isEmpty, "as they fit")
    #expect(width(.method, driver) == before)
  }

  @Test func theMenuSaysWhichChosenColumnHasNoRoom() {
    var driver = driver()
    driver.press("C G space")
    #expect(driver.state.view.columns.contains(.timeline))
    #expect(driver.state.draw().grid.lines.contains { $0.contains("● timeline") && $0.contains("no room") })
  }

  @Test func ctrlLDrawsTheScreenAgainWhateverIsOpen() {
    for keys in ["", "?", ":", "C", "/", "x"] {
      var driver = driver()
      driver.press(keys)
      let before = driver.state.draw().grid
      driver.press("ctrl-l")
      #expect(driver.effects.last == .redraw)
      #expect(driver.state.draw().grid == before, "\(keys)")
    }
  }

  @Test func theMouseDragsTheEdgeOfAColumn() {
    var driver = driver()
    guard let host = driver.columns.places.first(where: { $0.column == .host }) else {
      Issue.record("no host")
      return
    }
    func mouse(_ kind: MouseEvent.Kind, _ x: Int) {
      driver.send(.input(.mouse(MouseEvent(kind, at: Point(x: x, y: 2)))))
    }
    mouse(.press(.left), host.x + host.width)
    mouse(.drag(.left), host.x + 8)
    mouse(.release(.left), host.x + 8)
    #expect(width(.host, driver) == 8)
    #expect(driver.state.requests.list.query.sort.isArrival, "a drag sorts nothing")
    #expect(driver.effects.contains(.saveView(driver.state.view)))
    mouse(.press(.left), host.x + 1)
    #expect(driver.state.requests.list.query.sort.column == .host)
  }

  @Test func aNarrowScreenKeepsTheMostTellingOfTheChosenColumns() {
    let layout = ColumnLayout(
      width: 60, chosen: RequestColumn.allCases, widths: [:], digits: 4, showsProcess: false)
    #expect(layout.places.map(\.column).contains(.path))
    #expect(layout.places.map(\.column).contains(.status))
  }

  @Test func thePathGivesRoomAwayOnlyWhenItsWidthIsChosen() {
    var driver = driver()
    let wide = width(.path, driver) ?? 0
    driver.press("C")
    for _ in 0..<6 { driver.press("j") }
    driver.press("<")
    #expect(width(.path, driver) == wide - 1)
  }

  @Test func sortingShowsWhatComesFirstButKeepsAnOpenRequest() {
    var driver = ConsoleDriver()
    driver.add((1...50).map { .make($0, took: $0 * 1_000) })
    driver.press("k k k")
    driver.perform(.requests(.sort(by: .duration)))
    driver.send(.tick)
    #expect(driver.state.requests.list.scroll == ListScroll() && driver.state.requests.list.selectedID != 1)
    driver.press("j j enter")
    let open = driver.state.requests.detail.id
    #expect(open != nil)
    driver.perform(.requests(.setSort(SortOrder(.duration))))
    driver.send(.tick)
    #expect(driver.state.requests.list.selectedID == open && driver.state.requests.detail.id == open)
    #expect(driver.state.requests.list.scroll.selected > 40)
  }

  @Test func aLongSortedListIsSortedAgainWhenItsSearchTookShort() {
    var driver = ConsoleDriver()
    driver.exchanges = (1...25_000).map { .make($0, took: $0) }
    driver.press("o 9")
    #expect(driver.state.requests.list.query.sort.column == .size)
    driver.add([.make(25_001, took: 1)])
    #expect(driver.state.requests.list.order.count == 25_000)
    driver.now = Timestamp(microseconds: driver.now.microseconds + 2_000_000)
    driver.send(.tick)
    #expect(driver.state.requests.list.order.count == 25_001)
  }

  @Test func onANarrowScreenThePathIsGivenRoomBeforeTheHost() {
    let layout = ColumnLayout(width: 80, chosen: [], widths: [:], digits: 4, showsProcess: false)
    let widths = Dictionary(uniqueKeysWithValues: layout.places.map { ($0.column, $0.width) })
    #expect((widths[.path] ?? 0) > (widths[.host] ?? 0))
    #expect((widths[.path] ?? 0) >= 17)
  }
}
