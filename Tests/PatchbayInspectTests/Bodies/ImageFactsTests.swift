import Foundation
import PatchbayTestSupport
import Testing

@testable import PatchbayInspect

/// What is said of an image by its first bytes, format by format.
@Suite(.bounded) struct ImageFactsTests {
  private static let png: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
  ]

  private static func webP(_ kind: String, _ rest: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + [9, 0, 0, 0] + Array("WEBP\(kind)".utf8) + rest
  }

  private static func bmp(size: UInt8) -> [UInt8] {
    Array("BM".utf8) + [size, 0, 0, 0] + [UInt8](repeating: 0, count: 12) + [0x40, 1, 0, 0, 0xF0, 0, 0, 0]
  }

  private static func icon(_ width: UInt8, _ height: UInt8) -> [UInt8] {
    [0, 0, 1, 0, 1, 0, width, height] + [UInt8](repeating: 0, count: 15)
  }

  static let known: [(bytes: [UInt8], format: String, width: Int?, height: Int?)] = [
    (png + [0, 1, 0, 2, 0, 0, 3, 4], "PNG", 0x1_0002, 0x304), (png, "PNG", nil, nil),
    (Array("GIF87a".utf8) + [0x20, 1, 0x10, 2], "GIF", 0x120, 0x210),
    (Array("GIF89a".utf8) + [0x20, 0], "GIF", 0x20, nil),
    // Segments are skipped by their lengths, those of tables (C4, C8, CC) too, up to the first start of a frame.
    (
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC4, 0, 3, 0, 0xFF, 0xC2, 0, 11, 8, 1, 7, 2, 9, 0, 0],
      "JPEG", 0x209, 0x107
    ),
    ([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0], "JPEG", nil, nil),
    (webP("VP8X", [10, 0, 0, 0, 0, 0, 0, 0, 0xFF, 1, 0, 0x63, 0, 0]), "WebP", 0x200, 100),
    (
      webP("VP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9D, 1, 0x2A]) + [0x40, 0x41, 0x20, 0x83], "WebP", 0x140, 0x320
    ),
    (webP("VP8L", [0, 0, 0, 0]), "WebP", nil, nil), (bmp(size: 26), "BMP", 0x140, 0xF0),
    (icon(16, 32), "ICO", 16, 32), (icon(0, 0), "ICO", 256, 256),
    ([0, 0, 0, 24] + Array("ftypavif".utf8), "AVIF", nil, nil),
    ([0, 0, 0, 24] + Array("ftypheic".utf8), "HEIC", nil, nil),
  ]

  @Test(arguments: known) func isKnown(_ bytes: [UInt8], _ format: String, _ width: Int?, _ height: Int?) {
    let facts = ImageFacts(Data(bytes))
    #expect(facts?.format == format)
    #expect(facts?.width == width && facts?.height == height)
  }

  /// C0 to CF start a frame but for three, which are tables and so have no size (ITU-T T.81 table B.1).
  @Test(arguments: UInt8(0xBE)...0xD0) func whichSegmentsOfAJPEGHaveItsSize(_ marker: UInt8) {
    let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, marker, 0, 11, 8, 0, 7, 0, 9, 0, 0, 0, 0, 0, 0]
    let has = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    #expect(ImageFacts(Data(bytes))?.width == (has ? 9 : nil))
  }

  /// The segment with the size is looked for among the first 64 KiB.
  @Test(arguments: [(65_526, true), (65_527, false)])
  func theSizeOfAJPEGStandsNearItsBeginning(_ place: Int, _ isFound: Bool) {
    let length = place - 4
    var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, UInt8(length >> 8), UInt8(length & 0xFF)]
    bytes += [UInt8](repeating: 0, count: length - 2) + [0xFF, 0xC0, 0, 11, 8, 0, 7, 0, 9]
    bytes += [UInt8](repeating: 0, count: 20)
    #expect(ImageFacts(Data(bytes))?.width == (isFound ? 9 : nil))
  }

  @Test(arguments: [(12, false), (13, true), (14, false)])
  func theHeadOfAPNGHasItsLength(_ length: Int, _ isWhole: Bool) {
    let chunks = [("IHDR", length), ("IDAT", 1), ("IEND", 0)].flatMap { name, count in
      SamplePicture.chunk(name, [UInt8](repeating: 1, count: count))
    }
    let body = Data(Self.png.prefix(8)) + Data(chunks)
    #expect(ImageFacts(body)?.isWhole(body) == isWhole)
  }

  /// Only whole pictures are shown: a part of one is said in facts.
  @Test func whichArePicturesToTheirEnd() {
    func isWhole(_ body: Data) -> Bool? { ImageFacts(body)?.isWhole(body) }
    let png = SamplePicture.png()
    #expect(isWhole(png) == true)
    #expect(isWhole(png.dropFirst(0) + [0]) == false)
    for length in 8..<png.count { #expect(isWhole(png.prefix(length)) == false, "\(length) bytes") }
    // A length of a chunk that leads beyond the end, one that is no head, and none of the picture.
    var lies = Array(png)
    lies[33] = 0xFF
    #expect(isWhole(Data(lies)) == false)
    lies = Array(png)
    lies[12] = 0x4A
    #expect(isWhole(Data(lies)) == false)
    #expect(isWhole(png.prefix(33) + SamplePicture.chunk("IEND", [])) == false)
    // A slice whose indices do not begin with 0.
    #expect(isWhole((Data([1, 2, 3]) + png).dropFirst(3)) == true)
    #expect(isWhole(SamplePicture.jpeg()) == true)
    #expect(isWhole(SamplePicture.jpeg().dropLast()) == false)
    #expect(isWhole(Data("GIF89a".utf8) + [1, 0, 1, 0]) == false)
  }

  @Test func whatOnlyBeginsLikeOneIsNone() {
    for bytes in [
      [], Array(Self.png.dropLast(9)), Self.bmp(size: 27), Self.icon(1, 1).dropLast(), Array("GIF88a".utf8),
    ] {
      #expect(ImageFacts(Data(bytes)) == nil)
    }
  }
}
