import Foundation
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayWire

@Suite("The bytes are those of the specification", .bounded)
struct ExactBytesTests {
  @Test func applied() {
    #expect(Samples.bytes([HookMessage.applied(revision: 300)]) == [0, 0, 0, 6, 0, 2, 1, 2, 0xAC, 0x02])
  }

  @Test func zeroThatMustBeThere() {
    #expect(Samples.bytes([HookMessage.applied(revision: 0)]) == [0, 0, 0, 5, 0, 2, 1, 1, 0])
  }

  @Test func hello() {
    let hello = Hello(
      version: 0x10000, process: HarnessProcess(name: "p", pid: 2), executable: "/p", parent: 1, entry: .attach,
      instance: 5, startedAt: Timestamp(microseconds: 3))
    #expect(
      Samples.bytes([HookMessage.hello(hello)]) == [
        0, 0, 0, 29, 0, 1,  //
        1, 3, 0x80, 0x80, 0x04, 2, 1, 0x70, 3, 1, 4, 4, 2, 0x2F, 0x70, 5, 1, 2, 6, 1, 2, 7, 1, 5, 8, 1, 6,
      ])
  }

  @Test func exchange() {
    let update = ExchangeUpdate(
      key: 1,
      head: ExchangeUpdate.Head(at: -1, status: 200, headers: [.init("A", "b")]), data: Data([0xFF, 0]),
      end: ExchangeUpdate.End(at: 2, outcome: .failed, hasBody: true))
    #expect(
      Samples.bytes([HookMessage.exchange(update)]) == [
        0, 0, 0, 34, 0, 3,  //
        1, 1, 1,  // key
        6, 12, 1, 1, 1, 2, 2, 0x90, 0x03, 3, 3, 1, 0x41, 0x62,  // head
        7, 2, 0xFF, 0,  // data
        8, 9, 1, 1, 4, 2, 1, 2, 9, 1, 1,  // end
      ])
  }

  @Test func refusedAndReset() {
    #expect(Samples.bytes([ConsoleMessage.refused("é")]) == [0, 0, 0, 6, 1, 7, 1, 2, 0xC3, 0xA9])
    #expect(Samples.bytes([ConsoleMessage.resetCounts(name: nil)]) == [0, 0, 0, 2, 1, 6])
  }

  /// A record of 128 bytes or more has a count of two bytes and more.
  @Test(arguments: [0, 100, 123, 124, 127, 128, 200, 16_379, 16_384, 70_000])
  func recordCounts(size: Int) {
    var writer = FieldWriter()
    let content = Data(repeating: 7, count: size)
    writer.record(3) { $0.data(1, content) }
    var inner = FieldWriter()
    inner.data(1, content)
    var whole = FieldWriter()
    whole.data(3, Data(inner.bytes))
    #expect(writer.bytes == whole.bytes)
  }

  @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 62, UInt64.max])
  func varintSizes(value: UInt64) {
    var writer = FieldWriter()
    writer.varint(value)
    #expect(writer.bytes.count == FieldWriter.size(ofVarint: value))
  }

  /// The longest record whose count has one byte and the shortest with two; and of two and three.
  @Test(arguments: [(125, 1), (126, 2), (16_380, 2), (16_381, 3)])
  func recordCountsAtTheirEdges(size: Int, bytes: Int) {
    let content = Data(repeating: 7, count: size)
    var inner = FieldWriter()
    inner.data(1, content)
    #expect(FieldWriter.size(ofVarint: UInt64(inner.bytes.count)) == bytes)
    var writer = FieldWriter()
    writer.record(3) { $0.data(1, content) }
    var whole = FieldWriter()
    whole.data(3, Data(inner.bytes))
    #expect(writer.bytes == whole.bytes && writer.bytes.count == 1 + bytes + inner.bytes.count)
  }

  /// Other releases read these numbers too, so it is not enough that both sides agree here.
  @Test func verdicts() {
    func bytes(_ decision: Verdict.Decision) -> [UInt8] {
      Samples.bytes([ConsoleMessage.verdict(Verdict(key: 7, decision: decision))])
    }
    #expect(bytes(.continue(request: nil, response: nil)) == [0, 0, 0, 8, 1, 3, 1, 1, 7, 2, 1, 1])
    #expect(bytes(.drop) == [0, 0, 0, 8, 1, 3, 1, 1, 7, 2, 1, 4])
    #expect(bytes(.respond(CannedResponse())).prefix(12).suffix(6) == [1, 1, 7, 2, 1, 2])
    #expect(bytes(.fail(Fault(.named("timedOut")))).prefix(12).suffix(6) == [1, 1, 7, 2, 1, 3])
  }

  @Test func flagsAndCounts() {
    #expect(
      Samples.bytes([ConsoleMessage.settings(HookSettings(keepStubs: true, requestBodyLimit: 0, bodyLimit: 5))]) == [
        0, 0, 0, 13, 1, 5,  //
        1, 9, 1, 1, 1, 3, 1, 1, 5, 1, 5,
      ])
    #expect(Samples.bytes([HookMessage.shed(Shed(bodies: 3))]) == [0, 0, 0, 5, 0, 6, 2, 1, 3])
    let progress = [StubProgress(name: "a", hits: 0, nextStep: 0), StubProgress(name: "b", hits: 2)]
    #expect(
      Samples.bytes([HookMessage.progress(progress)]) == [
        0, 0, 0, 18, 0, 5,  //
        1, 6, 1, 1, 0x61, 3, 1, 0, 1, 6, 1, 1, 0x62, 2, 1, 2,
      ])
  }
}
