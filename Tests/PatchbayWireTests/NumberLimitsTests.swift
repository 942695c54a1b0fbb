import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

@Suite(.bounded) struct NumberLimitsTests {
  @Test(
    arguments: [
      (Int64.min, 0), (-1, 0), (0, 0), (34, 34), (1 << 53, 1 << 53), ((1 << 53) + 1, 1 << 53), (.max, 1 << 53),
    ] as [(Int64, Int64)])
  func countsAndTimesAreClampedWhereTheyEnter(_ told: Int64, _ known: Int64) throws {
    let request = RecordedRequest(method: "GET", url: "http://a/")
    let update = ExchangeUpdate(
      key: .max, start: .init(at: Timestamp(microseconds: told), request: request, task: .data, revision: .max),
      hops: [RedirectHop(status: Int(told), url: "http://a/", at: told)],
      head: .init(at: told, status: Int(told), headers: []),
      end: .init(
        at: told, outcome: .failed, error: RecordedError(domain: "d", code: Int(told)), held: told, bytesSent: told,
        bytesReceived: told))
    let read = try #require(Self.read(.exchange(update)))
    let code = Int(min(max(told, -1 << 53), 1 << 53))
    guard case .exchange(let found) = read, let end = found.end, let head = found.head, let hop = found.hops.first
    else {
      return #expect(Bool(false), "\(read)")
    }
    #expect(found.key == .max && found.start?.revision == .max)
    #expect([end.at, end.held, end.bytesSent, end.bytesReceived, head.at, hop.at] == Array(repeating: known, count: 6))
    #expect(end.error?.code == code && head.status == code && hop.status == code)
    let start = try #require(found.start?.at.microseconds)
    #expect(start == min(max(told, -62_135_596_800_000_000), 253_402_300_799_999_999))
  }

  @Test(
    arguments: [(UInt64(0), UInt64(0)), (7, 7), (1 << 53, 1 << 53), (1 << 63, 1 << 53), (.max, 1 << 53)]
      as [(UInt64, UInt64)])
  func countsOfOtherMessagesToo(_ told: UInt64, _ known: UInt64) {
    #expect(
      Self.read(.shed(Shed(exchanges: told, bodies: told, bytes: told)))
        == .shed(Shed(exchanges: known, bodies: known, bytes: known)))
    #expect(
      Self.read(.progress([StubProgress(name: "a", hits: told, nextStep: .max)]))
        == .progress([StubProgress(name: "a", hits: known, nextStep: UInt32(Int32.max))]))
  }

  @Test func momentsOfSeconds() {
    #expect(NumberLimits.moment(seconds: 1.5).microseconds == 1_500_000)
    for (seconds, limit) in [(1e300, 253_402_300_799_999_999), (-1e300, -62_135_596_800_000_000)] as [(Double, Int64)] {
      #expect(NumberLimits.moment(seconds: seconds).microseconds == limit)
    }
    #expect(NumberLimits.moment(seconds: .infinity) > NumberLimits.moment(seconds: -.infinity))
  }

  private static func read(_ message: HookMessage) -> HookMessage? {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.bytes([message]))
    return decoder.drain().messages.first
  }
}
