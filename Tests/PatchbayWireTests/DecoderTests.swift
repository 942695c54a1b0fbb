import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

@Suite("Decoding", .bounded)
struct DecoderTests {
  @Test func roundTrip() {
    var fromHook = FrameDecoder<HookMessage>()
    fromHook.feed(Samples.bytes(Samples.fromHook))
    #expect(fromHook.drain().messages == Samples.fromHook)
    var fromConsole = FrameDecoder<ConsoleMessage>()
    fromConsole.feed(Samples.bytes(Samples.fromConsole))
    #expect(fromConsole.drain().messages == Samples.fromConsole)
    fromConsole.feed(Samples.bytes([ConsoleMessage.resetCounts(name: nil)]))
    #expect(fromConsole.drain().messages == [.resetCounts(name: nil)])
  }

  @Test func everySplitPoint() {
    let bytes = Samples.bytes(Samples.fromHook)
    for split in 0...bytes.count {
      var decoder = FrameDecoder<HookMessage>()
      decoder.feed(bytes[..<split])
      var messages = decoder.drain().messages
      decoder.feed(bytes[split...])
      messages += decoder.drain().messages
      #expect(messages == Samples.fromHook, "split at \(split)")
    }
  }

  @Test func everySplitPointOfTheConsole() {
    let bytes = Samples.bytes(Samples.fromConsole)
    for split in 0...bytes.count {
      var decoder = FrameDecoder<ConsoleMessage>()
      decoder.feed(bytes[..<split])
      var messages = decoder.drain().messages
      decoder.feed(bytes[split...])
      messages += decoder.drain().messages
      #expect(messages == Samples.fromConsole, "split at \(split)")
    }
  }

  @Test func byteByByte() {
    var decoder = FrameDecoder<HookMessage>()
    var messages: [HookMessage] = []
    for byte in Samples.bytes(Samples.fromHook) {
      decoder.feed(CollectionOfOne(byte))
      messages += decoder.drain().messages
    }
    #expect(messages == Samples.fromHook)
  }

  @Test func unknownKindIsSkipped() {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(999, [0xFF, 0xFF]) + Samples.bytes([HookMessage.applied(revision: 1)]))
    let drained = decoder.drain()
    #expect(drained.skipped == [999])
    #expect(drained.messages == [.applied(revision: 1)])
  }

  @Test func unknownTagIsSkipped() {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(2, [0xE7, 0x07, 3, 1, 2, 3, 1, 1, 5, 2, 0]))
    #expect(decoder.drain().messages == [.applied(revision: 5)])
  }

  @Test func unknownValueOfAnEnumerationIsTheDefault() {
    var decoder = FrameDecoder<HookMessage>()
    let end: [UInt8] = [8, 6, 1, 1, 2, 2, 1, 99]
    decoder.feed(Samples.frame(3, [1, 1, 1, 5, 1, 99] + end))
    let expected = ExchangeUpdate(key: 1, end: ExchangeUpdate.End(at: 1, outcome: .responded))
    #expect(decoder.drain().messages == [.exchange(expected)])
  }

  @Test func theLastOfTwoCounts() {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(2, [1, 1, 5, 1, 1, 6]))
    #expect(decoder.drain().messages == [.applied(revision: 6)])
  }

  @Test func missingFieldBreaks() {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(2, []))
    #expect(decoder.drain().error == .missing(kind: 2, tag: 1))
    decoder.feed(Samples.bytes([HookMessage.applied(revision: 1)]))
    #expect(decoder.drain().error == .missing(kind: 2, tag: 1), "a broken decoder stays broken")
  }

  @Test(
    arguments: [
      [1], [1, 2, 5], [1, 1, 0x80], [1, 0], [1, 2, 5, 5],
      [1, 10, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2],
      [1, 11, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
      [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
    ] as [[UInt8]])
  func brokenFields(payload: [UInt8]) {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(2, payload))
    #expect(decoder.drain().error == .field(kind: 2))
  }

  @Test func largestNumber() {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(2, [1, 10, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]))
    #expect(decoder.drain().messages == [.applied(revision: .max)])
  }

  @Test(arguments: [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0x80, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
  func impossibleLengthBreaksAtOnce(head: [UInt8]) throws {
    var decoder = FrameDecoder<ConsoleMessage>()
    decoder.feed(head)
    guard case .frameLength? = decoder.drain().error else {
      Issue.record("not broken by \(head)")
      return
    }
  }

  @Test func longestFrame() {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(999, [UInt8](repeating: 0, count: Wire.frameLimit - 2)))
    #expect(decoder.drain().skipped == [999])
  }

  @Test func textThatIsNotUTF8IsRepaired() {
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.frame(7, [1, 2, 0x41, 0xFF]))
    #expect(decoder.drain().messages == [.notice("A\u{FFFD}")])
  }

  @Test func otherMajorVersionIsRefusedWithASentence() {
    var hello = Samples.hello
    hello.version = 2 << 16 | 3
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.bytes([HookMessage.hello(hello)]))
    let error = decoder.drain().error
    #expect(error == .otherVersion(2 << 16 | 3))
    #expect(error?.description.contains("2.3") == true)
    var welcomed = FrameDecoder<ConsoleMessage>()
    welcomed.feed(Samples.bytes([ConsoleMessage.welcome(Welcome(version: 0x2_0000))]))
    #expect(welcomed.drain().error == .otherVersion(0x2_0000))
  }

  @Test func otherMinorVersionIsSpokenWith() {
    var hello = Samples.hello
    hello.version = Wire.version + 5
    var decoder = FrameDecoder<HookMessage>()
    decoder.feed(Samples.bytes([HookMessage.hello(hello)]))
    #expect(decoder.drain().messages == [.hello(hello)])
  }
}
