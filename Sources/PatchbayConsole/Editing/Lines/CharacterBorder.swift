/// Tells borders of `Character`s from the bytes beside them, where that is sure; the standard library takes long.
enum CharacterBorder {
  /// Whether a `Character` certainly ends and another begins at an offset in UTF-8.
  static func isSure(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
    guard offset > 0, offset < bytes.count else { return true }
    if bytes[offset - 1] < 0x80, bytes[offset] < 0x80 { return bytes[offset - 1] != 0x0D }
    var start = offset - 1
    while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return standsAlone(scalar(bytes, at: start)) && standsAlone(scalar(bytes, at: offset))
  }

  /// Zero where it is no scalar of up to three bytes.
  private static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32 {
    let first = UInt32(bytes[start])
    func next(_ step: Int) -> UInt32 { start + step < bytes.count ? UInt32(bytes[start + step] & 0x3F) : 0 }
    return switch first {
    case 0..<0x80: first
    case 0xC0..<0xE0: (first & 0x1F) << 6 | next(1)
    case 0xE0..<0xF0: (first & 0x0F) << 12 | next(1) << 6 | next(2)
    default: 0
    }
  }

  /// Letters and signs that join none of their like (Unicode, UAX #29, property Other, and Hangul syllables).
  private static func standsAlone(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09, 0x0A, 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF, 0x370...0x482, 0x48A...0x52F: true
    case 0x3000...0x3029, 0x3041...0x3096, 0x30A0...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF: true
    case 0xAC00...0xD7A3, 0xFF01...0xFF9D: true
    default: false
    }
  }
}
