import Foundation
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayHistory

/// What waits to be written.
@Suite(.bounded) struct WriteQueueTests {
  private func exchange(_ id: Int64, status: Int = 200, body: Int? = 10, asked: Int? = nil) -> Exchange {
    .sample(
      id: id, status: status, requestBody: asked.map { Data(count: $0) }, body: body.map { Data(count: $0) })
  }

  private func size(_ exchanges: [Exchange]) -> Int { exchanges.reduce(0) { $0 + $1.approximateBytes } }

  @Test func theNewestStateOfEachWaits() {
    var queue = WriteQueue()
    #expect(queue.lowest == nil && queue.bytes == 0 && queue.beginWriting().isEmpty)
    let first = [exchange(7), exchange(3), exchange(5)]
    queue.add(first)
    #expect(queue.bytes == size(first) && queue.lowest == 3)
    let longer = exchange(7, status: 404, body: 1_000)
    queue.add([longer])
    #expect(queue.bytes == size([longer, first[1], first[2]]))
    #expect(queue[7] == longer && queue[3] == first[1] && queue[4] == nil)
    #expect(queue.beginWriting() == [first[1], first[2], longer], "by their ids")
    #expect(queue.bytes == 0 && queue.pending.isEmpty && queue.writing.count == 3)
    // What is being written is still known, and what came since is newer.
    let newest = exchange(5, status: 500)
    queue.add([newest, exchange(9)])
    #expect(queue[5] == newest && queue[3] == first[1] && queue.lowest == 3)
  }

  @Test func whatWasWrittenIsForgottenAndTheRestWaitsAgain() {
    var queue = WriteQueue()
    let all = (1...5).map { exchange(Int64($0)) }
    queue.add(all)
    _ = queue.beginWriting()
    queue.finish(all[..<2])
    #expect(queue[1] == nil && queue[2] == nil && queue[3] == all[2] && queue.lowest == 3)
    let newer = exchange(4, status: 500, body: 77)
    queue.add([newer])
    _ = queue.giveBack()
    #expect(queue.writing.isEmpty && queue.pending.keys.sorted() == [3, 4, 5] && queue[4] == newer)
    #expect(queue.bytes == size([all[2], newer, all[4]]))
    _ = queue.beginWriting()
    queue.finish([all[2], newer, all[4]][...])
    #expect(queue.writing.isEmpty && queue.lowest == nil)
  }

  @Test func roomIsHalfOfTheBound() {
    var queue = WriteQueue()
    #expect(queue.hasRoom && !queue.isOverBound)
    let half = exchange(1, body: WriteQueue.bound / 2 - exchange(1, body: 0).approximateBytes)
    queue.add([half])
    #expect(queue.bytes == WriteQueue.bound / 2 && queue.hasRoom)
    queue.add([exchange(2)])
    #expect(!queue.hasRoom && !queue.isOverBound)
    queue.isFailing = true
    #expect(queue.hasRoom, "nobody waits for what cannot be written")
    queue.isFailing = false
    queue.isClosed = true
    #expect(queue.hasRoom)
    queue.isClosed = false
    var rest = WriteQueue.bound - queue.bytes - exchange(3, body: 0).approximateBytes
    queue.add([exchange(3, body: rest)])
    #expect(queue.bytes == WriteQueue.bound && !queue.isOverBound)
    rest += 1
    queue.add([exchange(3, body: rest)])
    #expect(queue.isOverBound && queue.shedBodies == 0, "it is written soon")
  }

  @Test func bodiesOfTheOldestAreShedFirst() {
    var queue = WriteQueue()
    queue.isFailing = true
    let body = 20 << 20
    queue.add([exchange(1, body: nil), exchange(4, body: body), exchange(3, body: body, asked: 5)])
    #expect(queue.shedBodies == 0)
    queue.add([exchange(2, body: 0, asked: 3), exchange(5, body: body), exchange(6, body: body)])
    // Of 2 and 3; that is enough.
    #expect(queue.shedBodies == 2 && queue.shedExchanges == 0 && !queue.isOverBound)
    #expect(queue[2]?.request.body == nil && queue[2]?.request.truncated == true)
    #expect(queue[2]?.response?.body == nil && queue[2]?.response?.truncated == false, "it was empty")
    #expect(queue[3]?.request.truncated == true && queue[3]?.response?.truncated == true)
    #expect(queue[3]?.request.body == nil && queue[3]?.response?.body == nil)
    for id in 4...6 as ClosedRange<Int64> {
      #expect(queue[id]?.response?.body?.count == body && queue[id]?.response?.truncated == false)
    }
    #expect(queue.bytes == size(Array(queue.pending.values)))
  }

  @Test func wholeExchangesAreShedWhereBodiesAreNotEnough() {
    var queue = WriteQueue()
    queue.isFailing = true
    let url = "http://x.test/" + String(repeating: "u", count: 30 << 20)
    queue.add((1...4).map { .sample(id: $0, url: url, body: Data(count: 10)) })
    #expect(queue.shedBodies == 4 && queue.shedExchanges == 2)
    #expect(queue.pending.keys.sorted() == [3, 4] && queue.bytes == size(Array(queue.pending.values)))
  }

  @Test func onePlanHoldsUntilItIsOverOrAllWasTaken() throws {
    var queue = WriteQueue()
    #expect(queue.planned() == nil, "nothing waits")
    queue.add([exchange(1)])
    let firstPlan = queue.planned()
    let first = try #require(firstPlan)
    #expect(first.pause == .zero && queue.plan == first.number)
    queue.add([exchange(2)])
    #expect(queue.planned() == nil, "it is planned already")
    let secondPlan = queue.planned(after: first.number)
    let second = try #require(secondPlan)
    #expect(second.number > first.number && queue.planned(after: first.number) == nil, "that plan holds no more")
    _ = queue.beginWriting()
    #expect(queue.plan == nil && queue.planned(after: second.number) == nil)
    let again = queue.giveBack()
    #expect(queue.plan == again && queue.planned() == nil && again > second.number)
    queue.isFailing = true
    #expect(queue.planned(after: again) == nil && queue.plan == nil)
    queue.isFailing = false
    #expect(queue.planned()?.pause == .zero)
    queue.isClosed = true
    #expect(queue.planned(after: queue.plan) == nil)
  }

  @Test func moreThanHalfOfTheBoundIsNotPausedWith() {
    let start = ContinuousClock.now
    var queue = WriteQueue()
    _ = queue.beginWriting(at: start)
    let half = exchange(100, body: WriteQueue.bound / 2 - exchange(100, body: 0).approximateBytes)
    queue.add([half], at: start)
    #expect(queue.planned(at: start)?.pause == .milliseconds(20))
    queue.add([exchange(101)], at: start)
    #expect(queue.planned(at: start)?.pause == .zero)
    #expect(queue.planned(at: start) == nil, "once is enough")
    _ = queue.beginWriting(at: start)
    queue.add([exchange(102)], at: start)
    #expect(queue.planned(at: start)?.pause == .milliseconds(20))
  }
}

/// When what waits is written.
@Suite(.bounded) struct WritePaceTests {
  private let start = ContinuousClock.now
  private func after(_ milliseconds: Double) -> ContinuousClock.Instant {
    start + .microseconds(Int(milliseconds * 1_000))
  }

  /// The pause where so many came that long after it was written, in milliseconds.
  @Test(arguments: [
    (1, 0.0, 20), (1, 19.9, 20), (1, 20, 0), (39, 1, 20), (39, 19.5, 20), (39, 20, 0), (40, 0, 100), (40, 20, 100),
    (40, 20.1, 0), (41, 20.1, 100), (2_000, 1_000, 100), (2_000, 1_001, 0),
  ])
  func thickOnesWait(_ count: Int, _ came: Double, _ pause: Int) {
    var pace = WritePace()
    pace.began(at: start)
    pace.came(count, at: after(came))
    #expect(pace.pause(at: after(came)) == .milliseconds(pause))
  }

  @Test func theFirstIsWrittenAtOnce() {
    var pace = WritePace()
    pace.came(500, at: start)
    #expect(pace.pause(at: start) == .zero)
  }

  @Test func theyWaitUntilTheyComeMoreSlowly() {
    var pace = WritePace()
    pace.began(at: start)
    pace.came(100, at: after(30))
    #expect(pace.pause(at: after(30)) == .milliseconds(100))
    pace.came(150, at: after(60))
    pace.came(50, at: after(120))
    #expect(pace.pause(at: after(130)) == .milliseconds(100))
    pace.came(199, at: after(150))
    #expect(pace.pause(at: after(230)) == .zero)
  }

  @Test func theyWaitASecondAtMost() {
    var pace = WritePace()
    pace.began(at: start)
    for look in 0..<10 {
      pace.came(1_000, at: after(Double(look) * 100 + 10))
      #expect(pace.pause(at: after(Double(look) * 100 + 10)) == .milliseconds(100))
    }
    pace.came(1_000, at: after(1_009))
    #expect(pace.pause(at: after(1_009.9)) == .milliseconds(100))
    pace.came(1_000, at: after(1_010))
    #expect(pace.pause(at: after(1_010)) == .zero)
    pace.began(at: after(1_012))
    pace.came(1_000, at: after(1_013))
    #expect(pace.pause(at: after(1_013)) == .milliseconds(100), "that second begins anew")
  }
}
