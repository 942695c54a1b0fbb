import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The tab of the requests: what it keeps of what it is told, and what it leaves as it is.
@Suite(.bounded) struct RequestsTabTests {
  private func saves(_ driver: ConsoleDriver) -> Int {
    driver.effects.filter { if case .saveView = $0 { true } else { false } }.count
  }

  // MARK: What the runtime tells

  @Test func whatIsPausedShowsWhatBecomesOfItsRowsAndCountsEachNewOneOnce() {
    var driver = ConsoleDriver()
    driver.add((1...3).map { .make($0) })
    driver.press("p")
    driver.add([.make(3, status: 503)])
    #expect(driver.shows("✗ 503") && driver.state.requests.list.paused == [])
    driver.add([.make(4, phase: .waiting)])
    driver.add([.make(4)])
    #expect(driver.state.requests.list.paused == [4] && driver.shows("paused, 1 new"))
    let changed = ExchangeChange(Exchange.make(2, status: 418).summary, matches: false)
    driver.send(.exchanges([changed], query: driver.query.token))
    #expect(driver.shows("! 418") && driver.state.requests.list.order.count == 3)
    driver.press("p")
    #expect(driver.state.requests.list.order.last == 4 && driver.state.requests.list.paused == nil)
  }

  @Test func theHighestIdThatASearchFindsIsKnown() {
    var driver = ConsoleDriver()
    driver.send(.ids(IDBatch(token: driver.query.token, ids: [50, 49, 7])))
    #expect(driver.state.requests.recorded.newest == 50)
    driver.perform(.requests(.setSort(SortOrder(.size))))
    for (ids, newest) in [([3, 61], 61), ([70, 2], 70), ([5], 70)] as [([Int64], Int64)] {
      driver.send(.ids(IDBatch(token: driver.query.token, ids: ids)))
      #expect(driver.state.requests.recorded.newest == newest)
    }
  }

  @Test func oneThatIsHeldSinceBeforeIsCountedWhenItIsRead() {
    var driver = ConsoleDriver()
    driver.send(.summaries([Exchange.make(6).summary, Exchange.make(7, phase: .heldRequest).summary]))
    #expect(driver.state.requests.recorded.held.ids == [7] && driver.state.requests.recorded.newest == 7)
    #expect(driver.shows("1 held"))
  }

  @Test func theLookForAFailedRowGoesOnWhereOthersHaveGone() {
    var driver = ConsoleDriver()
    let recorded = (Int64(1)...30).filter { $0 < 10 || $0 > 19 }
    driver.exchanges = recorded.map { Exchange.make($0, status: $0 == 1 ? 500 : 200) }
    driver.send(.ids(IDBatch(token: driver.query.token, ids: Array((1...30).reversed()))))
    driver.press("[")
    #expect(driver.state.requests.list.selectedID == 30 && !driver.shows("No failed request"))
    driver.send(.gone(Array(10...19)))
    #expect(driver.state.requests.list.selectedID == 1)
  }

  @Test func tagsOfWhatIsNotKnownAreAskedForBeforeTheyAreAddedTo() {
    var driver = ConsoleDriver()
    driver.add([.make(1), .make(2)])
    driver.press("g m G")
    let changes = (Int64(3)...4_300).map { ExchangeChange(Exchange.make($0, body: nil).summary) }
    driver.send(.exchanges(changes, query: driver.query.token))
    #expect(driver.state.requests.list.cache[1] == nil && driver.state.requests.list.marks == [1])
    driver.press("t")
    #expect(driver.effects.contains(.loadSummaries([1])) && driver.state.requests.list.cache[1] != nil)
    driver.type("slow")
    driver.press("enter")
    #expect(driver.exchanges[0].tags == ["slow"])
  }

  // MARK: Filters

  @Test func aFilterThatAMenuPutInForceComesBackByTheArrow() {
    var driver = ConsoleDriver()
    driver.add([.make(1), .make(2, status: 500)])
    driver.press("g + s")
    #expect(driver.query.filter == "status:200")
    driver.press("\\ / up")
    #expect(driver.state.requests.bar.editor.text == "status:200" && driver.query.filter == "status:200")
  }

  /// On the right of the bar, where not all of it fits.
  @Test func ofWhatIsSaidOfTheListTheMostTellingStays() {
    func driver() -> ConsoleDriver {
      var driver = ConsoleDriver(width: 40, height: 20)
      driver.add((1...10).map { .make($0) })
      return driver
    }
    var filtered = driver()
    filtered.send(.recorded(1_234_567))
    filtered.perform(.requests(.applyFilter("api")))
    filtered.press("k j")
    #expect(filtered.lines[1].contains("10 of 1,234,567") && !filtered.lines[1].contains("10/10"))
    var marked = driver()
    marked.press("g m m m m m m m m m m G")
    #expect(marked.lines[1].contains("following") && !marked.lines[1].contains("marked"))
    marked.press("p")
    marked.state.perform(.requests(.setDeleted([], false)))
    #expect(marked.state.requests.list.isSearching)
    #expect(marked.lines[1].contains("paused · 10 marked") && !marked.lines[1].contains("searching"))
  }

  // MARK: Columns

  @Test func theLastColumnStays() {
    var driver = ConsoleDriver(view: ViewSettings(columns: [.path]))
    driver.add([.make(1)])
    driver.perform(.requests(.changeColumn(.path, .toggle, selected: 0)))
    #expect(driver.state.view.columns == [.path] && saves(driver) == 0)
    driver.perform(.requests(.changeColumn(.status, .toggle, selected: 0)))
    #expect(driver.state.view.columns == [.status, .path] && saves(driver) == 1)
    driver.perform(.requests(.changeColumn(.path, .toggle, selected: 0)))
    #expect(driver.state.view.columns == [.status] && saves(driver) == 2)
  }

  @Test func aColumnHasItsWidthWithinBounds() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.perform(.requests(.changeColumn(.timeline, .resize(by: 1), selected: 0)))
    #expect(driver.shows("The column timeline is not shown, so its width cannot be seen."))
    #expect(driver.state.view.widths.isEmpty && saves(driver) == 0)
    driver.setWidth(of: .path, to: 900)
    #expect(driver.state.view.widths == [.path: 200] && driver.state.view.widthsFor == 120)
    driver.setWidth(of: .path, to: 1)
    #expect(driver.state.view.widths == [.path: 8])
    driver.perform(.requests(.changeColumn(.path, .reset, selected: 0)))
    #expect(driver.state.view.widths.isEmpty && driver.state.view.columns.isEmpty && driver.state.view.widthsFor == 0)
  }

  @Test func byTheTimelineNothingIsSorted() throws {
    var driver = ConsoleDriver(width: 200, height: 14)
    driver.add((1...3).map { .make($0) })
    let place = try #require(driver.columns.places.first { $0.column == .timeline })
    let before = driver.effects.count
    let point = Point(x: place.x + 1, y: driver.layout.columns.y)
    driver.send(.input(.mouse(MouseEvent(.press(.left), at: point))))
    driver.send(.input(.mouse(MouseEvent(.release(.left), at: point))))
    #expect(driver.query.sort == .arrival && driver.effects.count == before)
  }

  // MARK: Time

  /// Tenths of a second are seen for ten seconds.
  @Test(arguments: [(50_000, 100_000), (9_999_999, 100_000), (10_000_000, 1_000_000)])
  func aWaitingRowIsDrawnAgainWhenItsTimeIsAnother(_ elapsed: Int64, _ step: Int64) {
    var driver = ConsoleDriver()
    let exchange = Exchange.make(1, phase: .waiting)
    driver.add([exchange])
    driver.now = Timestamp(microseconds: exchange.startedAt.microseconds + elapsed)
    driver.send(.tick)
    func next() -> Int64? { driver.state.requests.nextTick(in: driver.state.context.body, driver.state.context) }
    #expect(next() == (driver.now.microseconds / step + 1) * step)
    driver.add([.make(1)])
    #expect(next() == nil)
  }

  // MARK: Held

  @Test func whatAStubWouldAnswerIsFilledInFromTheHeldRequest() {
    var driver = ConsoleDriver(width: 160, height: 30)
    driver.add([.make(1, "GET", "https://api.example.com/v1/users?page=7", phase: .heldRequest)])
    let answer = CannedResponse(
      status: 404, headers: [HeaderField("X", "{{request.query.page}}")], body: .text("n {{count}}"))
    driver.board = StubBoard(
      revision: 1, entries: [.init(stub: Stub(name: "n", then: .respond(answer)), origin: .console)])
    driver.send(.board(driver.board, by: nil))
    driver.send(.progress(HarnessProcess(name: "demo", pid: 4121), [StubProgress(name: "n", hits: 4)]))
    driver.press("w enter")
    guard case .decide(let decisions) = driver.effects.last, case .respond(let canned) = decisions.first?.decision
    else { return #expect(Bool(false), "no answer") }
    #expect(canned.status == 404 && canned.headers.contains(HeaderField("X", "7")))
    #expect(canned.body == .data(Data("n 5".utf8)), "the one after the four that it had")
    #expect(driver.shows("Answered as “n” would."))
  }
}
