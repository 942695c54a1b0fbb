import Foundation
import PatchbayTestSupport
import Testing

@testable import Patchbay

@Suite("Decompressing bodies", .bounded)
struct InflateTests {
  /// A raw deflate stream with the fixed codes (RFC 1951 §3.2.6): one `x`, then so many repetitions of 258 bytes of it.
  private func repeated(_ runs: Int) -> Data {
    var bits: [UInt8] = [1, 1, 0]
    func code(_ value: Int, _ length: Int) { bits += (0..<length).reversed().map { UInt8(value >> $0 & 1) } }
    code(0x30 + Int(UInt8(ascii: "x")), 8)
    for _ in 0..<runs {
      code(0xC5, 8)
      code(0, 5)
    }
    code(0, 7)
    var bytes = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (place, bit) in bits.enumerated() { bytes[place / 8] |= bit << UInt8(place % 8) }
    return Data(bytes)
  }

  /// 420 bytes that would become 65 kB.
  @Test func aSmallBodyDoesNotBecomeLargerThanTheLimit() {
    let packed = repeated(254)
    let length = 1 + 254 * 258
    #expect(packed.count < 500)
    #expect(
      Inflate.decoded(packed, coding: "deflate", limit: length) == Data(repeating: UInt8(ascii: "x"), count: length))
    #expect(Inflate.decoded(packed, coding: "deflate", limit: length - 1) == nil)
    #expect(Inflate.decoded(packed, coding: "deflate", limit: 100) == nil)
  }

  @Test func theLimitIsThatOfABodysFile() {
    #expect(Inflate.limit == 64 << 20)
    #expect(Inflate.decoded(repeated(1), coding: "deflate")?.count == 259)
  }
}
