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

  // MARK: Streams that zlib has made

  /// Raw streams, with the length and the CRC-32 (RFC 1952 §8) of what they hold. Together they have stored blocks, blocks
  /// with the fixed codes and with codes of their own, every length of a repetition and every class of distances.
  private static let streams: [(name: String, length: Int, check: UInt32, packed: String)] = [
    (
      "letters", 400, 2_246_247_897,
      "FZDBEcBACAJboTVFhf4rOC55xBEDq9qp2fJ2ly0spxtV6vNGWNSRIDW3V7DTvBNo1XWa9Bhda7iPtcwvuDJE1pn37eD4AtzBxdSu"
        + "0Z/87wUBA/Ru30JldqYnT0zajpiciZCpXZVSbtW0AN9Irri2qqhPkhDqopv8lRj2JqbCFZgNe2ggJQhZtD7lhfaIaBs0BtK6m9Wl"
        + "N9U9uUYu5K4O2Fh/ubgrt0vqF7YnS8wmzqvNmea6hon5ZxJSb44BxT3L/W+Y9oKXRPIB"
    ),
    (
      "fixed", 512, 476_132_726,
      "Y2BkYmZhZWPn4OTi5uHl4xcQFBIWERUTl5CUkpaRlZNXUFRSVlFVU9fQ1NLW0dXTNzA0MjYxNTO3sLSytrG1s3dwdHJ2cXVz9/D0"
        + "8vbx9fMPCAwKDgkNC4+IjIqOiY2LT0hMSk5JTUvPyMzKzsnNyy8oLCouKS0rr6isqq6pratvaGxqbmlta+/o7Oru6e3rnzBx0uQp"
        + "U6dNnzFz1uw5c+fNX7Bw0eIlS5ctX7Fy1eo1a9et37Bx0+YtW7dt37Fz1+49e/ftP3Dw0OEjR48dP3Hy1OkzZ8+dv3Dx0uUrV69d"
        + "v3Hz1u07d+/df/Dw0eMnT589f/Hy1es3b9+9//Dx0+cvX799//Hz1+8/f//9Zxjh/gcA"
    ),
    ("stored", 40, 216_825_115, "ASgA1/88dTC9tx40eIaytBuRyXZyA1f7a+iqvWM/Ji4lEl6EVUyWyXhS0Mbb"),
    (
      "runs", 5724, 920_438_447,
      "7cGFAYNADADA2eL7b1Rvkfc8UOQOiZhZ7vTBnuAF3+iDv+RHB2wIRnCMJnhKZnTOAiAEgyiMIyRGoywOEjCFkjhNMjTHsiAPC1AJ"
        + "LiJltJCVgmJYjipwDamidawS1MJqVI8bSAttYm2gEbaiZtxOHNTDXMAHnciL3cRPO7AetDvrDxaHy6PV8fpkc7o9/Hv0/3T3bP/o"
        + "8Pj45OT07Oz04IIXvAE="
    ),
    (
      "mixed", 449, 1_653_616_872,
      "FJDBEcBACAJboTVFhf4rOC55xBEDq9qp2fJ2ly0spxtV6vNGWNSRIDW3V7DTvBNo1XWa9Bhda7iPtcwvuDJE1pn37eD4AtzBxdSu"
        + "0Z/87wUBA/Ru30JldqYnT0zajpiciZCpXZVSbtW0AN9Irri2qqhPkhDqopv8lRj2JqbCFZgNe2ggJQhZtD7lhfaIaBs0BtK6m9Wl"
        + "N9U9uUYu5K4O2Fh/ubgrt0vqF7YnS8wmzqvNmea6hon5ZxJSb44BxT3L/W+Y9oKXRPIBAAD//6qorKoAIwAAAAD//wEoANf/PHUw"
        + "vbceNHiGsrQbkcl2cgNX+2voqr1jPyYuJRJehFVMlsl4UtDG2w=="
    ),
    (
      "far", 32018, 1_940_513_277,
      "7dntS1NRHMDx2QOKVBgRitILNUOlmakvKjanhoYmLQ2lKG2oYD6OJGeQGlGUqIjEXFkhPgyMEHMRaeUS90Zz2XCtMCp8yMBlkUII"
        + "hWZwzl+h+3623XPvdu/Z/f3OPRwOR9U4NZL3pSvfZzh8rMFqcUeePXai9UiRIefOqHtmJag6KSaqQNnV41U6nFI9F5H6MNrYb91u"
        + "L/54Uvm7JPBm2MJFjaGmIextie740bbTn74XRgyOaWMrqhyr7Tu8jVsN7oUfIRV3M5wTBdrFp5Z645bb97NHQhz5PrWW5unM0Gx/"
        + "H7+l+W9//Gd7p5c292Seyd/z4Iay8IKpvyNlZEr7MzjgVOTy6GVX04fQ2KGWVYuu6LHDaV8z+7bMF77vM7xLNdWfa9XYq60FOrP5"
        + "UFrjrJfO7XfwvCPjc13CE1t3T6a6vcQ4NKa32p9ZbLXKiANBNYkF0eWBTemlIfvSBvpc1kHb8uqkn2o8/N+2V3Fxj7pvOVNm6u5V"
        + "hcdcn0jQ19TYD5ftXXxtvtJbnpG+U1DlipeqUrxVjfJjlpuXYqt2ysItSrWX2FEHyP0ccaCuFMfxL8QX8U5ZXBI/xDeIQhMlTtAk"
        + "i/MTO8QFic/F9Um7RQVJ+0WdySuizpRd4v9Tv4obSP0r7l9rEQFoR0X8WVdFArJMMv95QbIB8mIVCoVsf/2AfAD0DoWHkfHXLcr4"
        + "67w9M/7OcBl/p0YBD2x/V6tsf1cfGfHE9vf2le3vHUxGAE/r/2ULsv+XbSIjgKf1f+e47P/OOTICAICnjP9tzXL8b+smIwAAeMr4"
        + "X5Qpx/+iYjICAAAAAMBGnf+vTcr5/9ovMgIAAAAAwEad/7fkyvm/qZKMAAAAAAAAAAAAAACw/sj1f1uxXP+3XSMjAAAAAAAAAAAA"
        + "ANYruf7Z9eY/"
    ),
  ]

  private func check(_ data: Data?) -> UInt32? {
    guard let data else { return nil }
    var all: UInt32 = .max
    for byte in data {
      all ^= UInt32(byte)
      for _ in 0..<8 { all = all >> 1 ^ (all & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~all
  }

  @Test func whatZlibPacksIsUnpacked() throws {
    for (name, length, check, text) in Self.streams {
      let packed = try #require(Data(base64Encoded: text))
      let plain = Inflate.decoded(packed, coding: "deflate")
      #expect(plain?.count == length && self.check(plain) == check, "\(name)")
      // Whatever else stands there, a body that is no gzip is not taken for one.
      #expect(
        Inflate.decoded(packed, coding: "gzip") == nil && Inflate.decoded(packed, coding: "x-gzip") == nil, "\(name)")
      #expect(Inflate.decoded(packed, coding: "deflate", limit: length)?.count == length, "\(name)")
      #expect(Inflate.decoded(packed, coding: "deflate", limit: length - 1) == nil, "\(name)")
    }
  }

  /// A raw stream has nothing by which it is known, so it has to end where the body does.
  @Test func whatIsCutOrGoesOnIsNone() throws {
    for (name, _, _, text) in Self.streams where name != "far" {
      let packed = try #require(Data(base64Encoded: text))
      for length in 0..<packed.count {
        #expect(Inflate.decoded(packed.prefix(length), coding: "deflate") == nil, "\(name), \(length)")
      }
      #expect(Inflate.decoded(packed + [0], coding: "deflate") == nil, "\(name)")
    }
  }

  /// With their checks behind them, which are not looked at.
  @Test func zlibAndGzipStandAroundIt() throws {
    for (name, length, check, text) in Self.streams {
      let packed = try #require(Data(base64Encoded: text))
      // CMF and FLG of RFC 1950 §2.2: as a number a multiple of 31.
      for head: [UInt8] in [[0x78, 0x01], [0x78, 0x9C], [0x78, 0xDA], [0x08, 0x1D]] {
        let plain = Inflate.decoded(Data(head) + packed + [1, 2, 3, 4], coding: "deflate")
        #expect(plain?.count == length && self.check(plain) == check, "\(name), \(head)")
        #expect(Inflate.decoded(Data(head) + packed + [1, 2, 3, 4], coding: "gzip") == nil)
      }
      // Each of the fields that RFC 1952 §2.3 lets follow.
      for flags in 0..<32 as Range<UInt8> {
        var head = Data([0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 3])
        if flags & 4 != 0 { head += [3, 1] + [UInt8](repeating: 9, count: 259) }
        if flags & 8 != 0 { head += Data("name".utf8) + [0] }
        if flags & 16 != 0 { head += Data("a comment".utf8) + [0] }
        if flags & 2 != 0 { head += [7, 7] }
        for coding in ["gzip", "x-gzip", "deflate"] where coding == "gzip" || flags == 31 {
          let plain = Inflate.decoded(head + packed + [1, 2, 3, 4, 5, 6, 7, 8], coding: coding)
          #expect(plain?.count == length && self.check(plain) == check, "\(name), \(flags), \(coding)")
        }
        guard name == "stored" else { continue }
        for length in 0...head.count {
          #expect(Inflate.decoded(head.prefix(length), coding: "gzip") == nil, "\(flags), \(length)")
        }
      }
    }
    #expect(Inflate.decoded(Data([0x1F, 0x8B, 7, 0, 0, 0, 0, 0, 0, 3, 3, 0]), coding: "gzip") == nil, "another method")
    #expect(Inflate.decoded(Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0]), coding: "gzip") == Data())
    #expect(Inflate.decoded(Data([0x1F, 0x8A, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0]), coding: "gzip") == nil)
    #expect(Inflate.decoded(Data([0x78, 0x9D, 3, 0]), coding: "deflate") == nil, "no multiple of 31")
  }

  /// A stream of single bits, the first of each byte being its lowest; codes have their highest bit first.
  private func bits(_ text: String) -> Data {
    let bits = text.filter { $0 != " " }.map { UInt8($0 == "1" ? 1 : 0) }
    var bytes = [UInt8](repeating: 0, count: max(3, (bits.count + 7) / 8))
    for (place, bit) in bits.enumerated() { bytes[place / 8] |= bit << UInt8(place % 8) }
    return Data(bytes)
  }

  @Test(
    arguments: [
      ("a block of a kind that there is not", "1 11 00000000 00000000"),
      ("a repetition of what is not there", "1 10 0000001 00000 0000000 0000000"),
      ("a repetition from before the beginning", "1 10 01100001 0000001 00001 0000000 00000000"),
      ("a length that there is not", "1 10 01100001 11000110 00000 0000000 000000000"),
      ("a distance that there is not", "1 10 01100001 0000001 11110 0000000 0000000000000000000000"),
    ])
  func whatIsNoStreamIsNone(_ what: String, _ text: String) {
    #expect(Inflate.decoded(bits(text), coding: "deflate") == nil, "\(what)")
  }

  /// The same streams with what they lack.
  @Test func theirNeighboursAreStreams() {
    #expect(Inflate.decoded(bits("1 10 01100001 0000001 00000 0000000"), coding: "deflate") == Data("1111".utf8))
    #expect(
      Inflate.decoded(bits("1 10 01100001 11000101 00000 0000000"), coding: "deflate")
        == Data(String(repeating: "1", count: 259).utf8))
    // Two blocks, of which the first is not the last.
    #expect(Inflate.decoded(bits("0 10 01100001 0000000 1 10 01100010 0000000"), coding: "deflate") == Data("12".utf8))
  }

  // MARK: Edges

  @Test func storedBlocksBeginWithAWholeByteAndMayBeEmpty() {
    func plain(_ bytes: [UInt8]) -> Data? { Inflate.decoded(Data(bytes), coding: "deflate") }
    #expect(plain([1, 0, 0, 0xFF, 0xFF]) == Data())
    // The bits before the whole byte may be anything: here they make the first byte look like one of zlib's.
    #expect(
      plain([0x08, 1, 0, 0xFE, 0xFF, 0x61, 0, 1, 0, 0xFE, 0xFF, 0x62, 1, 0, 0, 0xFF, 0xFF]) == Data("ab".utf8))
    // And here the first two are a multiple of 31.
    #expect(
      plain([1, 23, 0, 0xE8, 0xFF] + [UInt8](repeating: 0x78, count: 23)) == Data(repeating: 0x78, count: 23))
  }

  @Test func aBodyOfThreeBytesIsUnpacked() {
    let packed = bits("1 10 01100001 0000000")
    #expect(packed.count == 3 && Inflate.decoded(packed, coding: "deflate") == Data("1".utf8))
  }

  @Test func anEmptyBlockMayFollowTheLastByteOfTheLimit() {
    let packed = bits("0 10 01100001 0000000 1 10 0000000")
    #expect(Inflate.decoded(packed, coding: "deflate", limit: 1) == Data("1".utf8))
    #expect(Inflate.decoded(packed, coding: "deflate", limit: 0) == nil)
  }

  /// One code of each length, the longest twice, as RFC 1951 §3.2.7 allows.
  @Test func codesMayBeFifteenBitsLong() throws {
    let packed = try #require(Data(base64Encoded: "BeCBkiRJkiTJfisSi5pHVs/e+38AAIAH2r3v9/fvv//93//7//5//7//7//9/wE="))
    #expect(Inflate.decoded(packed, coding: "deflate") == Data("abcdefghijklmnoonm".utf8))
  }
}
