import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

@Suite(.bounded) struct ExchangeBuilderTests {
  private static let start = ExchangeUpdate.Start(
    at: Timestamp(microseconds: 1_000), request: RecordedRequest(method: "GET", url: "http://x.test/"), task: .upload,
    revision: 7)
  private static let held = ExchangeUpdate(
    key: 1, held: .response, head: .init(at: 4, status: 200, headers: []), data: Data("shown".utf8))

  private func builder() -> ExchangeBuilder {
    ExchangeBuilder(id: 3, process: HarnessProcess(name: "demo", pid: 7), start: Self.start)
  }

  @Test func itBeginsWithWhatTheStartSays() {
    let exchange = builder().exchange
    #expect(exchange.id == 3 && exchange.task == .upload && exchange.revision == 7)
    #expect(exchange.startedAt == Self.start.at && exchange.request == Self.start.request)
    #expect(exchange.phase == .waiting && exchange.outcome == nil)
  }

  /// What the program really got is what counts.
  @Test(arguments: [Exchange.Outcome.failed, .cancelled, .abandoned, .responded])
  func aHeldResponseThatWasNeverGivenToTheProgramIsNone(_ outcome: Exchange.Outcome) {
    var builder = builder()
    var isEnded = builder.apply(Self.held)
    #expect(!isEnded)
    builder.updateBody()
    #expect(builder.exchange.phase == .heldResponse)
    #expect(builder.exchange.response?.body == Data("shown".utf8))
    let end = ExchangeUpdate.End(at: 9, outcome: outcome, held: 5, hasBody: true)
    isEnded = builder.apply(ExchangeUpdate(key: 1, answer: .init(by: .person), held: .released, end: end))
    #expect(isEnded)
    let shown = RecordedResponse(status: 200, body: Data("shown".utf8))
    #expect(builder.exchange.response == (outcome == .responded ? shown : nil))
    #expect(builder.exchange.timing == Timing(head: 4, end: 9, held: 5))
    #expect(builder.exchange.phase == .ended && builder.exchange.outcome == outcome)
  }

  @Test func whatCameAfterAHoldIsKeptAlsoWhereItBreaksOff() {
    var builder = builder()
    builder.apply(Self.held)
    builder.apply(
      ExchangeUpdate(
        key: 1, held: .released, head: .init(at: 6, status: 203, headers: []), data: Data("ha".utf8)))
    #expect(builder.exchange.phase == .receiving)
    builder.apply(ExchangeUpdate(key: 1, data: Data("lf".utf8), end: .init(at: 9, outcome: .failed)))
    #expect(builder.exchange.response == RecordedResponse(status: 203, body: Data("half".utf8)))
    #expect(builder.exchange.timing.head == 6)
  }

  @Test func onlyItsReleaseEndsAHold() {
    var builder = builder()
    builder.apply(ExchangeUpdate(key: 1, held: .request))
    builder.apply(ExchangeUpdate(key: 1, head: .init(at: 6, status: 200, headers: [])))
    #expect(builder.exchange.phase == .heldRequest)
    builder.apply(ExchangeUpdate(key: 1, held: .released))
    #expect(builder.exchange.phase == .receiving)
  }

  @Test func theBodyIsCopiedOnlyWhenAskedForAndHasNoMoreThanItsRoom() {
    var builder = builder()
    builder.apply(ExchangeUpdate(key: 1, head: .init(at: 6, status: 200, headers: [])))
    for _ in 0..<3 { builder.apply(ExchangeUpdate(key: 1, data: Data("abc".utf8)), room: 7 - builder.responseBytes) }
    #expect(builder.isBodyBehind && builder.exchange.response?.body == nil)
    builder.updateBody()
    #expect(!builder.isBodyBehind && builder.responseBytes == 7)
    #expect(builder.exchange.response == RecordedResponse(status: 200, body: Data("abcabca".utf8), truncated: true))
  }

  @Test func anAbandonedOneKeepsWhatItHas() {
    var builder = builder()
    builder.apply(Self.held)
    builder.abandon(now: Timestamp(microseconds: 1_300))
    #expect(builder.exchange.outcome == .abandoned && builder.exchange.timing.end == 300)
    #expect(builder.exchange.response?.body == Data("shown".utf8) && builder.exchange.bytesReceived == 5)
  }
}
