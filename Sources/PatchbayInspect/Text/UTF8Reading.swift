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
