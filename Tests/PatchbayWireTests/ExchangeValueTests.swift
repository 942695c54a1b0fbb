import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

/// Exchanges as values: their size, their redirects, their moments, and the sum of their updates.
@Suite("What is known of an exchange by itself", .bounded)
struct ExchangeValueTests {
  private let process = HarnessProcess(name: "app", pid: 3)

  private func exchange() -> Exchange {
    Exchange(
      id: 1, process: process, startedAt: Timestamp(microseconds: 1_000),
      request: RecordedRequest(method: "GET", url: "http://x"))
  }

  // MARK: Sizes

  @Test("its size is that of each of its parts") func size() {
    var exchange = exchange()
    #expect(exchange.factBytes == 1_024 + 3 + 8 && exchange.bodyBytes == 0)
    exchange.request.headers = [HeaderField("A", "bc"), HeaderField("", "")]
    #expect(exchange.factBytes == 1_035 + 83 + 80)
    exchange.request.body = Data(count: 10)
    exchange.sent = RecordedRequest(method: "S", url: "ss", headers: [HeaderField("H", "")], body: Data(count: 200))
    #expect(exchange.factBytes == 1_198 + 3 + 81 && exchange.bodyBytes == 210)
    exchange.redirects = [
      RedirectHop(status: 302, url: "12345", headers: [HeaderField("L", "/")], target: "1234567"),
      RedirectHop(status: 302, url: "1"),
    ]
    #expect(exchange.factBytes == 1_282 + (80 + 5 + 82 + 7) + 81)
    exchange.response = RecordedResponse(status: 200, headers: [HeaderField("RR", "rrr")], body: Data(count: 3_000))
    #expect(exchange.factBytes == 1_537 + 85 && exchange.bodyBytes == 3_210)
    exchange.error = RecordedError(domain: "dom", code: 1, name: "named", message: "messages")
    #expect(exchange.factBytes == 1_622 + 3 + 5 + 8)
    #expect(exchange.approximateBytes == 1_638 + 3_210)
  }

  private static let update = ExchangeUpdate(
    key: 1,
    start: .init(
      at: Timestamp(microseconds: 0),
      request: RecordedRequest(method: "GET", url: "http://x", headers: [HeaderField("A", "bc")]), task: .data,
      revision: 0),
    answer: .init(by: .stub, stub: "stub", edited: RecordedRequest(method: "E", url: "ee")),
    sent: RecordedRequest(method: "S", url: "sss"), turn: "tt", hops: [RedirectHop(status: 301, url: "u")],
    head: .init(at: 1, status: 200, headers: [HeaderField("H", "h")]),
    end: .init(at: 2, outcome: .failed, error: RecordedError(domain: "dom", code: 1, name: "nam", message: "mes")))

  @Test(
    "of an update too large redirects are left out first, then header fields that do not fit, and the ends of texts",
    arguments: [
      (1_000, 276), (276, 276), (275, 195), (195, 195), (194, 194), (192, 192), (190, 190), (189, 189), (188, 113),
      (113, 113), (112, 112), (107, 107), (106, 106), (104, 104), (102, 102), (99, 99), (97, 97), (96, 96), (95, 30),
      (30, 30), (25, 25), (20, 20), (13, 13), (12, 12), (5, 5), (4, 4), (2, 2), (1, 1), (0, 0), (-5, 0),
    ])
  func trimming(_ room: Int, _ left: Int) {
    var update = Self.update
    #expect(update.factBytes == 276)
    #expect(update.trimFacts(to: room) == 276 - left)
    #expect(update.factBytes == left)
    #expect((update == Self.update) == (room >= 276))
  }

  @Test("what is left of the texts is their beginnings, in their order") func trimmed() {
    var update = Self.update
    _ = update.trimFacts(to: 192)
    var expected = Self.update
    expected.hops = []
    expected.end?.error?.message = ""
    #expect(update == expected)
    _ = update.trimFacts(to: 106)
    expected.answer?.stub = "stu"
    expected.head?.headers = []
    expected.end?.error?.domain = ""
    #expect(update == expected)
    _ = update.trimFacts(to: 20)
    expected.start?.request.headers = []
    // 2 of the turn, 3 and 8 of the start, 1 and 2 of the asked, 1 and 3 of the sent.
    expected.answer?.stub = ""
    #expect(update == expected)
    _ = update.trimFacts(to: 7)
    expected.start?.request.url = "ht"
    expected.answer?.edited = RecordedRequest(method: "", url: "")
    expected.sent = RecordedRequest(method: "", url: "")
    #expect(update == expected)
  }

  @Test("a text is cut between its characters, so that what is left has room", arguments: 0...13)
  func trimmedWide(_ room: Int) {
    var update = ExchangeUpdate(key: 1)
    update.turn = "aé東🎏e\u{301}"
    _ = update.trimFacts(to: room)
    let whole = [0: "", 1: "a", 3: "aé", 6: "aé東", 10: "aé東🎏", 11: "aé東🎏e", 13: "aé東🎏e\u{301}"]
    #expect(update.turn == whole[(0...room).last { whole[$0] != nil } ?? 0])
    #expect(update.factBytes <= room)
  }

  // MARK: Redirects and moments

  @Test("the last redirect goes elsewhere, or was none") func turns() {
    let (first, second) = (RedirectHop(status: 301, url: "a"), RedirectHop(status: 302, url: "b"))
    var hops = [first, second]
    hops.turn(to: "x")
    #expect(hops == [first, RedirectHop(status: 302, url: "b", target: "x")])
    hops.turn(to: "")
    #expect(hops == [first])
    hops.turn(to: "")
    hops.turn(to: "")
    hops.turn(to: "y")
    #expect(hops == [])
  }

  @Test("moments are compared and told in other units") func moments() {
    let moment = Timestamp(microseconds: 1_999_999)
    #expect(moment.milliseconds == 1_999 && moment.date == Date(timeIntervalSince1970: 1.999_999))
    #expect(Timestamp(microseconds: 4) < Timestamp(microseconds: 5))
    #expect(!(Timestamp(microseconds: 5) < Timestamp(microseconds: 5)))
    #expect(!(Timestamp(microseconds: 6) < Timestamp(microseconds: 5)))
    #expect(abs(Timestamp.now.date.timeIntervalSince(Date())) < 60)
  }

  @Test(
    "seconds become the nearest microsecond",
    arguments: [
      (0, 0), (1e-6, 1), (1.4e-6, 1), (1.6e-6, 2), (-1.6e-6, -2), (253_402_300_800, 253_402_300_799_999_999),
      (.nan, -62_135_596_800_000_000),
    ] as [(Double, Int64)])
  func seconds(_ seconds: Double, _ microseconds: Int64) {
    #expect(NumberLimits.moment(seconds: seconds).microseconds == microseconds)
  }

  @Test("sums stop at the highest number") func sums() {
    #expect(Int64(1).addingUpTo63Bits(2) == 3 && Int64.max.addingUpTo63Bits(1) == .max)
    #expect((Int64.max - 1).addingUpTo63Bits(1) == .max && Int64.max.addingUpTo63Bits(0) == .max)
    #expect((Int64.max - 2).addingUpTo63Bits(1) == .max - 1)
    var shed = Shed(exchanges: 1, bodies: 2, bytes: 3)
    shed += Shed(exchanges: 10, bodies: 20, bytes: 30)
    #expect(shed == Shed(exchanges: 11, bodies: 22, bytes: 33))
    shed += Shed(exchanges: 1 << 53, bodies: (1 << 53) - 22, bytes: (1 << 53) - 34)
    #expect(shed == Shed(exchanges: 1 << 53, bodies: 1 << 53, bytes: (1 << 53) - 1))
  }

  @Test("what its revision and its phase tell") func states() {
    var exchange = exchange()
    for (revision, expected) in [(0, false), ((1 << 53) - 1, false), (1 << 53, true), ((1 << 53) + 1, false)] {
      exchange.revision = UInt64(revision)
      #expect(exchange.wasBeforeStubs == expected)
    }
    for phase in Exchange.Phase.allCases {
      exchange.phase = phase
      exchange.outcome = nil
      #expect(exchange.isObserved == (phase == .ended))
      exchange.outcome = .responded
      #expect(!exchange.isObserved)
    }
  }

  @Test("a new one has nothing yet") func new() {
    let new = exchange()
    #expect(new.phase == .waiting && new.by == .network && new.task == .unknown && new.timing == Timing())
    #expect(new.redirects == [] && new.tags == [] && !new.marked && new.revision == 0)
    #expect(new.bytesSent == 0 && new.bytesReceived == 0 && new.response == nil && new.outcome == nil)
    #expect(new.timing.held == 0 && new.timing.head == nil && new.timing.end == nil)
  }

  // MARK: The sum of its updates

  @Test("each part of an update is there in the end") func builtOfAll() {
    var builder = ExchangeBuilder(exchange())
    let asked = RecordedRequest(method: "PUT", url: "http://y", body: Data(count: 3))
    let sent = RecordedRequest(method: "PUT", url: "http://z", body: Data(count: 5))
    let hop = RedirectHop(status: 307, url: "http://y")
    var isEnded = builder.apply(ExchangeUpdate(key: 1, hops: [hop]))
    #expect(!isEnded)
    isEnded = builder.apply(
      ExchangeUpdate(
        key: 1, answer: .init(by: .code, stub: "s", edited: asked), sent: sent, turn: "http://w", hops: [hop],
        head: .init(at: 4, status: 201, headers: [HeaderField("A", "b")]), data: Data(count: 7)))
    #expect(!isEnded && builder.exchange.phase == .receiving)
    #expect(builder.responseBytes == 7 && builder.bodyBytes == 15 && builder.isBodyBehind)
    let error = RecordedError(domain: "d", code: 2)
    isEnded = builder.apply(
      ExchangeUpdate(
        key: 1,
        end: .init(at: 9, outcome: .failed, error: error, held: 2, bytesSent: 30, bytesReceived: 40)))
    var expected = exchange()
    expected.by = .code
    expected.stub = "s"
    expected.request = asked
    expected.sent = sent
    expected.redirects = [RedirectHop(status: 307, url: "http://y", target: "http://w"), hop]
    expected.response = RecordedResponse(status: 201, headers: [HeaderField("A", "b")], body: Data(count: 7))
    expected.phase = .ended
    expected.outcome = .failed
    expected.error = error
    expected.timing = Timing(head: 4, end: 9, held: 2)
    (expected.bytesSent, expected.bytesReceived) = (30, 40)
    #expect(isEnded && builder.exchange == expected && !builder.isBodyBehind)
  }

  @Test(
    "a body has the room that it is given, and is cut where more comes",
    arguments: [(4, 3, false), (3, 3, false), (2, 2, true), (0, 0, true), (-1, 0, true)])
  func room(_ room: Int, _ kept: Int, _ isCut: Bool) {
    var builder = ExchangeBuilder(exchange())
    builder.apply(ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: [])))
    builder.apply(ExchangeUpdate(key: 1, data: Data([1, 2, 3])), room: room)
    builder.updateBody()
    let expected = RecordedResponse(status: 200, body: Data([1, 2, 3].prefix(kept)), truncated: isCut)
    #expect(builder.exchange.response == expected && builder.responseBytes == kept)
    builder.apply(ExchangeUpdate(key: 1, end: .init(at: 2, outcome: .responded)))
    #expect(builder.exchange.response == expected)
    // Another head begins anew.
    builder.apply(ExchangeUpdate(key: 1, head: .init(at: 3, status: 204, headers: [])))
    #expect(builder.responseBytes == 0 && !builder.isBodyBehind)
    builder.apply(ExchangeUpdate(key: 1, end: .init(at: 4, outcome: .responded)))
    #expect(builder.exchange.response == RecordedResponse(status: 204) && builder.exchange.timing.head == 3)
  }

  @Test("the end says what was cut and whether there was a body at all")
  func cutAndEmpty() {
    for number in 0..<16 {
      func has(_ bit: Int) -> Bool { number >> bit & 1 == 1 }
      var start = exchange()
      start.request.truncated = has(3)
      var builder = ExchangeBuilder(start)
      builder.apply(ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: [])))
      builder.apply(
        ExchangeUpdate(
          key: 1,
          end: .init(
            at: 2, outcome: .responded, requestTruncated: has(0), responseTruncated: has(1), hasBody: has(2))))
      #expect(builder.exchange.request.truncated == (has(0) || has(3)))
      #expect(
        builder.exchange.response
          == RecordedResponse(status: 200, body: has(2) ? Data() : nil, truncated: has(1)))
    }
  }

  @Test("pieces without a head are shown too, and a hold that is released waits on")
  func withoutHead() {
    var builder = ExchangeBuilder(exchange())
    builder.apply(ExchangeUpdate(key: 1, held: .request))
    #expect(builder.exchange.phase == .heldRequest)
    builder.apply(ExchangeUpdate(key: 1, held: .released))
    #expect(builder.exchange.phase == .waiting)
    builder.apply(ExchangeUpdate(key: 1, data: Data([7])))
    #expect(builder.exchange.response == nil)
    builder.updateBody()
    #expect(builder.exchange.response == RecordedResponse(status: 0, body: Data([7])))
  }

  @Test("one that is abandoned took as long as it lived, and keeps the bytes that were told")
  func abandoned() {
    for (now, end) in [(900, 0), (1_000, 0), (1_001, 1), (5_000, 4_000)] as [(Int64, Int64)] {
      var start = exchange()
      start.bytesReceived = now == 900 ? 77 : 0
      var builder = ExchangeBuilder(start)
      builder.apply(
        ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: []), data: Data([1, 2])))
      builder.abandon(now: Timestamp(microseconds: now))
      #expect(builder.exchange.timing.end == end && builder.exchange.phase == .ended)
      #expect(builder.exchange.bytesReceived == (now == 900 ? 77 : 2) && builder.exchange.outcome == .abandoned)
      #expect(builder.exchange.response == RecordedResponse(status: 200, body: Data([1, 2])))
    }
  }

  @Test("now is between the moments before and after it") func now() {
    for _ in 0..<100 {
      let before = Date().timeIntervalSince1970
      let now = Double(Timestamp.now.microseconds) / 1_000_000
      let after = Date().timeIntervalSince1970
      #expect(before - 1e-5 <= now && now <= after + 1e-5)
    }
  }
}
