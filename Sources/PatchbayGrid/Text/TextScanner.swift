/// Walks UTF-8 text cell by cell: the one rule of how text becomes cells, used to measure, cut, wrap and draw.
///
/// One cell (or two) per scalar that has a width, at most four combining marks on it. A joiner between two pictures
/// drops the second, for terminals disagree on how wide the pair is. Hidden scalars are left out, controls become
/// their pictures, unknown scalars U+FFFD.
struct TextScanner {
  struct Element {
    var scalar: UInt32
    var width: Int
    var marks = SIMD4<UInt32>(repeating: 0)
    var markCount = 0
    /// Offset of the first byte in the text.
    var start: Int
  }

  /// The offset of the first byte that has not been read.
  private(set) var offset = 0
  private let bytes: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// The next cell's text, or nil at the end.
  mutating func next() -> Element? {
    while offset < bytes.count {
      let start = offset
      let (scalar, length) = decode(at: offset)
      offset += length
      var element: Element
      switch ScalarClass(scalar) {
      case .narrow: element = Element(scalar: scalar, width: 1, start: start)
      case .wide: element = Element(scalar: scalar, width: 2, start: start)
      case .unknown: element = Element(scalar: 0xFFFD, width: 1, start: start)
      case .control: element = Element(scalar: SafeText.picture(scalar) ?? 0xFFFD, width: 1, start: start)
      case .hidden: continue
      case .mark:
        element = Element(scalar: 0x25CC, width: 1, start: start)
        element.marks[0] = scalar
        element.markCount = 1
      }
      if offset < bytes.count, bytes[offset] >= 0xCC { readFollowing(&element) }
      return element
    }
    return nil
  }

  private mutating func readFollowing(_ element: inout Element) {
    let joins = ScalarClass.isPictographic(element.scalar)
    while offset < bytes.count, bytes[offset] >= 0xCC {
      let (scalar, length) = decode(at: offset)
      switch ScalarClass(scalar) {
      case .mark:
        if element.markCount < 4 {
          element.marks[element.markCount] = scalar
          element.markCount += 1
        }
      case .hidden:
        if scalar == 0x200D, joins, offset + length < bytes.count {
          let (joined, joinedLength) = decode(at: offset + length)
          if ScalarClass.isPictographic(joined) { offset += joinedLength }
        }
      case .narrow, .wide, .control, .unknown:
        return
      }
      offset += length
    }
  }

  private func decode(at index: Int) -> (scalar: UInt32, length: Int) {
    UTF8Bytes.decode(bytes, at: index)
  }
}

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
