import Foundation

/// Bytes as hexadecimal with offsets and their ASCII characters, 16 a line.
public struct HexLayout: BodyLayout {
  private let body: Data
  public var lineCount: Int { (body.count + 15) / 16 }
  public var isComplete: Bool { true }

  public init(_ body: Data) {
    self.body = body
  }

  public mutating func layOut(bytes: Int) {}

  public func line(showing offset: Int) -> Int? { body.isEmpty ? nil : min(offset / 16, lineCount - 1) }

  public func lines(_ range: Range<Int>) -> [BodyLine] {
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
