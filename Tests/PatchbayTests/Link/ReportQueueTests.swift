import Dispatch
import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Synchronization
import Testing

@testable import Patchbay

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What waits for the console: how much may, what goes first, and what is counted.
@Suite(.bounded) struct ReportQueueTests {
  private let wakes = SeenLock(0)

  private func queue(_ bodies: Int = 1 << 20, facts: Int = 1 << 20) -> ReportQueue {
    let queue = ReportQueue(limits: ReportQueue.Limits(bodies: bodies, facts: facts)) { [wakes] in
      wakes.withLock { $0 += 1 }
    }
    queue.open(from: 0)
    return queue
  }

  private func report(_ key: UInt64, _ change: (inout ExchangeReport) -> Void = { _ in }) -> ExchangeReport {
    var report = ExchangeReport(key: key)
    change(&report)
    return report
  }

  private func start(_ key: UInt64, body: RequestBody = .none, _ change: (inout ExchangeReport) -> Void = { _ in })
    -> ExchangeReport
  {
    report(key) {
      let request = RequestSnapshot(request: URLRequest(url: URL(string: "http://host.test/\(key)")!), body: body)
      $0.start = ExchangeReport.Start(at: Timestamp(microseconds: 5), request: request, task: .data, revision: 1)
      change(&$0)
    }
  }

  private func piece(_ key: UInt64, _ count: Int) -> ExchangeReport { report(key) { $0.data = Data(count: count) } }

  private func end(_ key: UInt64) -> ExchangeReport {
    report(key) { $0.end = ExchangeUpdate.End(at: 9, outcome: .responded, hasBody: true) }
  }

  // MARK: Reports that are put together

  private struct Story {
    var random: SeededGenerator
    var reports: [ExchangeReport] = []

    mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }
    mutating func number(_ count: UInt64) -> Int { Int(random.next() % count) }
  }

  /// What a hook might tell of one exchange, in the order of such things and any pieces.
  private func story(_ key: UInt64, _ seed: UInt64) -> [ExchangeReport] {
    var story = Story(random: SeededGenerator(seed))
    story.reports = [start(key)]
    func add(_ change: (inout ExchangeReport) -> Void) { story.reports.append(report(key, change)) }
    func request(_ number: Int) -> RequestSnapshot {
      RequestSnapshot(request: URLRequest(url: URL(string: "http://sent.test/\(number)")!))
    }
    func head(_ status: Int) -> ExchangeReport.Head {
      ExchangeReport.Head(at: Int64(status), status: status, fields: .list([HeaderField("S", "\(status)")]))
    }
    if story.chance(30) {
      add { $0.held = .request }
      add { $0.held = .released }
    }
    for round in 0...story.number(3) {
      if story.chance(60) { add { $0.answer = ExchangeUpdate.Answer(by: .stub, stub: "s\(round)") } }
      if story.chance(40) { add { $0.sent = request(round) } }
      if story.chance(50) {
        let turns = story.number(3)
        let isOneReport = story.chance(50)
        add {
          $0.hops = [RedirectHop(status: 302, url: "http://hop.test/\(round)")]
          if isOneReport, turns > 0 { $0.turn(to: turns == 1 ? "" : "http://turn.test/\(round)") }
        }
        if !isOneReport, turns > 0 { add { $0.turn(to: turns == 1 ? "" : "http://turn.test/\(round)") } }
      }
      if story.chance(50) {
        let isOneReport = story.chance(50)
        add {
          $0.head = head(200 + round)
          if isOneReport { $0.data = Data("with \(round)".utf8) }
        }
        for number in 0..<story.number(4) { add { $0.data = Data("piece \(round).\(number)".utf8) } }
        if story.chance(30) {
          add { $0.held = .response }
          add { $0.held = .released }
        }
      }
    }
    if story.chance(50) { add { $0.head = head(299) } }
    if story.chance(80) { add { $0.end = ExchangeUpdate.End(at: 9, outcome: .responded, hasBody: true) } }
    return story.reports
  }

  private func exchange(_ reports: [ExchangeReport]) -> Exchange? {
    var builder: ExchangeBuilder?
    for report in reports {
      let update = report.update(bodyLimit: .max)
      if let start = update.start {
        builder = ExchangeBuilder(id: Int64(update.key), process: HarnessProcess(name: "p", pid: 1), start: start)
      }
      builder?.apply(update)
    }
    builder?.updateBody()
    return builder?.exchange
  }

  /// Whatever is put together, and whenever it is taken: the exchange is the same, and its pieces come in their order.
  @Test(arguments: 1...200 as ClosedRange<UInt64>) func whatIsPutTogetherTellsTheSame(_ seed: UInt64) {
    let queue = queue()
    var random = SeededGenerator(seed)
    let stories = (1...3).map { story(UInt64($0), seed &* 31 &+ UInt64($0)) }
    var left = stories
    var taken: [ExchangeReport] = []
    while left.contains(where: { !$0.isEmpty }) {
      let index = Int(random.next() % 3)
      guard !left[index].isEmpty else { continue }
      queue.append(left[index].removeFirst())
      if random.next() % 12 == 0, let batch = queue.takeOrSleep() {
        taken += batch.reports
        queue.release(batch)
      }
    }
    taken += queue.takeOrSleep()?.reports ?? []
    for (index, reports) in stories.enumerated() {
      let told = taken.filter { $0.key == UInt64(index + 1) }
      #expect(exchange(told) == exchange(reports), "exchange \(index + 1)")
      #expect(
        told.count <= reports.count
          && told.compactMap(\.data).reduce(Data(), +) == reports.compactMap(\.data).reduce(Data(), +))
      #expect(told.compactMap(\.held) == reports.compactMap(\.held))
    }
    #expect(queue.shed == Shed())
  }

  /// Two reports become one wherever that tells the same.
  @Test func whatCanBeOneReportIsOne() {
    typealias Change = @Sendable (inout ExchangeReport) -> Void
    let parts: [(name: String, change: Change)] = [
      ("answer", { $0.answer = ExchangeUpdate.Answer(by: .stub, stub: "a") }),
      ("sent", { $0.sent = RequestSnapshot(request: URLRequest(url: URL(string: "http://s/")!)) }),
      ("hop", { $0.hops = [RedirectHop(status: 302, url: "h")] }), ("turn", { $0.turn = "t" }),
      ("head", { $0.head = ExchangeReport.Head(at: 1, status: 200, fields: .list([])) }),
      ("data", { $0.data = Data([1]) }),
      ("held", { $0.held = .request }), ("end", { $0.end = ExchangeUpdate.End(at: 2, outcome: .failed) }),
    ]
    let apart: [String: Set<String>] = [
      "answer": ["answer", "held"], "sent": ["held"], "hop": ["held"], "turn": ["held"],
      "head": ["head", "hop", "turn", "held"],
      "data": ["head", "hop", "turn", "held"], "held": Set(parts.map(\.name)), "end": Set(parts.map(\.name)),
    ]
    for (one, first) in parts {
      for (two, second) in parts {
        var report = report(1, first)
        let mayBe = !(apart[one]?.contains(two) ?? false)
        let before = report.update(bodyLimit: .max)
        #expect(report.merge(self.report(1, second)) == mayBe, "\(one), \(two)")
        guard !mayBe else { continue }
        #expect(report.update(bodyLimit: .max) == before, "what cannot be is left as it was: \(one), \(two)")
      }
      var report = report(1, first)
      let isMerged = report.merge(start(1))
      #expect(!isMerged, "a beginning stands by itself: \(one)")
    }
  }

  /// Up to a size that may be copied.
  @Test func smallPiecesOfABodyAreOneReport() {
    let queue = ReportQueue {}
    queue.open(from: 1)
    queue.append(start(1))
    for _ in 0..<100_000 { queue.append(report(1) { $0.data = Data(repeating: 7, count: 10) }) }
    queue.append(report(1) { $0.data = Data(repeating: 8, count: 64 << 10) })
    let reports = queue.takeOrSleep()?.reports ?? []
    #expect(reports.count == 17 && reports.allSatisfy { $0.data.map { $0.count <= 64 << 10 } != false })
    let whole = reports.compactMap(\.data).reduce(Data(), +)
    #expect(whole == Data(repeating: 7, count: 1_000_000) + Data(repeating: 8, count: 64 << 10))
  }

  @Test func aReportIsAValue() {
    var one = report(1) { $0.data = Data([1]) }
    let two = one
    one.data = Data([2])
    one.hops.append(RedirectHop(status: 301, url: "u"))
    #expect(two.data == Data([1]) && two.hops.isEmpty && one.data == Data([2]) && one.hops.count == 1)
    one.turn(to: "elsewhere")
    #expect(one.turn == nil && one.hops[0].target == "elsewhere")
    one.turn(to: "")
    #expect(one.hops.isEmpty)
    one.turn(to: "later")
    #expect(one.turn == "later")
  }

  // MARK: Which are taken

  @Test func onlyExchangesOfTheLinkAreTaken() {
    let queue = ReportQueue {}
    queue.append(start(1))
    queue.append(.notice("early"))
    #expect(queue.takeOrSleep() == nil, "without a link nothing is")
    queue.open(from: 5)
    for key in [4, 5, 6] as [UInt64] { queue.append(start(key)) }
    #expect(queue.waiting == [5, 6])
    queue.open(from: 100)
    #expect(queue.waiting == [5, 6], "it is open already")
    queue.append(.notice("now"))
    let batch = queue.takeOrSleep()
    #expect(batch?.reports.map(\.key) == [5, 6] && batch?.messages == [.notice("now")] && batch?.isEmpty == false)
    #expect(queue.waiting.isEmpty)
    queue.append(start(7))
    queue.close()
    queue.append(start(8))
    #expect(queue.takeOrSleep() == nil)
    queue.open(from: 9)
    #expect(queue.takeOrSleep() == nil)
  }

  @Test func ofAnExchangeThatIsTakenNothingIsLeftOut() {
    let (starts, ends) = ((1...60).map { start($0) }, (1...60).map { end($0) })
    for round in 0..<1000 {
      let queue = ReportQueue {}
      let keys = Atomic<Int>(0)
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        guard thread == 1 else {
          for _ in 0..<(round % 20) { keys.add(1, ordering: .relaxed) }
          return queue.open(from: UInt64(keys.add(1, ordering: .relaxed).newValue))
        }
        for _ in 0..<20 {
          let key = keys.add(1, ordering: .relaxed).newValue
          queue.append(starts[key - 1])
          queue.append(ends[key - 1])
        }
      }
      #expect(queue.takeOrSleep()?.reports.allSatisfy { $0.start != nil } ?? true)
    }
  }

  @Test func onlyWhoSleepsIsWoken() {
    let queue = queue()
    queue.append(start(1))
    #expect(wakes.withLock { $0 } == 0)
    #expect(queue.takeOrSleep() != nil)
    queue.append(start(2))
    #expect(wakes.withLock { $0 } == 0, "who has just taken something looks again")
    #expect(queue.takeOrSleep() != nil && queue.takeOrSleep() == nil)
    queue.append(start(3))
    queue.append(start(4))
    #expect(wakes.withLock { $0 } == 1)
    #expect(queue.takeOrSleep() != nil && queue.takeOrSleep() == nil)
    queue.append(.notice("a"))
    queue.append(.notice("b"))
    #expect(wakes.withLock { $0 } == 2)
    #expect(queue.takeOrSleep()?.messages.count == 2 && queue.takeOrSleep() == nil)
    queue.close()
    queue.append(.notice("c"))
    #expect(wakes.withLock { $0 } == 2)
  }

  @Test func aThousandMessagesMayWait() {
    let queue = queue()
    for number in 0..<1_001 { queue.append(.notice("\(number)")) }
    #expect(queue.takeOrSleep()?.messages == (0..<1_000).map { .notice("\($0)") })
    queue.append(.notice("again"))
    #expect(queue.takeOrSleep()?.messages.count == 1)
  }

  @Test func whoeverIsWaitedForHearsThatItWasRead() {
    let queue = queue()
    let snapshot = HookSnapshot(active: true, sink: RecordingSink(reads: false))
    let slow = SeenLock<[UInt64]>([])
    func begin(_ key: UInt64) {
      let begun = start(key).start!
      let recorder = ExchangeRecorder(key: key, snapshot: snapshot, start: begun)
      recorder.flush { slow.withLock { $0.append(key) } }
      queue.append(start(key) { $0.start?.recorder = recorder })
    }
    for key in 1...3 as ClosedRange<UInt64> { begin(key) }
    queue.append(end(2))
    queue.append(report(3) { $0.head = ExchangeReport.Head(at: 1, status: 200, fields: .list([])) })
    queue.takeOrSleep()?.wasRead()
    #expect(slow.withLock { $0 } == [1])
  }

  // MARK: How much may wait

  @Test(arguments: [(0, 100, 0), (60, 40, 0), (60, 41, 41), (100, 1, 1), (0, 5_000, 0), (1, 100, 100), (5_000, 0, 0)])
  func bodiesHaveALimit(_ first: Int, _ second: Int, _ shed: Int) {
    for isTaken in [false, true] {
      let queue = queue(100)
      queue.append(start(1) { $0.data = Data(count: first) })
      let batch = isTaken ? queue.takeOrSleep() : nil
      queue.append(start(2) { $0.data = Data(count: second) })
      #expect(queue.shed == Shed(bodies: shed > 0 ? 1 : 0, bytes: UInt64(shed)), "taken: \(isTaken)")
      queue.append(end(2))
      let last = queue.takeOrSleep()?.reports.last
      #expect(last?.data?.count == (shed > 0 || second == 0 ? (second == 0 ? 0 : nil) : second))
      #expect(last?.end?.responseTruncated == (shed > 0))
      guard let batch else { continue }
      // What has been sent makes room.
      queue.release(batch)
      queue.release(batch)
      queue.append(start(3) { $0.data = Data(count: 5_000) })
      #expect(
        queue.takeOrSleep()?.reports.last?.data?.count == (shed > 0 || second == 0 || first > second ? 5_000 : nil)
          || second > 0)
    }
  }

  /// Every body of a report counts: what was asked, as it was sent, and the answer.
  @Test func allBodiesCount() {
    let body = Data(count: 10)
    let edited = RecordedRequest(method: "POST", url: "u", headers: [], body: body)
    let all: [(inout ExchangeReport) -> Void] = [
      { $0.data = body }, { $0.start?.request.body = .data(body) },
      { $0.answer = ExchangeUpdate.Answer(by: .network, edited: edited) },
      { $0.sent = RequestSnapshot(request: URLRequest(url: URL(string: "http://s/")!), body: .data(body)) },
    ]
    for change in all {
      let queue = queue(15)
      queue.append(start(1) { change(&$0) })
      #expect(queue.shed == Shed())
      queue.append(start(2) { change(&$0) })
      #expect(queue.shed == Shed(bodies: 1, bytes: 10))
      let batch = queue.takeOrSleep()
      #expect(batch?.bodyBytes == 10 && batch?.factBytes == 2_048)
      queue.append(start(3) { change(&$0) })
      #expect(queue.shed == Shed(bodies: 2, bytes: 20), "what is taken and not sent counts still")
      if let batch { queue.release(batch) }
      queue.append(start(4) { change(&$0) })
      #expect(queue.shed == Shed(bodies: 2, bytes: 20))
    }
    let queue = queue(15)
    queue.append(start(1) { for change in all { change(&$0) } })
    #expect(queue.takeOrSleep()?.bodyBytes == 40)
    queue.append(start(2) { for change in all { change(&$0) } })
    let report = queue.takeOrSleep()?.reports.last
    #expect(queue.shed == Shed(bodies: 4, bytes: 40) && report?.data == nil && report?.answer?.edited?.body == Data())
    #expect(report?.sent?.isCut == true && report?.start?.request.body.length == 0)
  }

  /// Of an exchange for which there is no room nothing is told, and no other suffers by it.
  @Test func factsHaveALimit() {
    let queue = queue(facts: 3 * 1_024)
    for key in 1...3 as ClosedRange<UInt64> { queue.append(start(key)) }
    #expect(queue.shed == Shed())
    queue.append(start(4, body: .data(Data(count: 7))))
    #expect(queue.shed == Shed(exchanges: 1, bytes: 7))
    queue.append(piece(4, 5))
    queue.append(piece(3, 2))
    #expect(queue.shed == Shed(exchanges: 1, bytes: 12) && queue.waiting == [1, 2, 3])
    let batch = queue.takeOrSleep()
    #expect(batch?.factBytes == 3 * 1_024 && batch?.reports.count == 3)
    queue.append(start(5) { $0.end = ExchangeUpdate.End(at: 1, outcome: .responded) })
    #expect(
      queue.shed == Shed(exchanges: 2, bytes: 12) && queue.waiting.isEmpty, "what is taken counts until it is sent")
    if let batch { queue.release(batch) }
    queue.append(start(5))
    queue.append(end(4))
    queue.append(start(4))
    #expect(queue.waiting == [5, 4] && queue.shed == Shed(exchanges: 2, bytes: 12), "its end is the end of it")
    // What belongs to an exchange that is told is told.
    for _ in 0..<10 { queue.append(piece(5, 1)) }
    #expect(queue.takeOrSleep()?.reports.compactMap(\.data?.count).reduce(0, +) == 10)
  }

  @Test func whatIsShedElsewhereIsAdded() {
    let queue = queue()
    queue.add(Shed())
    #expect(queue.shed == Shed())
    queue.add(Shed(exchanges: 1, bodies: 2, bytes: 3))
    queue.add(Shed(exchanges: 1, bodies: 2, bytes: 3))
    #expect(queue.shed == Shed(exchanges: 2, bodies: 4, bytes: 6))
    queue.close()
    #expect(queue.shed == Shed())
  }

  @Test func theLimits() {
    let limits = ReportQueue.Limits()
    #expect(limits.bodies == 64 << 20 && limits.facts == 24 << 20 && limits.socket == .max)
  }
}
