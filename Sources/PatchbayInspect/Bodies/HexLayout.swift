import Foundation

/// Bytes as hexadecimal with offsets and their ASCII characters, 16 a line.
package struct HexLayout: BodyLayout {
  private let body: Data
  package var lineCount: Int { (body.count + 15) / 16 }
  package var isComplete: Bool { true }

  package init(_ body: Data) {
    self.body = body
  }

  package mutating func layOut(bytes: Int) {}

  package func line(showing offset: Int) -> Int? { body.isEmpty ? nil : min(offset / 16, lineCount - 1) }

  package func lines(_ range: Range<Int>) -> [BodyLine] {
    body.withUnsafeBytes { bytes in
      range.clamped(to: 0..<lineCount).map { number in
        let row = bytes[number * 16..<min(bytes.count, number * 16 + 16)]
        var hex = ""
        var ascii = ""
        for (index, byte) in row.enumerated() {
          hex += Self.digits(byte) + (index == 7 ? "  " : " ")
          ascii.unicodeScalars.append(byte >= 0x20 && byte < 0x7F ? Unicode.Scalar(byte) : "·")
        }
        hex += String(repeating: " ", count: 50 - hex.utf8.count)
        return BodyLine(runs: [
          BodyLine.Run(.offset, Self.offset(number * 16) + "  "), BodyLine.Run(.text, hex),
          BodyLine.Run(.string, ascii),
        ])
      }
    }
  }

  private static func digits(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return text.utf8.count == 1 ? "0" + text : text
  }

  private static func offset(_ value: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, 8 - text.utf8.count)) + text
  }
}

/// The facts of an image, then its bytes.
package struct ImageLayout: BodyLayout {
  private let facts: [BodyLine]
  private let hex: HexLayout

  package init(_ body: Data) {
    let image = ImageFacts(body)
    var lines = [BodyLine(runs: [.init(.key, "format  "), .init(.text, image?.format ?? "unknown")])]
    if let width = image?.width, let height = image?.height {
      lines.append(BodyLine(runs: [.init(.key, "size    "), .init(.text, "\(width) × \(height) pixels")]))
    }
    lines.append(BodyLine(runs: [.init(.key, "bytes   "), .init(.text, String(body.count))]))
    lines.append(BodyLine(runs: []))
    facts = lines
    hex = HexLayout(body)
  }

  /// Lines before those of the bytes.
  package var factCount: Int { facts.count }
  package var lineCount: Int { facts.count + hex.lineCount }
  package var isComplete: Bool { true }
  package mutating func layOut(bytes: Int) {}
  package func line(showing offset: Int) -> Int? { hex.line(showing: offset).map { $0 + facts.count } }

  package func lines(_ range: Range<Int>) -> [BodyLine] {
    let range = range.clamped(to: 0..<lineCount)
    let head = range.clamped(to: 0..<facts.count)
    let tail = range.lowerBound - facts.count..<max(range.lowerBound, range.upperBound) - facts.count
    return Array(facts[head]) + hex.lines(max(0, tail.lowerBound)..<max(0, tail.upperBound))
  }
}

/// What an image's first bytes say of it.
package struct ImageFacts: Hashable, Sendable {
  /// Such as `PNG`.
  package var format: String
  /// In pixels; nil where the head does not say.
  package var width: Int?
  package var height: Int?

  /// Nil where the bytes are of no format that is known here.
  package init?(_ body: Data) {
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

  /// Whether a PNG or JPEG is there to its end; of other formats nothing is known.
  package func isWhole(_ body: Data) -> Bool {
    switch format {
    case "PNG": Self.hasAllChunks(body)
    case "JPEG": body.suffix(2).elementsEqual([0xFF, 0xD9])
    default: false
    }
  }

  /// From `IHDR` to `IEND`, with some of the picture between (PNG §5.6).
  private static func hasAllChunks(_ body: Data) -> Bool {
    body.withUnsafeBytes { bytes in
      var at = 8
      var hasData = false
      while at + 12 <= bytes.count {
        let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
        let name = bytes[(at + 4)..<(at + 8)]
        guard length <= bytes.count - at - 12 else { return false }
        if at == 8, !name.elementsEqual("IHDR".utf8) || length != 13 { return false }
        if name.elementsEqual("IDAT".utf8) { hasData = true }
        at += 12 + length
        if name.elementsEqual("IEND".utf8) { return hasData && at == bytes.count }
      }
      return false
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
