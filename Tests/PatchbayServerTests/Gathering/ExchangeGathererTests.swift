import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

@Suite(.bounded) struct ExchangeGathererTests {
  private let link = LinkID(1)
  private let process = HarnessProcess(name: "demo", pid: 7)

  private func gatherer(firstID: Int64 = 1, _ adjust: (inout ServerLimits) -> Void = { _ in }) -> ExchangeGatherer {
    var limits = ServerLimits()
    adjust(&limits)
    var gatherer = ExchangeGatherer(firstID: firstID, limits: limits)
    gatherer.link(link, process: process)
    return gatherer
  }

  /// What a link that goes now leaves without an end.
  private func leftOpen(_ gatherer: ExchangeGatherer) -> [Exchange] {
    var gatherer = gatherer
    _ = gatherer.takeChanged()
    gatherer.unlink(link)
    return gatherer.takeChanged()
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
    for takesBetween in [false, true] {
      var gatherer = gatherer(firstID: 41)
      var taken: [Exchange] = []
      for update in updates {
        #expect(gatherer.receive(update, from: link) == .taken(41))
        if takesBetween { taken += gatherer.takeChanged() }
      }
      taken += gatherer.takeChanged()
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
      #expect(taken.last == expected)
      #expect(taken.count == (takesBetween ? updates.count : 1))
      #expect(leftOpen(gatherer).isEmpty)
    }
  }

  @Test func manyUpdatesOfOneExchangeComeOnce() {
    var gatherer = gatherer()
    gatherer.receive(.begin(1), from: link)
    gatherer.receive(.begin(2), from: link)
    gatherer.receive(ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: [])), from: link)
    for _ in 0..<100 { gatherer.receive(ExchangeUpdate(key: 1, data: Data([1])), from: link) }
    let changed = gatherer.takeChanged()
    #expect(changed.map(\.id) == [1, 2])
    #expect(changed[0].response?.body?.count == 100)
    #expect(changed.map(\.phase) == [.receiving, .waiting])
    #expect(!gatherer.hasChanges)
    #expect(gatherer.takeChanged().isEmpty)
  }

  @Test func noBodyAndEmptyBodyDiffer() {
    var gatherer = gatherer()
    let head = ExchangeUpdate.Head(at: 1, status: 204, headers: [])
    gatherer.receive(
      ExchangeUpdate(key: 1, start: .request("a:"), head: head, end: .init(at: 1, outcome: .responded)), from: link)
    gatherer.receive(
      ExchangeUpdate(key: 2, start: .request("a:"), head: head, end: .init(at: 1, outcome: .responded, hasBody: true)),
      from: link)
    let changed = gatherer.takeChanged()
    #expect(changed[0].response?.body == nil)
    #expect(changed[1].response?.body == Data())
  }

  @Test func aLongBodyIsCutAndMarked() {
    var gatherer = gatherer { $0.body = 10 }
    gatherer.receive(.begin(1), from: link)
    gatherer.receive(ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: [])), from: link)
    for _ in 0..<3 { gatherer.receive(ExchangeUpdate(key: 1, data: Data("abcdefg".utf8)), from: link) }
    gatherer.receive(
      ExchangeUpdate(key: 1, end: .init(at: 1, outcome: .responded, bytesReceived: 21, hasBody: true)), from: link)
    let exchange = gatherer.takeChanged()[0]
    #expect(exchange.response?.body == Data("abcdefgabc".utf8))
    #expect(exchange.response?.truncated == true)
    #expect(exchange.bytesReceived == 21)
  }

  @Test func openBodiesTogetherAreBounded() {
    var gatherer = gatherer { $0.openBodies = 100 }
    for key in 1...10 as ClosedRange<UInt64> {
      gatherer.receive(
        ExchangeUpdate(
          key: key, start: .request("a:"), head: .init(at: 1, status: 200, headers: []), data: Data(count: 30)),
        from: link)
    }
    #expect(gatherer.takeChanged().map { $0.response?.body?.count ?? 0 }.reduce(0, +) == 100)
    for key in 1...10 as ClosedRange<UInt64> { gatherer.receive(.end(key), from: link) }
    #expect(gatherer.takeChanged().filter { $0.response?.truncated == true }.count == 7)
    gatherer.receive(
      ExchangeUpdate(
        key: 11, start: .request("a:"), head: .init(at: 1, status: 200, headers: []), data: Data(count: 100)),
      from: link)
    #expect(gatherer.takeChanged()[0].response?.body?.count == 100)
  }

  @Test func aNewHeadBeginsTheBodyAnew() {
    var gatherer = gatherer()
    gatherer.receive(
      ExchangeUpdate(
        key: 1, start: .request("a:"), held: .response, head: .init(at: 1, status: 200, headers: []),
        data: Data("old".utf8)), from: link)
    #expect(gatherer.held.first?.stage == .response)
    #expect(gatherer.held.first?.exchange.response?.body == Data("old".utf8))
    gatherer.receive(
      ExchangeUpdate(
        key: 1, answer: .init(by: .person), held: .released, head: .init(at: 8, status: 418, headers: []),
        data: Data("new".utf8), end: .init(at: 9, outcome: .responded, hasBody: true)), from: link)
    let exchange = gatherer.takeChanged()[0]
    #expect(exchange.response == RecordedResponse(status: 418, body: Data("new".utf8)))
    #expect(exchange.by == .person)
    #expect(gatherer.held.isEmpty)
  }

  @Test func aHeldResponseThatFailedWasNeverGot() {
    var gatherer = gatherer()
    for key in 1...2 as ClosedRange<UInt64> {
      gatherer.receive(
        ExchangeUpdate(
          key: key, start: .request("a:"), held: .response, head: .init(at: 1, status: 200, headers: []),
          data: Data("x".utf8)), from: link)
    }
    gatherer.receive(ExchangeUpdate(key: 1, held: .released, end: .init(at: 9, outcome: .failed)), from: link)
    gatherer.receive(
      ExchangeUpdate(key: 2, held: .released, end: .init(at: 9, outcome: .responded, hasBody: true)), from: link)
    let changed = gatherer.takeChanged()
    #expect(changed[0].response == nil)
    #expect(changed[1].response?.body == Data("x".utf8))
  }

  @Test func anUnknownKeyIsNotTaken() {
    var gatherer = gatherer()
    #expect(gatherer.receive(.end(9), from: link) == .unexplained)
    #expect(gatherer.receive(.whole(1), from: LinkID(2)) == .unexplained)
    #expect(gatherer.receive(.whole(1), from: link) == .taken(1))
    #expect(gatherer.receive(.end(1), from: link) == .unexplained)
    #expect(gatherer.receive(.whole(1), from: link) == .taken(2))
  }

  @Test func linksDoNotMixTheirKeys() {
    var gatherer = gatherer()
    let other = LinkID(2)
    gatherer.link(other, process: HarnessProcess(name: "other", pid: 8))
    gatherer.receive(.begin(1), from: link)
    gatherer.receive(.begin(1), from: other)
    gatherer.receive(.end(1, outcome: .cancelled), from: other)
    let changed = gatherer.takeChanged()
    #expect(changed.map(\.outcome) == [nil, .cancelled])
    #expect(changed.map(\.process.name) == ["demo", "other"])
  }

  @Test func whatAVanishedLinkLeftIsAbandoned() {
    var gatherer = gatherer()
    gatherer.receive(.begin(1), from: link)
    gatherer.receive(.whole(2), from: link)
    gatherer.receive(
      ExchangeUpdate(
        key: 3, start: .request("a:"), held: .request, head: .init(at: 1, status: 200, headers: []),
        data: Data("part".utf8)), from: link)
    gatherer.unlink(link, now: Timestamp(microseconds: 1_500_000))
    let changed = gatherer.takeChanged()
    #expect(changed.map(\.outcome) == [.abandoned, .responded, .abandoned])
    #expect(changed[0].timing.end == 500_000)
    #expect(changed[2].response?.body == Data("part".utf8))
    #expect(gatherer.held.isEmpty)
    #expect(leftOpen(gatherer).isEmpty)
  }

  @Test func exchangesThatNeverEndAreBounded() {
    var gatherer = gatherer { $0.openExchanges = 100 }
    for key in 1...5_000 as ClosedRange<UInt64> {
      gatherer.receive(.begin(key), from: link)
      if key % 2 == 0 { gatherer.receive(.end(key), from: link) }
    }
    #expect(leftOpen(gatherer).count == 99)
    let abandoned = gatherer.takeChanged().filter { $0.outcome == .abandoned }
    #expect(abandoned.count == 2_401)
    #expect(abandoned.map(\.id) == abandoned.map(\.id).sorted())
    #expect(abandoned.first?.id == 1)
  }

  @Test func aReplayNamesItsOriginal() {
    var gatherer = gatherer()
    gatherer.expectReplay(token: 5, of: 77)
    gatherer.receive(ExchangeUpdate(key: 1, start: .request("a:", replay: 5)), from: link)
    gatherer.receive(ExchangeUpdate(key: 2, start: .request("a:", replay: 6)), from: link)
    #expect(gatherer.takeChanged().map(\.replayOf) == [77, nil])
  }

  @Test func aDecisionIsMadeOnce() {
    var gatherer = gatherer()
    gatherer.receive(ExchangeUpdate(key: 12, start: .request("a:"), held: .request), from: link)
    let first = gatherer.decide(1)
    #expect(first?.link == link && first?.key == 12)
    let second = gatherer.decide(1)
    #expect(second == nil)
    #expect(gatherer.held.isEmpty)
    gatherer.receive(ExchangeUpdate(key: 12, held: .released), from: link)
    #expect(gatherer.takeChanged().last?.phase == .waiting)
    gatherer.receive(
      ExchangeUpdate(key: 12, held: .response, head: .init(at: 3, status: 200, headers: [])), from: link)
    #expect(gatherer.held.map(\.stage) == [.response])
    let third = gatherer.decide(1)
    #expect(third != nil)
  }

  @Test func theEditedRequestIsTheRecordedOne() {
    var gatherer = gatherer()
    gatherer.receive(.begin(1), from: link)
    let edited = RecordedRequest(method: "PUT", url: "http://x.test/edited", body: Data("b".utf8))
    gatherer.receive(ExchangeUpdate(key: 1, answer: .init(by: .network, edited: edited)), from: link)
    #expect(gatherer.takeChanged()[0].request == edited)
  }

  /// A body in a hundred thousand pieces, taken after each, may not be copied for each.
  @Test func aDribbledBodyIsNotCopiedForEachPiece() {
    var gatherer = gatherer()
    gatherer.receive(.begin(1), from: link)
    gatherer.receive(ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: [])), from: link)
    var now = Timestamp(microseconds: 0)
    var copies = 0
    var seen = 0
    for _ in 0..<20_000 {
      now.microseconds += 10
      gatherer.receive(ExchangeUpdate(key: 1, data: Data(count: 500)), from: link, now: now)
      let count = gatherer.takeChanged(now: now)[0].response?.body?.count ?? 0
      if count != seen { copies += 1 }
      seen = count
    }
    #expect(copies < 100)
    #expect(gatherer.nextSnapshot != nil)
    now.microseconds += 3_000_000
    gatherer.wakeSnapshots(now: now)
    #expect(gatherer.takeChanged(now: now)[0].response?.body?.count == 10_000_000)
    #expect(gatherer.nextSnapshot == nil)
  }
}
