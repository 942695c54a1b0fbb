import Foundation

typealias Bytes = UnsafeBufferPointer<UInt8>

/// One scalar read from bytes that are meant to be UTF-8.
struct ScalarRead {
  /// The scalar, or `UInt32.max` for a byte that is no part of one.
  var scalar: UInt32
  var length: Int

  /// Reads at `index`, which must be inside.
  init(_ bytes: Bytes, at index: Int, end: Int) {
    let first = bytes[index]
    var need = 0
    var value: UInt32 = 0
    switch first {
    case 0..<0x80:
      scalar = UInt32(first)
      length = 1
      return
    case 0xC2...0xDF:
      need = 1
      value = UInt32(first & 0x1F)
    case 0xE0...0xEF:
      need = 2
      value = UInt32(first & 0x0F)
    case 0xF0...0xF4:
      need = 3
      value = UInt32(first & 0x07)
    default: need = -1
    }
    guard need > 0, index + need < end else {
      scalar = .max
      length = 1
      return
    }
    for offset in 1...need {
      let byte = bytes[index + offset]
      guard byte & 0xC0 == 0x80 else {
        scalar = .max
        length = 1
        return
      }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    scalar = value
    length = need + 1
  }
}

extension Data {
  /// The text whose UTF-8 this is, byte for byte: Foundation's reading would leave out a byte order mark. Nil where it
  /// is not well-formed.
  var utf8Text: String? { String(validating: self, as: UTF8.self) }
}

/// How text beyond ASCII stands in bodies that are ASCII only.
enum TextEscapes {
  /// Searches for the text with its other scalars as `\uXXXX` (RFC 8259 §7) and percent-encoded (RFC 3986 §2.1).
  static func forms(of text: String, isCaseSensitive: Bool) -> [TextSearch] {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return [] }
    var forms: [String] = []
    for digits in isCaseSensitive ? ["0123456789abcdef", "0123456789ABCDEF"] : ["0123456789abcdef"] {
      let digits = Array(digits)
      forms.append(json(text, digits))
      forms.append(percent(text, digits))
    }
    return forms.map { TextSearch($0, isCaseSensitive: isCaseSensitive) }
  }

  private static func json(_ text: String, _ digits: [Character]) -> String {
    var result = ""
    for unit in text.utf16 {
      if unit < 0x80, let scalar = Unicode.Scalar(unit) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u"
        for shift in [12, 8, 4, 0] { result.append(digits[Int(unit >> UInt16(shift)) & 15]) }
      }
    }
    return result
  }

  private static func percent(_ text: String, _ digits: [Character]) -> String {
    var result = ""
    for byte in text.utf8 {
      if byte < 0x80 {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result.append("%")
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
      }
    }
    return result
  }
}
