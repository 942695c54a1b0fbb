import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

@Suite("A message that is given up", .bounded)
struct GivingUpTests {
  private let long = Samples.frame(0, [1, 1]) + Samples.frame(0, [2, 2, 2]) + Samples.frame(3, [3, 3])
  private let next = Samples.bytes([HookMessage.applied(revision: 7)])

  @Test("is skipped to its end wherever it is cut and given up, and the next one is read")
  func everySplit() {
    let bytes = long + next
    for cut in 1..<long.count {
      for split in cut...bytes.count {
        var decoder = FrameDecoder<HookMessage>()
        decoder.feed(bytes[..<cut])
        #expect(decoder.drain().messages.isEmpty)
        #expect(decoder.unfinishedBytes > 0)
        decoder.giveUpMessage()
        #expect(decoder.unfinishedBytes < 6)
        decoder.feed(bytes[cut..<split])
        var messages = decoder.drain()
        decoder.feed(bytes[split...])
        let rest = decoder.drain()
        messages.messages += rest.messages
        messages.skipped += rest.skipped
        #expect(messages.messages == [.applied(revision: 7)] && messages.skipped == [3], "cut \(cut), split \(split)")
        #expect(decoder.unfinishedBytes == 0)
      }
    }
  }

  @Test("one that is given up twice is given up once, and none is where none has begun")
  func twice() {
    var decoder = FrameDecoder<HookMessage>()
    decoder.giveUpMessage()
    decoder.feed(next)
    #expect(decoder.drain().messages == [.applied(revision: 7)])
    decoder.feed(long[..<9])
    _ = decoder.drain()
    decoder.giveUpMessage()
    decoder.giveUpMessage()
    decoder.feed(long[9...] + next)
    #expect(decoder.drain().messages == [.applied(revision: 7)])
  }

  @Test("lists of a message that are too long are read up to their limit")
  func longLists() throws {
    var fields = FieldWriter()
    fields.number(1, 1)
    fields.record(6) {
      $0.signed(1, 5)
      for _ in 0..<70_000 { $0.pair(3, "A", "b") }
    }
    for _ in 0..<2_000 { fields.record(4) { $0.text(2, "u") } }
    let message = try fields.bytes.withUnsafeBytes {
      try HookMessage.read(kind: MessageKind.exchange, payload: $0)
    }
    guard case .exchange(let update)? = message else { throw CancellationError() }
    #expect(update.head?.headers.count == Wire.headerLimit)
    #expect(update.hops.count == Wire.hopLimit)
  }
}
