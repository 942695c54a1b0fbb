/// Makes `\uXXXX` escapes of printable characters readable; all other escapes stay as they stand.
enum JSONEscapes {
  static func readable(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")), text.contains("\\u") else { return text }
    var result = ""
    var rest = Substring(text)
    while let slash = rest.firstIndex(of: "\\") {
      result += rest[..<slash]
      rest = rest[slash...]
      if let (scalar, length) = scalar(at: rest) {
        result.unicodeScalars.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        result += rest.prefix(2)
        rest = rest.dropFirst(2)
      }
    }
    return result + rest
  }

  /// The character that the escape at the beginning stands for, where it is one to show, and the escape's length.
  private static func scalar(at text: Substring) -> (Unicode.Scalar, Int)? {
    guard let first = unit(text) else { return nil }
    if (0xD800..<0xDC00).contains(first), let second = unit(text.dropFirst(6)), (0xDC00..<0xE000).contains(second) {
      let value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
      return Unicode.Scalar(value).map { ($0, 12) }
    }
    guard first >= 0xA1, let scalar = Unicode.Scalar(first), !scalar.properties.isWhitespace,
      scalar.properties.generalCategory != .format
    else { return nil }
    return (scalar, 6)
  }

  private static func unit(_ text: Substring) -> UInt32? {
    let digits = text.dropFirst(2).prefix(4)
    guard text.hasPrefix("\\u"), digits.count == 4 else { return nil }
    return UInt32(digits, radix: 16)
  }
}
