import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The list of requests as a value: what it asks for, what it keeps, and when it is sorted again.
@Suite(.bounded) struct RequestListValuesTests {
  private func summary(_ id: Int64, bad: Bool = false) -> ExchangeSummary {
    Exchange.make(id, status: bad ? 500 : 200).summary
  }

  private func at(_ microseconds: Int64) -> Timestamp { Timestamp(microseconds: microseconds) }

  /// In the order of arrival; nothing is known of the rows.
  private func listed(_ ids: ClosedRange<Int64>) -> RequestList {
    var list = RequestList()
    var out = Outcomes()
    list.search("", at: at(0), &out)
    list.received(IDBatch(token: 1, ids: Array(ids.reversed())), at: at(0))
    return list
  }

  private func rows(_ list: RequestList) -> [Int64] { (0..<list.order.count).map { list.order[$0] } }

  private func effects(_ out: inout Outcomes) -> [ConsoleEffect] {
    out.drain().compactMap { if case .effect(let effect) = $0 { effect } else { nil } }
  }

  // MARK: Sorted

  @Test func whatCameWhileSortedIsSortedInWhenTheListCanBearIt() {
    var list = RequestList()
    var out = Outcomes()
    list.sort(by: .init(.size), goesToTop: false)
    list.search("", at: at(1_000_000), &out)
    list.received(IDBatch(token: 1, ids: [2, 1]), at: at(1_100_000))
    #expect(!list.sortsAgain(at: at(99_000_000)) && list.nextTick(at: at(1_100_000)) == nil, "nothing came")
    list.place(ExchangeChange(summary(3)), isCurrent: true)
    // The search took a tenth of a second.
    #expect(!list.sortsAgain(at: at(2_099_999)) && list.sortsAgain(at: at(2_100_000)))
    #expect(list.nextTick(at: at(1_100_000)) == 2_100_000)
    list.pause()
    #expect(!list.sortsAgain(at: at(9_000_000)) && list.nextTick(at: at(1_100_000)) == nil)
    list.resume()
    #expect(list.sortsAgain(at: at(9_000_000)))
    // One that takes no time: with the next whole second.
    list.search("", at: at(5_000_000), &out)
    list.place(ExchangeChange(summary(4)), isCurrent: true)
    #expect(!list.sortsAgain(at: at(9_000_000)), "it is being searched")
    list.received(IDBatch(token: 2, ids: [3, 2, 1]), at: at(5_000_000))
    #expect(list.sortsAgain(at: at(5_000_000)) && list.nextTick(at: at(5_300_000)) == 6_000_000)
    // A clock that goes back meanwhile.
    list.search("", at: at(9_000_000), &out)
    list.received(IDBatch(token: 3, ids: [3, 2, 1]), at: at(8_000_000))
    list.place(ExchangeChange(summary(5)), isCurrent: true)
    #expect(!list.sortsAgain(at: at(7_999_999)) && list.sortsAgain(at: at(8_000_000)))
  }

  @Test func theAnswerOfASortedSearchMayComeInParts() {
    var list = RequestList()
    var out = Outcomes()
    list.sort(by: .init(.size), goesToTop: true)
    list.search("", at: at(0), &out)
    list.received(IDBatch(token: 1, ids: [3, 1], isLast: false), at: at(0))
    #expect(rows(list) == [3, 1] && list.isSearching)
    list.received(IDBatch(token: 1, ids: [2]), at: at(0))
    #expect(rows(list) == [3, 1, 2] && !list.isSearching && list.scroll == ListScroll())
  }

  // MARK: Where the selection is

  @Test(
    arguments: [([1, 2, 5, 8], 5), ([1, 2, 8, 9], 8), ([1, 2], 2), ([8, 9], 8), ([], nil)] as [([Int64], Int64?)])
  func aSearchKeepsTheSelectedRowOrGoesToTheNextOne(_ found: [Int64], _ selected: Int64?) {
    var list = listed(1...9)
    var out = Outcomes()
    list.select(4)
    list.search("x", at: at(0), &out)
    #expect(list.selectedID == 5, "the rows of before are shown until others come")
    list.received(IDBatch(token: 2, ids: Array(found.reversed())), at: at(0))
    #expect(list.selectedID == selected)
  }

  // MARK: Kept still

  private func change(_ id: Int64, matches: Bool = true) -> ExchangeChange {
    ExchangeChange(summary(id), matches: matches)
  }

  /// Each row counts once, however often it changes, and in whichever order.
  @Test func whatComesWhileItIsKeptStillIsCounted() {
    var list = listed(1...3)
    list.pause()
    for id in [4, 5, 4, 5, 4] as [Int64] { list.place(change(id), isCurrent: true) }
    #expect(list.paused == [4, 5] && rows(list) == [1, 2, 3])
    list.place(change(4, matches: false), isCurrent: true)
    #expect(list.paused == [5])
    list.resume()
    #expect(rows(list) == [1, 2, 3, 5])
  }

  /// What is gone for good is gone at once; what fits no longer stays in sight until it goes on.
  @Test func whatLeavesWhileItIsKeptStill() {
    var list = listed(1...6)
    list.pause()
    for id in [2, 3] as [Int64] { list.place(change(id, matches: false), isCurrent: true) }
    list.place(change(3), isCurrent: true)
    list.forget(4)
    for id in [7, 8] as [Int64] { list.place(change(id), isCurrent: true) }
    list.forget(8)
    #expect(rows(list) == [1, 2, 3, 5, 6] && list.paused == [7])
    list.retire(below: 2)
    #expect(rows(list) == [2, 3, 5, 6])
    list.resume()
    #expect(rows(list) == [3, 5, 6, 7])
  }

  /// They may be retired before they were seen.
  @Test func whatWaitsMayLeaveTheHistory() {
    var list = listed(1...2)
    list.pause()
    for id in [3, 4, 5] as [Int64] { list.place(change(id), isCurrent: true) }
    list.setMarks([3], true)
    list.retire(below: 5)
    #expect(list.paused == [3, 5])
    list.resume()
    #expect(rows(list) == [3, 5])
  }

  @Test func anotherFilterIsAskedForWhileItIsKeptStill() {
    var list = listed(1...3)
    var out = Outcomes()
    list.pause()
    list.place(change(4), isCurrent: true)
    list.place(change(1, matches: false), isCurrent: true)
    list.search("x", at: at(0), &out)
    list.received(IDBatch(token: 2, ids: [3, 1]), at: at(0))
    #expect(list.isPaused && rows(list) == [1, 3])
    list.resume()
    #expect(rows(list) == [1, 3], "what waited does not fit it")
  }

  /// Rows that were not known are asked for, and the list goes on meanwhile.
  @Test func theFailedRowIsFoundWhereverItStandsByThen() {
    var list = listed(101...140)
    var out = Outcomes()
    list.select(39)
    for id in (111...140) as ClosedRange<Int64> { list.received(summary(id)) }
    list.hunt(-1, &out)
    #expect(list.selectedID == 140, "105 is looked for, and 110 is not known")
    list.received(IDBatch(token: 1, ids: Array((Int64(51)...100).reversed())), at: at(0))
    list.forget(110)
    for id in (101...109) as ClosedRange<Int64> { list.received(summary(id, bad: id == 109)) }
    list.huntOn(&out)
    #expect(list.selectedID == 109)
  }

  /// A row that changed may stand among those that are still searched for.
  @Test func theSelectionKeepsItsRowWhileOlderOnesCome() {
    var list = listed(10...20)
    list.select(5)
    list.place(change(3), isCurrent: true)
    let seen = list.selectedID
    list.received(IDBatch(token: 1, ids: [9, 8, 4, 2, 1]), at: at(0))
    #expect(seen == 15 && list.selectedID == 15 && rows(list) == [1, 2, 3, 4, 8, 9] + Array(10...20))
  }

  /// Marked ones stay, where the list has them.
  @Test(arguments: [([], []), ([3, 7], [3, 7]), ([20], []), ([19, 20], [19]), ([5], [])] as [([Int64], [Int64])])
  func whatLeavesTheHistoryMovesNothingThatIsSeen(_ marks: [Int64], _ kept: [Int64]) throws {
    var list = listed(1...40)
    list.leave(5)
    list.setMarks(marks, true)
    let place = try #require(list.order.index(of: 31))
    list.select(place)
    list.settle(height: 6, isPinned: false, at: at(0))
    let seen = list.visibleIDs(height: 6)
    list.retire(below: 20)
    #expect(rows(list) == kept + Array(Int64(20)...40))
    #expect(list.selectedID == 31 && list.visibleIDs(height: 6) == seen)
  }

  @Test func aSortedListKeepsItsRowsWhateverLeavesTheHistory() {
    var list = RequestList()
    var out = Outcomes()
    list.sort(by: .init(.size), goesToTop: false)
    list.search("", at: at(0), &out)
    list.received(IDBatch(token: 1, ids: [3, 1, 2]), at: at(0))
    list.setMarks([1], true)
    list.retire(below: 3)
    #expect(rows(list) == [3, 1, 2] && list.selectedID == 3)
  }

  @Test func whatWasClearedAwayDoesNotComeBackByAChange() {
    var list = listed(1...3)
    var out = Outcomes()
    list.stay()
    list.clear(upTo: 3)
    list.search("", at: at(0), &out)
    list.received(IDBatch(token: 2, ids: []), at: at(0))
    #expect(list.follows && list.order.isEmpty)
    list.place(ExchangeChange(summary(3, bad: true)), isCurrent: true)
    #expect(list.order.isEmpty)
    list.place(ExchangeChange(summary(4)), isCurrent: true)
    #expect(rows(list) == [4] && list.selectedID == 4)
  }

  // MARK: What is known of the rows

  @Test(arguments: [(199, true), (200, false)])
  func farBelowWhatIsSeenANewRowIsNotKeptUnlessTheListFollows(_ count: Int64, _ isKept: Bool) {
    var list = listed(1...count)
    list.select(0)
    list.settle(height: 10, isPinned: false, at: at(0))
    list.place(ExchangeChange(summary(count + 1)), isCurrent: true)
    #expect((list.cache[count + 1] != nil) == isKept && list.order.last == count + 1)
    list.follow()
    list.place(ExchangeChange(summary(count + 2)), isCurrent: true)
    #expect(list.cache[count + 2] != nil)
  }

  @Test func aRowThatWasForgottenIsAskedForAgain() {
    var list = listed(1...10)
    var out = Outcomes()
    list.loadVisible(height: 10, &out)
    #expect(effects(&out) == [.loadSummaries(Array(1...10))])
    for id in Int64(1)...10 { list.received(summary(id)) }
    list.loadVisible(height: 10, &out)
    #expect(out.isEmpty)
    var other = summary(11)
    for id in Int64(11)...4_106 {
      other.id = id
      list.received(other)
    }
    #expect(list.cache.count == 4_096 && list.cache[10] == nil && list.cache[11] != nil)
    list.loadVisible(height: 10, &out)
    #expect(effects(&out) == [.loadSummaries(Array(1...10))])
  }

  /// Of answers that never come no more than that many are waited for.
  @Test(arguments: [(10_000, false), (10_001, true)])
  func whatWasNeverAnsweredIsAskedForAgainAfterMany(_ count: Int64, _ isAgain: Bool) {
    var list = RequestList()
    var out = Outcomes()
    list.ask(for: Array(1...count), &out)
    list.ask(for: [20_000], &out)
    #expect(effects(&out) == [.loadSummaries(Array(1...count)), .loadSummaries([20_000])])
    list.ask(for: [1], &out)
    #expect(effects(&out) == (isAgain ? [.loadSummaries([1])] : []))
  }

  @Test func aCacheHasRoomForOneAtLeast() {
    #expect(SummaryCache().capacity == 4_096)
    var cache = SummaryCache(capacity: 0)
    #expect(cache.capacity == 1)
    for id in Int64(1)...3 { cache.put(summary(id)) }
    #expect(cache.count == 1 && cache[3] != nil)
  }

  // MARK: Looking for a failed row

  @Test(
    arguments: [(2_000, 1_999, -1, 1_599...1_999), (2_000, 0, 1, 2...401), (10, 9, -1, 1...9), (10, 7, 1, 9...10)]
      as [(Int64, Int, Int, ClosedRange<Int64>)])
  func someHundredRowsAreAskedForAtATime(_ count: Int64, _ from: Int, _ step: Int, _ asked: ClosedRange<Int64>) {
    var list = listed(1...count)
    var out = Outcomes()
    list.select(from)
    list.hunt(step, &out)
    #expect(effects(&out) == [.loadSummaries(Array(asked))])
  }

  @Test func anotherSearchEndsTheLookForAFailedRow() {
    var list = listed(1...10)
    var out = Outcomes()
    list.hunt(-1, &out)
    list.search("x", at: at(0), &out)
    list.received(IDBatch(token: 2, ids: Array((1...10).reversed())), at: at(0))
    for id in Int64(1)...10 { list.received(summary(id, bad: id == 5)) }
    list.huntOn(&out)
    #expect(list.selectedID == 10 && list.follows)
    list.hunt(-1, &out)
    #expect(list.selectedID == 5 && !list.follows)
  }
}
