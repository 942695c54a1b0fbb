import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayServer

/// What open exchanges may take of memory, whatever a link sends.
@Suite(.bounded) struct OpenMemoryTests {
  private let link = LinkID(1)
  private let other = LinkID(2)

  private func assembler(_ adjust: (inout ServerLimits) -> Void) -> ExchangeAssembler {
    var limits = ServerLimits()
    adjust(&limits)
    var assembler = ExchangeAssembler(limits: limits)
    assembler.link(link, process: HarnessProcess(name: "demo", pid: 7))
    assembler.link(other, process: HarnessProcess(name: "other", pid: 8))
    return assembler
  }

  private func begin(_ key: UInt64, url: String = "http://x.test/", body: Data? = nil) -> ExchangeUpdate {
    var start = ExchangeUpdate.Start.request(url)
    start.request.body = body
    return ExchangeUpdate(key: key, start: start)
  }

  /// The account itself: what is open, by link and in all, and what has ended.
  @Test func whatIsOpenIsCountedByLinkAndInAll() {
    var limits = ServerLimits()
    (limits.openBodies, limits.openFacts) = (400, 100)
    var memories = OpenMemories(limits: limits)
    #expect(memories.takeEnded() == 0)
    #expect(memories.bodyRoom(for: link) == 300 && memories.overfull == nil)
    memories.change(of: link, from: OpenMemory(), to: OpenMemory(facts: 60, bodies: 250))
    memories.change(of: other, from: OpenMemory(), to: OpenMemory(facts: 40, bodies: 70))
    #expect(memories.inAll.facts == 100 && memories.inAll.bodies == 320)
    // Its own share of three quarters, or what all have left.
    #expect(memories.bodyRoom(for: link) == 50 && memories.bodyRoom(for: other) == 80)
    #expect(memories.overfull == nil, "exactly as many as there may be")
    memories.change(of: other, from: OpenMemory(facts: 40, bodies: 70), to: OpenMemory(facts: 61, bodies: 10))
    #expect(memories.inAll.facts == 121 && memories.inAll.bodies == 260)
    #expect(memories.overfull == other)
    memories.ended(of: other, OpenMemory(facts: 61, bodies: 10))
    memories.ended(of: link, OpenMemory(facts: 20, bodies: 5))
    #expect(memories.inAll.facts == 40 && memories.inAll.bodies == 245)
    #expect(memories.takeEnded() == 96 && memories.takeEnded() == 0)
    #expect(memories.bodyRoom(for: link) == 55 && memories.bodyRoom(for: other) == 155)
    memories.forget(link)
    #expect(memories.bodyRoom(for: link) == 155)
    #expect(!memories.hasCuts)
    memories.cut(of: link, Shed(exchanges: 1, bodies: 2, bytes: 3))
    memories.cut(of: link, Shed(exchanges: 10, bodies: 20, bytes: 30))
    memories.cut(of: other, Shed(bytes: 4))
    #expect(memories.hasCuts)
    #expect(
      memories.takeCuts() == [link: Shed(exchanges: 11, bodies: 22, bytes: 33), other: Shed(bytes: 4)])
    #expect(memories.takeCuts().isEmpty)
  }

  /// Sizes of the body that was asked with, that was sent instead, and that a person edited; the room; what stays of the
  /// three, and how much is left out.
  @Test(
    arguments: [
      ([50, 0, 0], 50, [50, 0, 0], 0), ([51, 0, 0], 50, [nil, 0, 0], 51),
      ([20, 30, 0], 50, [20, 30, 0], 0), ([20, 31, 0], 50, [20, nil, 0], 31), ([51, 1, 0], 50, [nil, nil, 0], 52),
      ([0, 50, 0], 50, [0, 50, 0], 0), ([0, 51, 0], 50, [0, nil, 0], 51),
      ([0, 0, 50], 50, [0, 0, 50], 0), ([0, 0, 51], 50, [0, 0, nil], 51), ([30, 0, 50], 50, [30, 0, 50], 0),
      ([51, 60, 70], 50, [nil, nil, nil], 181),
    ] as [([Int], Int, [Int?], Int)])
  func bodiesForWhichThereIsNoRoom(_ sizes: [Int], _ room: Int, _ kept: [Int?], _ leftOut: Int) throws {
    func body(_ size: Int?) -> Data? { size.flatMap { $0 == 0 ? nil : Data(count: $0) } }
    func request(_ size: Int?) -> RecordedRequest {
      RecordedRequest(method: "PUT", url: "http://x.test/", body: body(size), truncated: size == nil)
    }
    func update(_ sizes: [Int?]) -> ExchangeUpdate {
      var update = begin(1)
      update.start?.request = request(sizes[0])
      update.sent = request(sizes[1])
      update.answer = .init(by: .network, edited: request(sizes[2]))
      return update
    }
    let fitted = update(sizes).fitted(facts: 1 << 20, bodies: room)
    #expect(fitted?.leftOut ?? 0 == leftOut)
    #expect((fitted == nil) == (leftOut == 0))
    if let fitted { #expect(fitted.update == update(kept)) }
  }

  @Test func whatMakesAnExchangeLargerBesidesItsBody() {
    let larger = [
      begin(1), ExchangeUpdate(key: 1, answer: .init(by: .stub)),
      ExchangeUpdate(key: 1, sent: RecordedRequest(method: "GET", url: "a:")), ExchangeUpdate(key: 1, turn: ""),
      ExchangeUpdate(key: 1, hops: [RedirectHop(status: 302, url: "a:")]),
      ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: [])),
    ]
    for (place, update) in larger.enumerated() { #expect(update.addsFacts, "\(place)") }
    let others = [
      ExchangeUpdate(key: 1), ExchangeUpdate(key: 1, held: .request), ExchangeUpdate(key: 1, data: Data(count: 9)),
      ExchangeUpdate(key: 1, end: .init(at: 1, outcome: .responded)),
    ]
    for (place, update) in others.enumerated() { #expect(!update.addsFacts, "\(place)") }
  }

  /// The method has three bytes.
  @Test(arguments: [(97, nil), (98, 1), (107, 10)] as [(Int, UInt64?)])
  func factsOfTheBeginningUpToTheLimit(_ length: Int, _ leftOut: UInt64?) {
    var assembler = assembler { $0.facts = 100 }
    assembler.received(begin(1, url: String(repeating: "u", count: length)), from: link)
    #expect(assembler.drainChanged().first?.request.url.utf8.count == 97)
    #expect(assembler.memories.takeCuts()[link] == leftOut.map { Shed(bodies: 1, bytes: $0) })
  }

  /// With what is known already: 1,024 bytes of each, and 100 of its request.
  @Test(arguments: [(796, 1, nil), (797, 0, 877)] as [(Int, Int, UInt64?)])
  func factsThatComeLaterUpToTheLimit(_ length: Int, _ hops: Int, _ leftOut: UInt64?) {
    var assembler = assembler { $0.facts = 2_000 }
    assembler.received(begin(1, url: String(repeating: "u", count: 97)), from: link)
    let hop = RedirectHop(status: 302, url: String(repeating: "h", count: length))
    assembler.received(ExchangeUpdate(key: 1, hops: [hop]), from: link)
    #expect(assembler.drainChanged().first?.redirects.count == hops)
    #expect(assembler.memories.takeCuts()[link] == leftOut.map { Shed(bodies: 1, bytes: $0) })
  }

  /// What is longer than a body may be at all is cut for that, and does not count as left out for want of room.
  @Test(arguments: [(6, 6, nil), (7, 6, 1), (10, 6, 4), (11, 6, nil)] as [(Int, Int, UInt64?)])
  func aPieceOfABodyForWhichThereIsNoRoom(_ size: Int, _ kept: Int, _ leftOut: UInt64?) {
    var assembler = assembler { ($0.body, $0.openBodies) = (10, 8) }
    assembler.received(begin(1), from: link)
    assembler.received(
      ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: []), data: Data(count: size)), from: link)
    let response = assembler.drainChanged().first?.response
    #expect(response?.body?.count == kept && response?.truncated == (size > 6))
    #expect(assembler.memories.takeCuts()[link] == leftOut.map { Shed(bodies: 1, bytes: $0) })
  }

  @Test func aRequestAndTheAnswerThatComesWithItShareTheRoom() {
    var assembler = assembler { $0.openBodies = 100 }
    var update = begin(1, body: Data(count: 50))
    update.head = .init(at: 1, status: 200, headers: [])
    update.data = Data(count: 50)
    assembler.received(update, from: link)
    let exchange = assembler.drainChanged().first
    #expect(exchange?.request.body?.count == 50 && exchange?.response?.body?.count == 25)
    #expect(assembler.memories.inAll.bodies == 75)
    #expect(assembler.memories.takeCuts() == [link: Shed(bodies: 1, bytes: 25)])
  }

  @Test func redirectsOfOneExchange() throws {
    var assembler = assembler { $0.facts = 10_000 }
    assembler.received(begin(1), from: link)
    for _ in 0..<100 {
      let hop = RedirectHop(status: 302, url: String(repeating: "u", count: 920))
      assembler.received(ExchangeUpdate(key: 1, hops: [hop]), from: link)
    }
    let exchange = try #require(assembler.drainChanged().first)
    #expect(exchange.redirects.count == 8)
    #expect(exchange.factBytes <= 10_000)
    #expect(assembler.memories.takeCuts() == [link: Shed(bodies: 1, bytes: 92 * 1_000)])
  }

  @Test func headersAndURLOfOneExchange() throws {
    var assembler = assembler { $0.facts = 10_000 }
    var update = begin(1, url: "http://x.test/" + String(repeating: "u", count: 20_000))
    update.start?.request.headers = [HeaderField("A", "b")]
    assembler.received(update, from: link)
    let fields = (0..<1_000).map { HeaderField("X-\($0)", "value") }
    assembler.received(ExchangeUpdate(key: 1, head: .init(at: 1, status: 200, headers: fields)), from: link)
    assembler.received(begin(2), from: link)
    assembler.received(ExchangeUpdate(key: 2, head: .init(at: 1, status: 200, headers: fields)), from: link)
    let exchanges = assembler.drainChanged()
    #expect(exchanges[0].request.url.utf8.count < 10_000 && exchanges[0].response?.headers.isEmpty == true)
    #expect((50..<120).contains(exchanges[1].response?.headers.count ?? 0))
    #expect(exchanges.allSatisfy { $0.factBytes <= 12_000 })
    #expect(assembler.memories.takeCuts()[link]?.bodies == 2)
  }

  @Test func bodiesOfRequestsAlsoEditedOnes() throws {
    var assembler = assembler { $0.openBodies = 1_000 }
    for key in 1...4 as ClosedRange<UInt64> { assembler.received(begin(key), from: link) }
    for key in 1...4 as ClosedRange<UInt64> {
      let edited = RecordedRequest(method: "PUT", url: "http://y.test/", body: Data(count: 300))
      assembler.received(ExchangeUpdate(key: key, answer: .init(by: .network, edited: edited)), from: link)
    }
    assembler.received(begin(5, body: Data(count: 300)), from: link)
    // The other link's share is there all the same.
    assembler.received(begin(1, body: Data(count: 300)), from: other)
    let exchanges = assembler.drainChanged()
    #expect(exchanges.map { $0.request.body?.count ?? 0 } == [300, 300, 0, 0, 0, 300])
    #expect(exchanges.map(\.request.truncated) == [false, false, true, true, true, false])
    #expect(exchanges.prefix(4).allSatisfy { $0.request.method == "PUT" })
    #expect(assembler.memories.takeCuts() == [link: Shed(bodies: 3, bytes: 900)])
    for key in 1...5 as ClosedRange<UInt64> { assembler.received(.end(key), from: link) }
    #expect(assembler.memories.takeEnded() > 600)
    assembler.received(begin(6, body: Data(count: 700)), from: link)
    #expect(assembler.drainChanged().last?.request.body?.count == 700)
  }

  @Test func factsOfAllGiveUpTheOldestOfTheHeaviestAndReleaseIt() {
    var assembler = assembler { $0.openFacts = 100_000 }
    assembler.received(begin(1), from: other)
    assembler.received(ExchangeUpdate(key: 1, held: .request), from: other)
    let url = "http://x.test/" + String(repeating: "u", count: 10_000)
    assembler.received(begin(1, url: url), from: link)
    assembler.received(ExchangeUpdate(key: 1, held: .request), from: link)
    for key in 2...50 as ClosedRange<UInt64> { assembler.received(begin(key, url: url), from: link) }
    let exchanges = assembler.drainChanged()
    let open = exchanges.filter { $0.phase != .ended }
    #expect(open.map(\.id) == [1] + Array(44...51))
    #expect(exchanges.filter { $0.outcome == .abandoned }.map(\.id) == Array(2...43))
    #expect(assembler.held.map(\.id) == [1])
    #expect(assembler.takeReleases().map(\.key) == [1] && assembler.takeReleases().isEmpty)
    #expect(assembler.memories.takeCuts() == [link: Shed(exchanges: 42)])
    // What is told of one that was given up is of none that is known.
    #expect(assembler.received(.end(5), from: link) == .unexplained)
  }

  @Test func whatEndsAtOnceIsNotMeasuredByWhatOthersHaveOpen() {
    var assembler = assembler { $0.openBodies = 100 }
    assembler.received(begin(1, body: Data(count: 75)), from: link)
    assembler.received(begin(1, body: Data(count: 25)), from: other)
    assembler.received(.whole(2, body: String(repeating: "x", count: 5_000)), from: link)
    #expect(assembler.drainChanged().last?.response?.body?.count == 5_000)
    #expect(!assembler.memories.hasCuts)
  }

  /// Whatever comes, what is counted is what there is.
  @Test(arguments: [1, 2, 3] as [UInt64]) func theSumIsThatOfTheOpenOnes(seed: UInt64) {
    var random = SeededGenerator(seed)
    var assembler = assembler {
      $0.openFacts = 60_000
      $0.openBodies = 20_000
      $0.facts = 5_000
    }
    for _ in 0..<3_000 {
      let key = UInt64.random(in: 1...40, using: &random)
      var update = ExchangeUpdate(key: key)
      if Bool.random(using: &random) { update.start = .request(String(repeating: "u", count: .random(in: 1...7_000))) }
      if Int.random(in: 0..<4, using: &random) == 0 {
        update.data = Data(count: .random(in: 1...4_000, using: &random))
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        update.head = .init(at: 1, status: 200, headers: [HeaderField("A", "b")])
      }
      if Int.random(in: 0..<6, using: &random) == 0 { update.end = .init(at: 1, outcome: .responded) }
      assembler.received(update, from: Bool.random(using: &random) ? link : other)
      #expect(assembler.memories.inAll.facts <= 60_000 && assembler.memories.inAll.bodies <= 20_000)
    }
    assembler.unlink(link)
    assembler.unlink(other)
    #expect(assembler.memories.inAll.facts == 0 && assembler.memories.inAll.bodies == 0)
  }
}
