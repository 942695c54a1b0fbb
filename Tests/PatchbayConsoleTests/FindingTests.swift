import PatchbayGrid
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Runs in the list, filters by what is under the cursor and by name, tags and notes.
@Suite(.bounded) struct FindingTests {
  private func runs(_ count: Int = 3) -> [RunRow] {
    (0..<Int64(count)).map { place -> RunRow in
      let start = Timestamp(microseconds: 1_699_000_000_000_000 + place * 86_400_000_000)
      let process = HarnessProcess(name: "app", pid: 1_600 + Int32(place))
      return RunRow(number: place + 1, startedAt: start, process: process, first: place * 4 + 1, count: 4)
    }
  }

  private func driver(_ width: Int = 120, _ height: Int = 36, count: Int64 = 12) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height)
    driver.send(.runs(runs()))
    for id in 1...count {
      var exchange = Exchange.make(id, status: id % 3 == 0 ? 404 : 200)
      exchange.run = (id - 1) / 4 + 1
      driver.add([exchange])
    }
    return driver
  }

  @Test func headsStandBeforeEachRun() {
    var driver = driver()
    let rows = driver.lines.filter { $0.contains("── run ") }
    #expect(rows.count == 3)
    #expect(rows[1].contains("run 2 · 4 Nov") && rows[1].contains("app 1601 · 4 requests"))
    driver.press("/")
    driver.type("id:5..8")
    driver.press("enter")
    #expect(!driver.shows("── run "), "of one run alone no head is needed")
    driver.press("esc o 7")
    #expect(!driver.shows("── run "), "sorted rows are not parted")
  }

  /// However small the list, each row can be reached and is seen when it is selected.
  @Test(arguments: [9, 10, 12, 17, 24, 36]) func eachRowIsReached(_ height: Int) {
    var driver = driver(80, height)
    for keys in ["home", "end"] {
      driver.press(keys)
      for _ in 0..<12 {
        #expect(driver.lines.contains { $0.contains("▸") }, "\(height)\n\(driver.screen)")
        driver.press(keys == "home" ? "j" : "k")
      }
    }
  }

  @Test func aClickHitsTheRowThatIsSeen() throws {
    var driver = driver()
    let row = try #require(driver.lines.firstIndex { $0.contains("   7 ") })
    driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: 30, y: row)))))
    #expect(driver.state.context.selected?.id == 7)
    let head = try #require(driver.lines.firstIndex { $0.contains("── run 2") })
    driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: 30, y: head)))))
    #expect(driver.state.context.selected?.id == 7, "a head is no row")
  }

  @Test func timesOfOtherDaysSayTheDay() {
    var driver = driver()
    #expect(!driver.shows("14 Nov"), "today")
    driver.now = Timestamp(microseconds: driver.now.microseconds + 2 * 86_400_000_000)
    driver.send(.tick)
    #expect(driver.lines.contains { $0.contains("14 Nov 22:13") })
    #expect(Wording.moment(driver.now, now: driver.now, utcOffset: 0, width: 8) == "22:13:20")
    let old = Timestamp(microseconds: 0)
    #expect(Wording.moment(old, now: driver.now, utcOffset: 0, width: 12) == "1 Jan 1970")
    #expect(Wording.moment(old, now: driver.now, utcOffset: 0, width: 8) == "1970")
    driver.press("enter right right")
    #expect(driver.shows("14 Nov 2023 22:13:20"))
  }

  @Test func theFilterTakesWhatIsUnderTheCursor() {
    var driver = driver()
    driver.press("g + s")
    #expect(driver.query.filter == "status:200")
    driver.press("- e")
    #expect(driver.query.filter == "status:200 -(host:api.example.com path:~^/v1/users$ method:GET)")
    #expect(driver.shows("No request fits"))
    driver.press("\\")
    #expect(driver.query.filter == "")
    driver.press("/")
    driver.type("id:1 | id:2")
    driver.press("enter + h")
    #expect(driver.query.filter == "(id:1 | id:2) host:api.example.com")
    driver.press("esc u")
    #expect(driver.shows("There is nothing to undo."), "a filter is no change")
  }

  @Test func filtersAreSavedUnderANumber() {
    var driver = driver()
    driver.press("f 1")
    #expect(driver.query.filter == "is:bad")
    driver.press("+ h f s")
    driver.press("ctrl-u")
    driver.type("mine")
    driver.press("enter \\ f")
    #expect(driver.shows("5") && driver.shows("mine"))
    driver.press("5")
    #expect(driver.query.filter == "is:bad host:api.example.com")
    driver.press("f d 1 f 1")
    #expect(driver.query.filter == "time:>1s")
    let saved = driver.effects.compactMap { if case .saveView(let view) = $0 { view.filters.map(\.name) } else { nil } }
    #expect(saved.last == ["slow", "last 5 minutes", "this run", "mine"])
  }

  @Test func tagsAndNotesAreSeenFoundAndTakenBack() {
    var driver = driver()
    driver.press("g t")
    driver.type("slow, flaky")
    driver.press("enter ;")
    driver.type("see 首 7")
    driver.press("enter")
    #expect(driver.exchanges[0].tags == ["slow", "flaky"] && driver.exchanges[0].note == "see 首 7")
    #expect(driver.lines.contains { $0.contains("✎") })
    driver.press("enter")
    #expect(driver.shows("#slow #flaky") && driver.shows("✎ see 首 7"))
    driver.press("esc m m t")
    driver.type("both")
    driver.press("enter")
    #expect(driver.exchanges[0].tags == ["slow", "flaky", "both"] && driver.exchanges[1].tags == ["both"])
    driver.press("u u u")
    #expect(driver.exchanges[0].tags.isEmpty && driver.exchanges[0].note == nil && driver.exchanges[1].tags.isEmpty)
    driver.press("ctrl-r")
    #expect(driver.exchanges[0].tags == ["slow", "flaky"])
    // What its program tells later takes nothing away.
    var later = driver.exchanges[0]
    later.tags = []
    driver.send(.exchanges([ExchangeChange(later.summary)], query: driver.query.token))
    #expect(driver.state.context.selected.map { $0.tags } != nil)
    driver.press("' g")
    #expect(driver.state.context.selected?.tags == ["slow", "flaky"])
  }

  @Test func whatCameSinceIsCounted() {
    var driver = driver()
    #expect(driver.shows("following"))
    driver.press("k k")
    #expect(driver.shows("2 newer · G follows"))
    driver.press("G")
    #expect(driver.shows("following"))
  }

  @Test func aFileThatIsBrowsedSaysSo() {
    var driver = ConsoleDriver(width: 80, height: 24, setup: ConsoleSetup(mode: .open(file: "yesterday.sqlite")))
    #expect(driver.shows("READ-ONLY") && driver.shows("Nothing is recorded in yesterday.sqlite"))
    driver.add([Exchange.make(1)])
    #expect(!driver.shows("linked") && !driver.shows("following"))
  }

  @Test func thePresentRunWaitsForItsFirstRequest() {
    var driver = ConsoleDriver(setup: ConsoleSetup(mode: .run(command: "./app"), filter: "run:last"))
    #expect(driver.shows("Waiting for the first request of ./app") && driver.shows("shows earlier runs"))
    driver.press("esc")
    #expect(driver.query.filter == "")
    #expect(Filter.ofLastRun(and: "a | b") == "run:last (a | b)" && Filter.ofLastRun(and: "run:2") == "run:2")
  }

  @Test func aFileIsOpenedFromThePalette() {
    var driver = driver()
    driver.press(":")
    driver.type("open a his")
    driver.press("enter")
    driver.type("/tmp/h.sqlite")
    driver.press("enter")
    #expect(driver.effects.last == .openFile("/tmp/h.sqlite"))
  }
}
