import PatchbayTestSupport
import Testing

@testable import PatchbayAttach

@Suite(.bounded) struct AttachRequestTests {
  private func text(_ bytes: [UInt8], at offset: Int) -> String {
    String(decoding: bytes[offset...].prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The offsets of `PatchbayAttachBlock.h`, which has them checked by its compiler.
  @Test func theBlockSaysWhereEverythingIs() {
    let bytes = AttachRequest.bytes(
      hook: "/opt/a hook.so", runtime: "libswiftCore.so=ab", rendezvous: "/run/at.sock", mapping: 0x7000..<0x9000)
    #expect(bytes.count == 6184)
    #expect(bytes[0] == 2 && bytes[1..<24].allSatisfy { $0 == 0 })
    #expect(bytes[24...].littleEndianWord == 0x7000 && bytes[32...].littleEndianWord == 0x2000)
    #expect(text(bytes, at: 40) == "/opt/a hook.so")
    #expect(text(bytes, at: 4136) == "libswiftCore.so=ab")
    #expect(text(bytes, at: 4648) == "/run/at.sock")
    #expect(AttachRequest.size == 6184 + 8 * 32_768)
  }

  /// Behind the last text is the hook's own answer.
  @Test func theLastTextIsCutBeforeTheAnswer() {
    let bytes = AttachRequest.bytes(
      hook: "", runtime: "", rendezvous: String(repeating: "s", count: 600), mapping: 0..<1)
    #expect(text(bytes, at: 4648).utf8.count == 511 && bytes[5159...].allSatisfy { $0 == 0 })
    #expect(text(bytes, at: 40) == "" && text(bytes, at: 4136) == "" && bytes.count == 6184)
  }

  @Test func whatDoesNotFitIsCutBeforeTheNext() {
    let bytes = AttachRequest.bytes(
      hook: String(repeating: "h", count: 5000), runtime: String(repeating: "r", count: 600), rendezvous: "/s",
      mapping: 0..<1)
    #expect(text(bytes, at: 40).utf8.count == 4095)
    #expect(text(bytes, at: 4136).utf8.count == 511)
    #expect(text(bytes, at: 4648) == "/s")
  }
}
