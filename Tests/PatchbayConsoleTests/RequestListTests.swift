import Foundation
import PatchbayGrid
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct RequestListTests {
  private func numbered(_ range: ClosedRange<Int64>) -> [Exchange] { range.map { .make($0) } }

  @Test func aLiveRequestAppearsAndChangesInPlace() {
    var driver = ConsoleDriver()
    driver.add([.make(1, phase: .waiting)])
    #expect(driver.shows("… waiting"))
    driver.add([.make(1, status: 503)])
    #expect(driver.shows("✗ 503"))
    #expect(!driver.shows("waiting"))
    #expect(driver.state.requests.list.order.count == 1)
  }

  @Test func itFollowsTheNewestUntilOneMoves() {
    var driver = ConsoleDriver(height: 14)
    driver.add(numbered(1...50))
    #expect(driver.state.requests.list.selectedID == 50)
    driver.add(numbered(51...52))
    #expect(driver.state.requests.list.selectedID == 52)
    driver.press("k k")
    driver.add(numbered(53...60))
    #expect(driver.state.requests.list.selectedID == 50)
    driver.press("G")
    driver.add(numbered(61...61))
    #expect(driver.state.requests.list.selectedID == 61)
    driver.now.microseconds += 1_000_000
    driver.press("k j")
    driver.add(numbered(62...62))
    #expect(driver.state.requests.list.selectedID == 61, "a row that was chosen stays chosen")
    driver.press("j j")
    driver.add(numbered(63...63))
    #expect(driver.state.requests.list.selectedID == 63)
    #expect(driver.shows("following"))
  }

  @Test func vimKeysAndArrowsMove() {
    var driver = ConsoleDriver(height: 20)
    driver.add(numbered(1...100))
    driver.press("g")
    #expect(driver.state.requests.list.selectedID == 1)
    driver.press("j down")
    #expect(driver.state.requests.list.selectedID == 3)
    driver.press("ctrl-d ctrl-u k up")
    #expect(driver.state.requests.list.selectedID == 1)
    driver.press("pgdn")
    #expect(driver.state.requests.list.selectedID ?? 0 > 10)
    driver.press("end")
    #expect(driver.state.requests.list.selectedID == 100)
  }

  @Test func whatTheHistoryLetGoLeavesTheList() {
    var driver = ConsoleDriver(height: 14)
    driver.send(.recorded(50))
    driver.add(numbered(1...50))
    driver.press("g j j m g")
    driver.send(.retired(exchanges: 19, below: 21))
    #expect(driver.state.requests.list.order.count == 31, "the marked one stays")
    #expect(driver.state.requests.list.order.first == 3)
    #expect(driver.state.requests.recorded.count == 81)
    driver.send(.gone([21, 22]))
    #expect(driver.state.requests.list.order.count == 29)
    driver.send(.gone([3]))
    #expect(driver.state.requests.list.order.count == 28 && driver.state.requests.list.marks.isEmpty)
    driver.press("G")
    driver.send(.retired(exchanges: 10, below: 31))
    #expect(driver.state.requests.list.selectedID == 50)
    #expect(!driver.lines.contains { $0.contains("▸ …") })
  }

  @Test func aRowLeavesAndEntersTheFilterAsItChanges() {
    var driver = ConsoleDriver()
    driver.add(numbered(1...3))
    driver.press("/")
    driver.type("status:5xx")
    driver.press("enter")
    #expect(driver.shows("No request fits the filter."))
    driver.add([.make(2, status: 500)])
    #expect(driver.shows("✗ 500"))
    driver.add([.make(4, status: nil, phase: .waiting), .make(5, status: 502)])
    #expect(driver.state.requests.list.order.count == 2)
    driver.add([.make(2, status: 200)])
    #expect(driver.state.requests.list.order.count == 1)
    #expect(driver.shows("1 of 5"))
  }

  @Test func pausedItStandsStillAndLosesNothing() {
    var driver = ConsoleDriver()
    driver.add(numbered(1...3))
    driver.press("p")
    driver.add(numbered(4...9))
    #expect(driver.state.requests.list.order.count == 3)
    #expect(driver.shows("paused, 6 new"))
    driver.press("p")
    #expect(driver.state.requests.list.order.count == 9)
    #expect(driver.state.requests.list.selectedID == 9)
  }

  @Test func clearingIsUndone() {
    var driver = ConsoleDriver()
    driver.add(numbered(1...3))
    driver.press("z")
    #expect(driver.shows("The list is cleared."))
    driver.add(numbered(4...4))
    #expect(driver.state.requests.list.order.count == 1)
    driver.press("u")
    #expect(driver.state.requests.list.order.count == 4)
    driver.press("ctrl-r")
    #expect(driver.state.requests.list.order.count == 1)
  }

  @Test func deletingIsUndoneAndTakesTheMarkedOnes() {
    var driver = ConsoleDriver()
    driver.add(numbered(1...5))
    driver.press("g m m d")
    #expect(driver.state.requests.list.order.count == 3)
    #expect(driver.effects.contains(.setDeleted([1, 2], true)))
    #expect(driver.state.requests.list.marks.isEmpty && !driver.shows(" marked"))
    driver.press("d")
    #expect(driver.effects.contains(.setDeleted([3], true)), "what went before is not meant again")
    driver.press("u u")
    #expect(driver.state.requests.list.order.count == 5)
    #expect(driver.state.requests.list.marks.sorted() == [1, 2] && driver.shows("2 marked"))
    driver.press("d")
    #expect(driver.state.requests.list.order.count == 3, "what has its mark again is meant again")
    driver.press("g d d d")
    #expect(driver.shows("No request is left; all were deleted.") && !driver.shows("no request yet"))
    driver.press("u")
    #expect(driver.state.requests.list.order.count == 1 && !driver.shows("all were deleted"))
  }

  /// Such as those of a session that is opened again.
  @Test func whatWasMarkedBeforeIsMarked() {
    var driver = ConsoleDriver()
    driver.exchanges = numbered(1...3)
    for place in 0...1 { driver.exchanges[place].marked = true }
    driver.send(.ids(IDBatch(token: driver.query.token, ids: [3, 2, 1])))
    #expect(driver.shows("2 marked"))
    driver.press("d")
    #expect(driver.effects.contains(.setDeleted([1, 2], true)))
    driver.press("u '")
    #expect(driver.effects.contains(.setMarked([2, 1], false)) || driver.effects.contains(.setMarked([1, 2], false)))
    #expect(!driver.shows(" marked"))
  }

  @Test func jumpsBetweenFailures() {
    var driver = ConsoleDriver()
    var exchanges = numbered(1...40)
    exchanges[4] = .make(5, status: 404)
    exchanges[29] = .make(30, error: RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut"))
    driver.add(exchanges)
    driver.press("[")
    #expect(driver.state.requests.list.selectedID == 30)
    driver.press("[")
    #expect(driver.state.requests.list.selectedID == 5)
    driver.press("]")
    #expect(driver.state.requests.list.selectedID == 30)
    driver.press("]")
    #expect(driver.shows("No failed request further down."))
  }

  @Test func jumpsToAFailureThatIsNotLoaded() {
    var driver = ConsoleDriver(height: 14)
    driver.exchanges = numbered(1...3_000)
    driver.exchanges[9] = .make(10, status: 500)
    driver.press("/ esc")
    driver.send(.ids(IDBatch(token: driver.query.token, ids: driver.exchanges.map(\.id).reversed())))
    #expect(driver.state.requests.list.order.count == 3_000)
    driver.press("[")
    #expect(driver.state.requests.list.selectedID == 10)
  }

  @Test func splittingNeedsSomethingToShow() {
    var driver = ConsoleDriver()
    driver.press("v")
    #expect(!driver.state.requests.detail.isOpen && driver.shows("There is no request to open"))
    driver.add((1...3).map { .make($0) })
    driver.press("v")
    #expect(driver.state.requests.detail.isOpen && !driver.state.requests.list.follows && driver.layout.isBeside)
    driver.send(.resized(Size(width: 79, height: 24)))
    driver.press("v")
    #expect(!driver.layout.isBeside && driver.shows("From 80 columns on"))
    driver.press("esc")
    #expect(driver.state.requests.list.follows)
  }

  @Test func theWheelDoesNotTakeAnOpenRequestAway() {
    var driver = ConsoleDriver()
    driver.add((1...3).map { .make($0) })
    driver.press("g enter")
    driver.send(.input(.mouse(MouseEvent(.wheelDown, at: Point(x: 10, y: driver.layout.rows.y)))))
    #expect(driver.state.requests.detail.id == 1 && !driver.state.requests.list.follows)
    driver.press("esc")
    driver.send(.input(.mouse(MouseEvent(.wheelDown, at: Point(x: 10, y: driver.layout.rows.y)))))
    #expect(driver.state.requests.list.follows, "the end of the list follows")
  }

  @Test func sortsByAColumnAndBack() {
    var driver = ConsoleDriver()
    driver.add([.make(1, took: 50_000), .make(2, took: 900_000), .make(3, took: 1_000)])
    driver.press("o")
    driver.press("j j j j j j j j j enter")
    #expect(driver.state.requests.list.query.sort == SortOrder(.duration, descending: true))
    #expect((0..<3).map { driver.state.requests.list.order[$0] } == [2, 1, 3])
    driver.press("O")
    #expect((0..<3).map { driver.state.requests.list.order[$0] } == [3, 1, 2])
    driver.press("F")
    #expect((0..<3).map { driver.state.requests.list.order[$0] } == [1, 2, 3])
  }

  @Test func aRowThatComesWhileSortedFindsItsPlaceAtTheNextTick() {
    var driver = ConsoleDriver()
    driver.add([.make(1, took: 50_000), .make(2, took: 900_000)])
    driver.press("o j j j j j j j j j enter")
    driver.add([.make(3, took: 5_000_000)])
    #expect(driver.state.nextTick != nil)
    driver.send(.tick)
    #expect(driver.state.requests.list.order[0] == 3)
  }

  @Test func olderBatchesComeAboveWithoutMovingWhatIsSeen() {
    var driver = ConsoleDriver(height: 14, start: false)
    let all = numbered(1...3_000)
    _ = driver.state.start()
    let token = driver.state.requests.list.query.token
    driver.exchanges = all
    driver.send(.ids(IDBatch(token: token, ids: (2_001...3_000).reversed(), isLast: false)))
    driver.press("k k k k k")
    let seen = driver.lines[3...8].joined()
    driver.send(.ids(IDBatch(token: token, ids: (1...2_000).reversed())))
    #expect(driver.state.requests.list.order.count == 3_000)
    #expect(driver.state.requests.list.selectedID == 2_995)
    #expect(driver.lines[3...8].joined() == seen)
  }

  @Test func batchesOfAnOlderQueryAreLeftOut() {
    var driver = ConsoleDriver()
    let old = driver.query.token
    driver.press("/")
    driver.type("x")
    driver.send(.ids(IDBatch(token: old, ids: [3, 2, 1])))
    #expect(driver.state.requests.list.order.isEmpty)
  }

  @Test func memoryStaysSmallUnderAFlood() {
    var driver = ConsoleDriver()
    for start in stride(from: Int64(1), to: 60_000, by: 500) {
      let changes = (start..<(start + 500)).map { ExchangeChange(Exchange.make($0, body: nil).summary) }
      driver.send(.exchanges(changes, query: driver.query.token))
    }
    #expect(driver.state.requests.list.order.count == 60_000)
    #expect(driver.state.requests.list.cache.count <= 4_096)
  }

  @Test func idleMeansNoWakeUp() {
    var driver = ConsoleDriver()
    #expect(driver.state.nextTick == nil)
    driver.add([.make(1)])
    #expect(driver.state.nextTick != nil)
    for _ in 0..<40 {
      driver.now = Timestamp(microseconds: driver.now.microseconds + 1_000_000)
      driver.send(.tick)
    }
    #expect(driver.state.nextTick == nil)
  }

  @Test func aWaitingRowTicksAndShowsItsTime() {
    var driver = ConsoleDriver()
    driver.add([.make(1, phase: .waiting)])
    driver.now = Timestamp(microseconds: driver.now.microseconds + 4_100_000)
    driver.send(.tick)
    #expect(driver.shows("4.1 s"))
    #expect(driver.state.nextTick != nil)
  }
}
