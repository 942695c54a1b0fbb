/// Reading scalars from the bytes of a `String`.
enum UTF8Bytes {
  /// The scalar that begins at `index` and its bytes. `String` promises valid UTF-8; the bounds are checked all the
  /// same, so that a wrong promise cannot trap.
  static func decode(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> (scalar: UInt32, length: Int) {
    let first = UInt32(bytes[index])
    if first < 0x80 { return (first, 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard index + length <= bytes.count else { return (0xFFFD, bytes.count - index) }
    var scalar = first & (0xFF >> UInt32(length + 1))
    for next in 1..<length { scalar = scalar << 6 | UInt32(bytes[index + next] & 0x3F) }
    return (scalar, length)
  }

  static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    guard let encoded = Unicode.Scalar(scalar).flatMap(UTF8.encode) else { return }
    bytes.append(contentsOf: encoded)
  }
}
