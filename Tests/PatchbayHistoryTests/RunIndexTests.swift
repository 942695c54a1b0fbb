import PatchbayTestSupport
import Testing

@testable import PatchbayHistory

/// Where a position lies, without counting rows.
@Suite(.bounded) struct RunIndexTests {
  private static func index(_ runs: [(Int64, Int)]) -> RunIndex {
    var index = RunIndex()
    for (run, count) in runs { index.add(count, run: run) }
    return index
  }

  private let index = Self.index([(0, 3), (2, 0), (5, 2), (7, 4)])

  private func highest(_ run: Int64) -> Int64 { run * 1_024 + 1_023 }

  @Test func positionsAreCountedFromTheNewest() {
    let places = (-1...9).map { index.place(of: $0) }
    func place(_ run: Int64, _ offset: Int) -> RunIndex.Place? { .init(highest: highest(run), offset: offset) }
    #expect(
      places == [
        nil, place(7, 0), place(7, 1), place(7, 2), place(7, 3), place(5, 0), place(5, 1), place(0, 0), place(0, 1),
        place(0, 2), nil,
      ])
    #expect(index.total == 9)
    #expect((-1...8).map { index.count(afterRun: $0) } == [9, 6, 6, 6, 6, 6, 4, 4, 0, 0])
    #expect(RunIndex().place(of: 0) == nil && RunIndex().count(afterRun: 0) == 0)
  }

  @Test func runsComeInAnyOrder() {
    let shuffled = Self.index([(5, 1), (0, 1), (7, 4), (2, 0), (0, 2), (5, 2), (5, -1)])
    #expect(shuffled.total == 9)
    for position in -1...9 { #expect(shuffled.place(of: position) == index.place(of: position)) }
    var none = shuffled
    none.removeAll()
    #expect(none.total == 0 && none.place(of: 0) == nil && none.slices(of: 1, first: 1).isEmpty)
    none.add(1, run: 3)
    #expect(none.place(of: 0) == .init(highest: highest(3), offset: 0))
  }

  @Test func theHighestIdIsNoted() {
    var index = RunIndex()
    #expect(index.highest == 0)
    for id in [5, 9, 7] as [Int64] { index.note(id: id) }
    #expect(index.highest == 9)
    #expect([0, 1_023, 1_024, 2_047, 2_048].map { RunIndex.run(of: $0) } == [0, 0, 1, 1, 2])
  }

  @Test(
    arguments: [
      (3, 1, [7...7, 0...5]), (100, 100, [0...7]), (2, 4, [7...7, 5...5, 0...0]), (2, 5, [5...7, 0...0]),
      (1, 1, [7...7, 5...5, 0...0]), (6, 4, [7...7, 0...5]), (5, 4, [7...7, 0...5]), (9, 9, [0...7]), (1, 9, [0...7]),
      (1, 7, [0...7]), (1, 6, [5...7, 0...0]),
    ] as [(Int, Int, [ClosedRange<Int64>])])
  func slicesHoldAboutAsManyAsAreWanted(_ size: Int, _ first: Int, _ runs: [ClosedRange<Int64>]) {
    #expect(
      index.slices(of: size, first: first) == runs.map { $0.lowerBound * 1_024...highest($0.upperBound) })
  }

  @Test func runsInWhichNothingIsToBeSeenAreInNoSlice() {
    let index = Self.index([(0, 0), (3, 1), (9, 0)])
    #expect(index.slices(of: 10, first: 10) == [3 * 1_024...highest(3)])
    #expect(index.slices(of: 1, first: 1) == [3 * 1_024...highest(3)])
    #expect(Self.index([(0, 0)]).slices(of: 1, first: 1).isEmpty)
  }
}

/// Which runs have segments, and which wait for one.
@Suite(.bounded) struct SegmentPlanTests {
  @Test func theNewestThatWaitsIsBuiltFirstAndOnce() {
    var plan = SegmentPlan(built: [1], waiting: [2, 3, 9])
    #expect(plan.isBuilt(1) && !plan.isBuilt(2))
    #expect(plan.next(below: 2) == nil && plan.next(below: 4) == 3 && plan.next(below: 4) == 2)
    #expect(plan.next(below: 9) == nil && plan.next(below: 10) == 9 && plan.next(below: .max) == nil)
    #expect(!plan.isBuilt(3))
    #expect(plan.finish(3) && plan.isBuilt(3))
    #expect(!plan.finish(3) && !plan.finish(1) && !plan.finish(77) && !plan.isBuilt(77))
  }

  @Test func whatIsDroppedWhileItIsBuiltIsNot() {
    var plan = SegmentPlan(built: [1], waiting: [2, 3])
    #expect(plan.next(below: 3) == 2)
    plan.drop([1, 2], again: true)
    #expect(!plan.isBuilt(1) && !plan.finish(2) && !plan.isBuilt(2))
    #expect([plan.next(below: 9), plan.next(below: 9), plan.next(below: 9), plan.next(below: 9)] == [3, 2, 1, nil])
    plan.drop([1, 2, 3], again: false)
    #expect(plan.next(below: 9) == nil && !plan.finish(1))
    var waiting = SegmentPlan(waiting: [4])
    waiting.drop([4], again: false)
    #expect(waiting.next(below: 9) == nil, "it is gone, and waits no more")
  }

  @Test func thereIsWorkBelowTheNewestOnly() {
    var plan = SegmentPlan(waiting: [2, 7])
    #expect(!plan.hasWork)
    plan.newest = 2
    #expect(!plan.hasWork)
    plan.newest = 3
    #expect(plan.hasWork)
    plan.isClosed = true
    #expect(!plan.hasWork)
    plan.isClosed = false
    plan.isOff = true
    #expect(!plan.hasWork && plan.next(below: 9) == nil)
    plan.isOff = false
    #expect(plan.hasWork && plan.next(below: 9) == 7)
    #expect(plan.next(below: 9) == 2 && !plan.hasWork)
  }
}
