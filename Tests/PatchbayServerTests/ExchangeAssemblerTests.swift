import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct ExchangeAssemblerTests {
  private let link = LinkID(1)
  private let process = HarnessProcess(name: "demo", pid: 7)

  private func assembler(firstID: Int64 = 1, _ adjust: (inout ServerLimits) -> Void = { _ in }) -> ExchangeAssembler {
    var limits = ServerLimits()
    adjust(&limits)
    var assembler = ExchangeAssembler(firstID: firstID, limits: limits)
    assembler.link(link, process: process)
    return assembler
  }

  /// What a link that goes now leaves without an end.
  private func leftOpen(_ assembler: ExchangeAssembler) -> [Exchange] {
    var assembler = assembler
    _ = assembler.drainChanged()
    assembler.unlink(link)
    return assembler.drainChanged()
  }

  /// What is known at the end does not depend on how the facts were cut into updates, nor on when they were taken.
  @Test(arguments: [0, 1, 2, 3]) func everyCutGivesTheSameExchange(cut: Int) throws {
    let whole = ExchangeUpdate(
      key: 3, start: .request("http://x.test/a"), answer: .init(by: .stub, stub: "one"),
      hops: [RedirectHop(status: 302, url: "http://x.test/0")],
      head: .init(at: 4, status: 201, headers: [HeaderField("A", "b")]), data: Data("hello".utf8),
      end: .init(at: 9, outcome: .responded, held: 2, bytesSent: 1, bytesReceived: 5, hasBody: true))
    let updates: [ExchangeUpdate] =
      switch cut {
      case 0: [whole]
      case 1:
        [
          ExchangeUpdate(key: 3, start: whole.start), ExchangeUpdate(key: 3, answer: whole.answer, hops: whole.hops),
          ExchangeUpdate(key: 3, head: whole.head, data: Data("he".utf8)),
          ExchangeUpdate(key: 3, data: Data("llo".utf8)), ExchangeUpdate(key: 3, end: whole.end),
        ]
      case 2:
        [
          ExchangeUpdate(key: 3, start: whole.start, hops: whole.hops, head: whole.head),
          ExchangeUpdate(key: 3, data: whole.data), ExchangeUpdate(key: 3, answer: whole.answer, end: whole.end),
        ]
      default:
        [
          ExchangeUpdate(key: 3, start: whole.start, answer: .init(by: .network)),
          ExchangeUpdate(key: 3, answer: whole.answer, hops: whole.hops, head: whole.head, data: Data("hell".utf8)),
          ExchangeUpdate(key: 3, data: Data("o".utf8), end: whole.end),
        ]
      }
    for drainsBetween in [false, true] {
      var assembler = assembler(firstID: 41)
      var drained: [Exchange] = []
      for update in updates {
        #expect(assembler.received(update, from: link) == .applied(41))
        if drainsBetween { drained += assembler.drainChanged() }
      }
      drained += assembler.drainChanged()
      var expected = Exchange(
        id: 41, process: process, startedAt: Timestamp(microseconds: 1_000_000),
        request: RecordedRequest(method: "GET", url: "http://x.test/a"))
      expected.phase = .ended
      expected.by = .stub
      expected.stub = "one"
      expected.response = RecordedResponse(status: 201, headers: [HeaderField("A", "b")], body: Data("hello".utf8))
      expected.outcome = .responded
      expected.redirects = whole.hops
      expected.timing = Timing(head: 4, end: 9, held: 2)
      expected.bytesSent = 1
      expected.bytesReceived = 5
      expected.revision = 1
      expected.task = .data
      #expect(drained.last == expected)
      #expect(drained.count == (drainsBetween ? updates.count : 1))
      #expect(leftOpen(assembler).isEmpty)
    }
  }

  @Test func manyUpdatesOfOneExchangeComeOnce() {
    var assembler = assembler()
    assembler.received(.begin(1), from: link)
    assembler.received(.begin(2), from: link)
    assembler.received(ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: [])), from: link)
    for _ in 0..<100 { assembler.received(ExchangeUpdate(key: 1, data: Data([1])), from: link) }
    let changed = assembler.drainChanged()
    #expect(changed.map(\.id) == [1, 2])
    #expect(changed[0].response?.body?.count == 100)
    #expect(changed.map(\.phase) == [.receiving, .waiting])
    #expect(!assembler.hasChanges)
    #expect(assembler.drainChanged().isEmpty)
  }

  @Test func noBodyAndEmptyBodyDiffer() {
    var assembler = assembler()
    let head = ExchangeUpdate.Head(at: 1, status: 204, headers: [])
    assembler.received(
      ExchangeUpdate(key: 1, start: .request("a:"), head: head, end: .init(at: 1, outcome: .responded)), from: link)
    assembler.received(
      ExchangeUpdate(key: 2, start: .request("a:"), head: head, end: .init(at: 1, outcome: .responded, hasBody: true)),
      from: link)
    let changed = assembler.drainChanged()
    #expect(changed[0].response?.body == nil)
    #expect(changed[1].response?.body == Data())
  }

  @Test func aLongBodyIsCutAndMarked() {
    var assembler = assembler { $0.body = 10 }
    assembler.received(.begin(1), from: link)
    assembler.received(ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: [])), from: link)
    for _ in 0..<3 { assembler.received(ExchangeUpdate(key: 1, data: Data("abcdefg".utf8)), from: link) }
    assembler.received(
      ExchangeUpdate(key: 1, end: .init(at: 1, outcome: .responded, bytesReceived: 21, hasBody: true)), from: link)
    let exchange = assembler.drainChanged()[0]
    #expect(exchange.response?.body == Data("abcdefgabc".utf8))
    #expect(exchange.response?.truncated == true)
    #expect(exchange.bytesReceived == 21)
  }

  @Test func openBodiesTogetherAreBounded() {
    var assembler = assembler { $0.openBodies = 100 }
    for key in 1...10 as ClosedRange<UInt64> {
      assembler.received(
        ExchangeUpdate(
          key: key, start: .request("a:"), head: .init(at: 1, status: 200, headers: []), data: Data(count: 30)),
        from: link)
    }
    // One link may have three quarters.
    let sizes: [Int] = assembler.drainChanged().map { $0.response?.body?.count ?? 0 }
    #expect(sizes.reduce(0, +) == 75)
    for key in 1...10 as ClosedRange<UInt64> { assembler.received(.end(key), from: link) }
    #expect(assembler.drainChanged().filter { $0.response?.truncated == true }.count == 8)
    assembler.received(
      ExchangeUpdate(
        key: 11, start: .request("a:"), head: .init(at: 1, status: 200, headers: []), data: Data(count: 75)),
      from: link)
    #expect(assembler.drainChanged()[0].response?.body?.count == 75)
  }

  @Test func aNewHeadBeginsTheBodyAnew() {
    var assembler = assembler()
    assembler.received(
      ExchangeUpdate(
        key: 1, start: .request("a:"), held: .response, head: .init(at: 1, status: 200, headers: []),
        data: Data("old".utf8)), from: link)
    #expect(assembler.held.first?.stage == .response)
    #expect(assembler.held.first?.exchange.response?.body == Data("old".utf8))
    assembler.received(
      ExchangeUpdate(
        key: 1, answer: .init(by: .person), held: .released, head: .init(at: 8, status: 418, headers: []),
        data: Data("new".utf8), end: .init(at: 9, outcome: .responded, hasBody: true)), from: link)
    let exchange = assembler.drainChanged()[0]
    #expect(exchange.response == RecordedResponse(status: 418, body: Data("new".utf8)))
    #expect(exchange.by == .person)
    #expect(assembler.held.isEmpty)
  }

  @Test func aHeldResponseThatFailedWasNeverGot() {
    var assembler = assembler()
    for key in 1...2 as ClosedRange<UInt64> {
      assembler.received(
        ExchangeUpdate(
          key: key, start: .request("a:"), held: .response, head: .init(at: 1, status: 200, headers: []),
          data: Data("x".utf8)), from: link)
    }
    assembler.received(ExchangeUpdate(key: 1, held: .released, end: .init(at: 9, outcome: .failed)), from: link)
    assembler.received(
      ExchangeUpdate(key: 2, held: .released, end: .init(at: 9, outcome: .responded, hasBody: true)), from: link)
    let changed = assembler.drainChanged()
    #expect(changed[0].response == nil)
    #expect(changed[1].response?.body == Data("x".utf8))
  }

  @Test func anUnknownKeyIsNotApplied() {
    var assembler = assembler()
    #expect(assembler.received(.end(9), from: link) == .unexplained)
    #expect(assembler.received(.whole(1), from: LinkID(2)) == .unexplained)
    #expect(assembler.received(.whole(1), from: link) == .applied(1))
    #expect(assembler.received(.end(1), from: link) == .unexplained)
    #expect(assembler.received(.whole(1), from: link) == .applied(2))
  }

  @Test func linksDoNotMixTheirKeys() {
    var assembler = assembler()
    let other = LinkID(2)
    assembler.link(other, process: HarnessProcess(name: "other", pid: 8))
    assembler.received(.begin(1), from: link)
    assembler.received(.begin(1), from: other)
    assembler.received(.end(1, outcome: .cancelled), from: other)
    let changed = assembler.drainChanged()
    #expect(changed.map(\.outcome) == [nil, .cancelled])
    #expect(changed.map(\.process.name) == ["demo", "other"])
  }

  @Test func whatAVanishedLinkLeftIsAbandoned() {
    var assembler = assembler()
    assembler.received(.begin(1), from: link)
    assembler.received(.whole(2), from: link)
    assembler.received(
      ExchangeUpdate(
        key: 3, start: .request("a:"), held: .request, head: .init(at: 1, status: 200, headers: []),
        data: Data("part".utf8)), from: link)
    assembler.unlink(link, now: Timestamp(microseconds: 1_500_000))
    let changed = assembler.drainChanged()
    #expect(changed.map(\.outcome) == [.abandoned, .responded, .abandoned])
    #expect(changed[0].timing.end == 500_000)
    #expect(changed[2].response?.body == Data("part".utf8))
    #expect(assembler.held.isEmpty)
    #expect(leftOpen(assembler).isEmpty)
  }

  @Test func exchangesThatNeverEndAreBounded() {
    var assembler = assembler { $0.openExchanges = 100 }
    for key in 1...5_000 as ClosedRange<UInt64> {
      assembler.received(.begin(key), from: link)
      if key % 2 == 0 { assembler.received(.end(key), from: link) }
    }
    #expect(leftOpen(assembler).count == 99)
    let abandoned = assembler.drainChanged().filter { $0.outcome == .abandoned }
    #expect(abandoned.count == 2_401)
    #expect(abandoned.map(\.id) == abandoned.map(\.id).sorted())
    #expect(abandoned.first?.id == 1)
  }

  /// What is given up is not remembered either: a link may begin requests without end and end none.
  @Test func keysThatWereGivenUpAreForgotten() {
    for ends in [1, 3, 100_000] as [UInt64] {
      var assembler = assembler { $0.openExchanges = 50 }
      for key in 1...10_000 as ClosedRange<UInt64> {
        assembler.received(.begin(key), from: link)
        if key % ends == 0 { assembler.received(.end(key), from: link) }
        #expect(assembler.order[link]?.isStale == false)
      }
      _ = assembler.drainChanged()
      let open = leftOpen(assembler)
      #expect(open.count == (ends == 1 ? 0 : 50) && open.map(\.id) == open.map(\.id).sorted())
      #expect(open.allSatisfy { $0.id > 9_900 })
    }
  }

  @Test func aReplayNamesItsOriginal() {
    var assembler = assembler()
    assembler.expectReplay(token: 5, of: 77)
    assembler.received(ExchangeUpdate(key: 1, start: .request("a:", replay: 5)), from: link)
    assembler.received(ExchangeUpdate(key: 2, start: .request("a:", replay: 6)), from: link)
    #expect(assembler.drainChanged().map(\.replayOf) == [77, nil])
  }

  @Test func aDecisionIsMadeOnce() {
    var assembler = assembler()
    assembler.received(ExchangeUpdate(key: 12, start: .request("a:"), held: .request), from: link)
    let first = assembler.decide(1)
    #expect(first?.link == link && first?.key == 12)
    let second = assembler.decide(1)
    #expect(second == nil)
    #expect(assembler.held.isEmpty)
    assembler.received(ExchangeUpdate(key: 12, held: .released), from: link)
    #expect(assembler.drainChanged().last?.phase == .waiting)
    assembler.received(
      ExchangeUpdate(key: 12, held: .response, head: .init(at: 3, status: 200, headers: [])), from: link)
    #expect(assembler.held.map(\.stage) == [.response])
    let third = assembler.decide(1)
    #expect(third != nil)
  }

  @Test func theEditedRequestIsTheRecordedOne() {
    var assembler = assembler()
    assembler.received(.begin(1), from: link)
    let edited = RecordedRequest(method: "PUT", url: "http://x.test/edited", body: Data("b".utf8))
    assembler.received(ExchangeUpdate(key: 1, answer: .init(by: .network, edited: edited)), from: link)
    #expect(assembler.drainChanged()[0].request == edited)
  }

  @Test(arguments: [9, 10, 11]) func aBodyThatComesAtOnceIsKeptUpToTheLimit(_ count: Int) {
    for hasHead in [true, false] {
      var assembler = assembler { $0.body = 10 }
      assembler.received(
        ExchangeUpdate(
          key: 1, start: .request("a:"), head: hasHead ? .init(at: 1, status: 200, headers: []) : nil,
          data: Data(count: count), end: .init(at: 1, outcome: .responded, hasBody: true)), from: link)
      let response = assembler.drainChanged().first?.response
      #expect(response?.body?.count == min(count, 10) && response?.truncated == (count > 10))
    }
  }

  @Test func whatComesOfALinkThatHasGoneIsNotApplied() {
    var assembler = assembler()
    assembler.received(.begin(1), from: link)
    assembler.unlink(link)
    #expect(assembler.received(.end(1), from: link) == .unexplained)
    #expect(assembler.received(.whole(2), from: link) == .unexplained)
    #expect(assembler.drainChanged().map(\.outcome) == [.abandoned])
  }

  /// At time 0: a response of which a thousand bytes were told, and ten more are not worth a copy yet.
  private func growing() -> ExchangeAssembler {
    var assembler = assembler()
    let now = Timestamp(microseconds: 0)
    assembler.received(.begin(1), from: link, now: now)
    assembler.received(
      ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: []), data: Data(count: 1_000)), from: link,
      now: now)
    #expect(assembler.drainChanged(now: now).first?.response?.body?.count == 1_000)
    assembler.received(ExchangeUpdate(key: 1, data: Data(count: 10)), from: link, now: now)
    #expect(assembler.drainChanged(now: now).first?.response?.body?.count == 1_000)
    return assembler
  }

  /// Who decides about it is to see all of it.
  @Test func aResponseThatIsHeldIsToldWithAllOfItsBody() {
    var assembler = growing()
    let now = Timestamp(microseconds: 0)
    #expect(assembler.nextSnapshot == Timestamp(microseconds: 50_000))
    assembler.received(ExchangeUpdate(key: 1, held: .response), from: link, now: now)
    #expect(assembler.drainChanged(now: now).first?.response?.body?.count == 1_010)
    #expect(assembler.nextSnapshot == nil)
  }

  @Test func aBodyThatIsDueIsToldOnceWhateverElseComes() {
    var assembler = growing()
    assembler.wakeSnapshots(now: Timestamp(microseconds: 49_999))
    #expect(!assembler.hasChanges)
    let now = Timestamp(microseconds: 50_000)
    for _ in 0..<2 { assembler.wakeSnapshots(now: now) }
    #expect(assembler.hasChanges)
    assembler.received(ExchangeUpdate(key: 1, data: Data(count: 1)), from: link, now: now)
    #expect(assembler.drainChanged(now: now).map { $0.response?.body?.count } == [1_011])
  }

  /// A body in a hundred thousand pieces, taken after each, may not be copied for each.
  @Test func aDribbledBodyIsNotCopiedForEachPiece() {
    var assembler = assembler()
    assembler.received(.begin(1), from: link)
    assembler.received(ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: [])), from: link)
    var now = Timestamp(microseconds: 0)
    var copies = 0
    var seen = 0
    for _ in 0..<5_000 {
      now.microseconds += 10
      assembler.received(ExchangeUpdate(key: 1, data: Data(count: 500)), from: link, now: now)
      let count = assembler.drainChanged(now: now)[0].response?.body?.count ?? 0
      if count != seen { copies += 1 }
      seen = count
    }
    #expect(copies < 100)
    #expect(assembler.nextSnapshot != nil)
    now.microseconds += 3_000_000
    assembler.wakeSnapshots(now: now)
    #expect(assembler.drainChanged(now: now)[0].response?.body?.count == 2_500_000)
    #expect(assembler.nextSnapshot == nil)
  }
}
