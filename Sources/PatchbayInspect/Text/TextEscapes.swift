/// How text beyond ASCII stands in bodies that are ASCII only.
enum TextEscapes {
  /// Searches for the text with its other scalars as `\uXXXX` (RFC 8259 §7) and percent-encoded (RFC 3986 §2.1).
  static func forms(of text: String, isCaseSensitive: Bool) -> [ByteSearch] {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return [] }
    var forms: [String] = []
    for digits in isCaseSensitive ? ["0123456789abcdef", "0123456789ABCDEF"] : ["0123456789abcdef"] {
      let digits = Array(digits)
      forms.append(json(text, digits))
      forms.append(percent(text, digits))
    }
    return forms.map { ByteSearch($0, isCaseSensitive: isCaseSensitive) }
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
