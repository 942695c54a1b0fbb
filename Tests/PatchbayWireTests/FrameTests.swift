import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

@Suite("Frames are cut at their limit and counted", .bounded)
struct FrameTests {
  private func bytes(_ message: HookMessage, pieces: Int) -> [UInt8] {
    var encoder = FrameEncoder(pieceLimit: pieces)
    encoder.append(message)
    return encoder.bytes
  }

  @Test("a payload of the limit takes one frame, a longer one several")
  func pieces() {
    let message = HookMessage.applied(revision: 300)
    let whole: [UInt8] = [0, 0, 0, 6, 0, 2, 1, 2, 0xAC, 2]
    #expect(bytes(message, pieces: 5) == whole && bytes(message, pieces: 4) == whole)
    #expect(bytes(message, pieces: 3) == [0, 0, 0, 5, 0, 0, 1, 2, 0xAC, 0, 0, 0, 3, 0, 2, 2])
    #expect(bytes(message, pieces: 2) == [0, 0, 0, 4, 0, 0, 1, 2, 0, 0, 0, 4, 0, 2, 0xAC, 2])
    for pieces in [1, 0, -7] {
      #expect(
        bytes(message, pieces: pieces) == [
          0, 0, 0, 3, 0, 0, 1, 0, 0, 0, 3, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0xAC, 0, 0, 0, 3, 0, 2, 2,
        ])
    }
  }

  @Test("no piece is longer than the link's own limit, whatever is asked for")
  func largestPiece() {
    for (over, frames) in [(0, 1), (1, 2)] {
      // Tag, count of three bytes, text.
      let message = HookMessage.notice(String(repeating: "n", count: Wire.pieceLimit - 4 + over))
      let expected = Wire.pieceLimit + over + 6 * frames
      #expect(Samples.bytes([message]).count == expected)
      #expect(bytes(message, pieces: .max).count == expected)
    }
  }

  @Test("messages that follow each other are whole again, in pieces of any size", arguments: [1, 2, 3, 5, 17, 64])
  func piecesOfMany(_ limit: Int) {
    var encoder = FrameEncoder(pieceLimit: limit)
    for message in Samples.fromHook {
      if case .exchange(let update) = message { encoder.append(update) } else { encoder.append(message) }
    }
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(encoder.bytes)
    #expect(decoder.drain().messages == Samples.fromHook)
    encoder.removeAll()
    #expect(encoder.bytes == [])
    encoder.append(HookMessage.applied(revision: 1))
    #expect(encoder.bytes.suffix(1) == [1])
    decoder.feed(encoder.bytes)
    #expect(decoder.drain().messages == [.applied(revision: 1)])
  }

  @Test("the kinds above 255 and long frames have their bytes in order")
  func bytesOfHeads() {
    let sentence = String(repeating: "x", count: 66_000)
    let bytes = Samples.bytes([ConsoleMessage.refused(sentence)])
    // 66,000, its count of three bytes, the tag, and two for the kind: 0x1_01D6.
    #expect(bytes.prefix(10) == [0, 1, 1, 0xD6, 1, 7, 1, 0xD0, 0x83, 4])
  }

  @Test("it is known how long the last message was and how much waits for its rest")
  func counts() {
    var decoder = FrameDecoder<HookMessage>()
    #expect(decoder.lastMessageBytes == 0 && decoder.unfinishedBytes == 0)
    decoder.feed(Samples.frame(2, [1, 1, 5]))
    #expect(decoder.unfinishedBytes == 9)
    #expect(decoder.drain().messages == [.applied(revision: 5)])
    #expect(decoder.lastMessageBytes == 3 && decoder.unfinishedBytes == 0)
    decoder.feed(Samples.frame(0, [1, 2]))
    _ = decoder.drain()
    #expect(decoder.unfinishedBytes == 2 && decoder.lastMessageBytes == 3)
    let rest = Samples.frame(2, [0xAC, 2])
    decoder.feed(rest.prefix(5))
    _ = decoder.drain()
    #expect(decoder.unfinishedBytes == 7)
    decoder.feed(rest.dropFirst(5))
    #expect(decoder.drain().messages == [.applied(revision: 300)])
    #expect(decoder.lastMessageBytes == 4 && decoder.unfinishedBytes == 0)
  }

  @Test(
    "pieces up to the limit of a message are put together, and one byte more is refused", arguments: [99, 100, 101])
  func longestMessage(_ count: Int) {
    var decoder = FrameDecoder<HookMessage>(messageLimit: 100)
    let payload: [UInt8] = [1, 1, 8]
    let filler = count - payload.count
    // A field of a tag that is not known, and then the revision.
    let field: [UInt8] = [99, UInt8(filler - 2)] + [UInt8](repeating: 0, count: filler - 2)
    decoder.feed(Samples.frame(0, field) + Samples.frame(2, payload))
    let drained = decoder.drain()
    #expect(drained.messages == (count > 100 ? [] : [.applied(revision: 8)]))
    #expect(drained.error == (count > 100 ? .messageLength(101) : nil))
    // Broken, it forgets what comes.
    decoder.feed(Samples.frame(2, payload))
    #expect(decoder.unfinishedBytes == (count > 100 ? 0 : 9))
  }

  /// Who sent one very large message may send small ones for ever.
  @Test func theBufferIsKeptForTheNextMessagesUnlessItIsVeryLarge() {
    for (count, isKept) in [(100, true), (1 << 20, true), (5 << 20, false)] {
      var encoder = FrameEncoder()
      encoder.append(HookMessage.notice(String(repeating: "n", count: count)))
      encoder.removeAll()
      #expect(encoder.bytes.isEmpty)
      #expect((encoder.bytes.capacity >= count) == isKept, "\(count)")
    }
  }
}
