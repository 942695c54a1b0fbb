import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

@Suite("Messages that are taken back", .bounded)
struct TakingBackTests {
  private static let messages: [HookMessage] = [
    .applied(revision: 1),
    .exchange(ExchangeUpdate(key: 7, data: PiecesTests.body(950))),
    .notice("short"),
    .exchange(ExchangeUpdate(key: 8, data: PiecesTests.body(40))),
    .shed(Shed(exchanges: 2)),
  ]

  /// Wherever the bytes that are sent end, what follows is understood, and nothing comes twice or never.
  @Test func atEveryByte() {
    var whole = FrameEncoder(pieceLimit: 100)
    for message in Self.messages { whole.append(message) }
    for sent in 0...whole.bytes.count {
      var encoder = whole
      let back = encoder.takeBack(after: sent)
      #expect(encoder.bytes.starts(with: whole.bytes[..<sent]))
      #expect(encoder.bytes.count <= sent + 112, "no more than the frame that has begun")
      for message in back { encoder.append(message) }
      var decoder = FrameDecoder<HookMessage>()
      decoder.feed(encoder.bytes)
      let drained = decoder.drain()
      #expect(drained.messages == Self.messages && drained.error == nil)
      let isBetween = decoder.isBetweenMessages()
      #expect(isBetween)
      #expect(drained.skipped.allSatisfy { $0 == 0xFFFF } && drained.skipped.count <= 1)
    }
  }

  @Test func nothingOfWhatIsSent() {
    var encoder = FrameEncoder()
    #expect(encoder.takeBack(after: 0).isEmpty && encoder.bytes.isEmpty)
    encoder.append(HookMessage.applied(revision: 1))
    let sent = encoder.bytes
    #expect(encoder.takeBack(after: sent.count).isEmpty && encoder.bytes == sent)
  }

  /// The link may break off again before anything of the other words is sent.
  @Test func whatWasTakenBackCanBeTakenBackAgain() {
    var whole = FrameEncoder(pieceLimit: 100)
    for message in Self.messages { whole.append(message) }
    for sent in 0...whole.bytes.count {
      var encoder = whole
      let back = encoder.takeBack(after: sent)
      for message in back { encoder.append(message) }
      let before = encoder.bytes
      let again = encoder.takeBack(after: sent)
      #expect(again == back, "\(sent)")
      for message in again { encoder.append(message) }
      #expect(encoder.bytes == before, "\(sent)")
    }
  }
}
