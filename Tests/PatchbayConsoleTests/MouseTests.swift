import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// Clicks and the wheel over boxes, and over the end of a page.
@Suite(.bounded) struct MouseTests {
  private func click(_ x: Int, _ y: Int, _ driver: inout ConsoleDriver) {
    driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: x, y: y)))))
    driver.send(.input(.mouse(MouseEvent(.release(.left), at: Point(x: x, y: y)))))
  }

  private func line(_ text: String, _ driver: ConsoleDriver) throws -> Int {
    try #require(driver.lines.firstIndex { $0.contains(text) })
  }

  @Test(arguments: [(80, 24), (120, 36), (200, 60)])
  func aClickOnACommandOfThePaletteRunsIt(width: Int, height: Int) throws {
    var driver = Sample.driver(width, height)
    driver.press(":")
    driver.type("all keys")
    click(width / 2, try line("All keys", driver), &driver)
    guard driver.state.boxes.last is HelpBox else { return #expect(Bool(false), "no help") }
    #expect(driver.state.boxes.count == 1)
  }

  @Test func aClickInTheFrameOfAMenuLeavesItOpenAndOneBesideItClosesIt() throws {
    var driver = Sample.driver(120, 36)
    driver.press("2 n")
    let y = try line("╭─ Requests that no stub takes", driver)
    let x = try #require(driver.lines[y].firstIndex(of: "╭")).utf16Offset(in: driver.lines[y])
    for place in [x, x + 5] { click(place, y, &driver) }
    #expect(driver.state.boxes.count == 1)
    click(x, y - 1, &driver)
    #expect(driver.state.boxes.isEmpty)
  }

  @Test func aClickBesideThePaletteClosesItAndOneInItsFrameDoesNot() throws {
    var driver = Sample.driver(120, 36)
    driver.press(":")
    driver.type("theme")
    click(60, try line(": theme", driver), &driver)
    click(60, try line("Choose a theme", driver) + 1, &driver)
    #expect(driver.state.boxes.count == 1)
    click(1, 30, &driver)
    #expect(driver.state.boxes.isEmpty)
  }

  @Test func aScrolledPaletteRunsWhatIsUnderThePointer() throws {
    var driver = Sample.driver(80, 24)
    driver.press(":")
    let place = try #require(
      PaletteBox.rows(driver.state.context).firstIndex { $0.binding.command == .global(.showProcesses) })
    for _ in 0..<(place - 3) { driver.send(.input(.mouse(MouseEvent(.wheelDown, at: Point(x: 40, y: 10))))) }
    guard let palette = driver.state.boxes.last as? PaletteBox else { return #expect(Bool(false), "no palette") }
    #expect(palette.selected == place - 3)
    click(40, try line("Linked processes", driver), &driver)
    #expect(driver.state.boxes.isEmpty)
    #expect(driver.state.tab == .processes)
  }

  @Test func aClickInTheHelpLeavesItOpen() {
    var driver = Sample.driver(120, 36)
    driver.press("?")
    click(60, 12, &driver)
    #expect(driver.state.boxes.count == 1)
    click(1, 12, &driver)
    #expect(driver.state.boxes.isEmpty)
  }

  @Test func theWheelDoesNotLeaveEmptyRowsBelowTheEnd() {
    var driver = ConsoleDriver(width: 120, height: 30)
    driver.add([.make(1, headers: [], body: (1...200).map { "line \($0)" }.joined(separator: "\n"))])
    driver.press("enter")
    let wheel = MouseEvent(.wheelDown, at: Point(x: 10, y: driver.layout.detail.y + 2))
    for _ in 0..<100 { driver.send(.input(.mouse(wheel))) }
    let page = driver.state.requests.detail.page
    #expect(page.top == page.count - driver.layout.detail.height)
    #expect(driver.shows("line 200"))
  }

  @Test func aPageThatFitsDoesNotScroll() {
    var driver = ConsoleDriver(width: 120, height: 30)
    driver.add([.make(1, headers: [], body: "one\ntwo")])
    driver.press("enter")
    driver.send(
      .input(.mouse(MouseEvent(.wheelDown, at: Point(x: 10, y: driver.layout.detail.y + 2)))))
    #expect(driver.state.requests.detail.page.top == 0)
  }

  @Test func whatIsFoldedAtTheEndShowsWhatIsAboveIt() {
    var driver = ConsoleDriver(width: 80, height: 24)
    let list = (0..<60).map { "{\"a\":\($0)}" }.joined(separator: ",")
    driver.add([.make(1, headers: [], body: "{\"list\":[\(list)],\"z\":1}")])
    driver.press("enter tab G -")
    #expect(driver.state.requests.detail.page.top == 0)
    #expect(driver.shows("\"list\": [ … "))
  }

  @Test func threeLettersOfOneWordFindIt() {
    #expect(Fuzzy.match("thm", in: "Choose a theme")?.isClose == true)
    #expect(Fuzzy.match("cat", in: "Choose a theme")?.isClose == true)
    #expect(Fuzzy.match("hem", in: "Choose a theme")?.isClose == true)
    #expect(Fuzzy.match("oat", in: "Go between list and the detail")?.isClose == false)
  }

  /// Each hint of the footer, at its first and its last column, on each tab, with a menu open and while a filter is typed.
  @Test(arguments: [(80, 24), (200, 60)])
  func aClickOnAHintIsItsKey(width: Int, height: Int) throws {
    var clicked = 0
    for way in ["1", "1 enter", "1 enter tab", "2", "3", "4", "1 x", "1 /", "1 e", ":"] {
      var driver = Sample.driver(width, height)
      driver.press(way)
      let foot = driver.lines[height - 1]
      for x in 0..<width {
        guard let key = driver.state.footer.key(at: x) else { continue }
        let (before, after) = (driver.state.footer.key(at: x - 1), driver.state.footer.key(at: x + 1))
        guard before != key || after != key else { continue }
        if before != key {
          let shown = foot.dropFirst(x).prefix { $0 != " " }
          #expect(Binding.label(key) == String(shown), "\(foot)")
        }
        clicked += 1
        var (byKey, byMouse) = (driver, driver)
        byKey.send(.input(.key(key)))
        click(x, height - 1, &byMouse)
        #expect(byMouse.screen == byKey.screen, "\(way), then \(key)")
        #expect(byMouse.effects.count == byKey.effects.count, "\(way), then \(key)")
      }
    }
    #expect(clicked > 40)
  }

  /// From a row that is selected: three clicks.
  @Test(arguments: [(80, 24), (120, 36), (200, 60)]) func aHostTimesOutByClicks(width: Int, height: Int) throws {
    var driver = Sample.driver(width, height)
    driver.press("g")
    func click(_ text: String) throws {
      let y = try #require(driver.lines.lastIndex { $0.contains(text) }, "\(text): \(driver.screen)")
      let line = driver.lines[y]
      let place = try #require(line.range(of: text))
      self.click(textWidth(String(line[..<place.lowerBound])), y, &driver)
    }
    let before = driver.board.stubs
    try click("x fail")
    try click("tab ")
    try click("Timed out")
    let new = driver.board.stubs.filter { !before.contains($0) }
    #expect(new.count == 1 && new[0].enabled && new[0].when.host != nil && new[0].when.path == nil, "\(new)")
    guard case .fail(let fault)? = new.first?.then else { throw StubError("no fault: \(new)") }
    #expect("\(fault)".contains("timedOut"))
  }

  @Test func aScreenThatIsTooSmallHasNoHints() {
    var driver = Sample.driver(80, 24)
    driver.send(.resized(Size(width: 20, height: 4)))
    for x in 0..<20 { click(x, 3, &driver) }
    #expect(driver.effects.allSatisfy { if case .quit = $0 { false } else { true } })
  }
}
