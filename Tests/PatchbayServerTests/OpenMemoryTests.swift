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
