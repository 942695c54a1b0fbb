import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

@Suite("Messages in several frames", .bounded)
struct PiecesTests {
  static func body(_ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
  }

  @Test(arguments: [Wire.pieceLimit - 20, Wire.pieceLimit - 5, Wire.pieceLimit, 2 * Wire.pieceLimit, 2_500_000])
  func roundTrip(count: Int) {
    let update = ExchangeUpdate(key: 1, data: Self.body(count))
    let bytes = Samples.bytes([HookMessage.exchange(update), .applied(revision: 3)])
    var decoder = FrameDecoder<HookMessage>()
    var position = 0
    var messages: [HookMessage] = []
    while position < bytes.count {
      let next = min(position + 65_521, bytes.count)
      decoder.feed(bytes[position..<next])
      messages += decoder.drain().messages
      position = next
    }
    #expect(messages == [.exchange(update), .applied(revision: 3)])
    let isBetween = decoder.isBetweenMessages()
    #expect(isBetween)
  }

  @Test func noFrameIsLongerThanAPiece() {
    let bytes = Samples.bytes([HookMessage.exchange(ExchangeUpdate(key: 1, data: Self.body(3_000_000)))])
    var position = 0
    var kinds: [UInt8] = []
    while position < bytes.count {
      let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      #expect(length <= Wire.pieceLimit + 2)
      kinds.append(bytes[position + 5])
      position += 4 + length
    }
    #expect(kinds == [0, 0, 3])
  }

  @Test func partsOfAnUnknownKindGoWithIt() {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(0, [1, 1]) + Samples.frame(500, [5]) + Samples.frame(2, [1, 1, 9]))
    let drained = decoder.drain()
    #expect(drained.skipped == [500])
    #expect(drained.messages == [.applied(revision: 9)])
  }

  @Test func piecesOfOneByte() {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(0, [1]) + Samples.frame(0, []) + Samples.frame(0, [1]) + Samples.frame(2, [9]))
    #expect(decoder.drain().messages == [.applied(revision: 9)])
  }

  @Test func tooManyPiecesBreak() {
    var decoder = FrameDecoder<HookMessage>(messageLimit: 1000)
    for _ in 0..<10 { decoder.feed(Samples.frame(0, [UInt8](repeating: 0, count: 100))) }
    #expect(decoder.drain().error == nil)
    decoder.feed(Samples.frame(2, [0]))
    #expect(decoder.drain().error == .messageLength(1001))
  }

  @Test func aStubWithALargeBody() {
    let stub = Stub(name: "large", then: .respond(CannedResponse(body: .data(Self.body(3_000_000)))))
    let message = ConsoleMessage.stubs(StubPush(set: StubSet(revision: 1, stubs: [stub])))
    let bytes = Samples.bytes([message])
    #expect(bytes.count < 3_010_000, "bodies travel as raw bytes")
    var decoder = FrameDecoder<ConsoleMessage>()
    decoder.feed(bytes)
    #expect(decoder.drain().messages == [message])
  }
}
