import Foundation

/// What an image's first bytes say of it.
public struct ImageFacts: Hashable, Sendable {
  /// Such as `PNG`.
  public var format: String
  /// In pixels; nil where the head does not say.
  public var width: Int?
  public var height: Int?

  /// Nil where the bytes are of no format that is known here.
  public init?(_ body: Data) {
    let bytes = [UInt8](body.prefix(65_536))
    func big(_ at: Int, _ count: Int) -> Int? {
      bytes.count >= at + count ? bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) } : nil
    }
    func little(_ at: Int, _ count: Int) -> Int? {
      bytes.count >= at + count ? bytes[at..<at + count].reversed().reduce(0) { $0 << 8 | Int($1) } : nil
    }
    func has(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }

    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      (format, width, height) = ("PNG", big(16, 4), big(20, 4))
    } else if has("GIF87a") || has("GIF89a") {
      (format, width, height) = ("GIF", little(6, 2), little(8, 2))
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      let size = Self.jpegSize(bytes)
      (format, width, height) = ("JPEG", size?.width, size?.height)
    } else if has("RIFF"), has("WEBP", at: 8) {
      format = "WebP"
      if has("VP8X", at: 12) {
        width = little(24, 3).map { $0 + 1 }
        height = little(27, 3).map { $0 + 1 }
      } else if has("VP8 ", at: 12) {
        width = little(26, 2).map { $0 & 0x3FFF }
        height = little(28, 2).map { $0 & 0x3FFF }
      }
    } else if has("BM"), let size = little(2, 4), size == body.count {
      (format, width, height) = ("BMP", little(18, 4), little(22, 4))
    } else if has("ftypavif", at: 4) {
      format = "AVIF"
    } else if has("ftypheic", at: 4) {
      format = "HEIC"
    } else if bytes.starts(with: [0, 0, 1, 0]), bytes.count > 22 {
      format = "ICO"
      width = bytes[6] == 0 ? 256 : Int(bytes[6])
      height = bytes[7] == 0 ? 256 : Int(bytes[7])
    } else {
      return nil
    }
  }

  /// From the first start-of-frame segment (ITU-T T.81 §B.2.2).
  private static func jpegSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    var at = 2
    while at + 9 < bytes.count, bytes[at] == 0xFF {
      let marker = bytes[at + 1]
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        return (Int(bytes[at + 7]) << 8 | Int(bytes[at + 8]), Int(bytes[at + 5]) << 8 | Int(bytes[at + 6]))
      }
      at += 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
    }
    return nil
  }
}
