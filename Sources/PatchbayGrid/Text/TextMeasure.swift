/// Measuring UTF-8 bytes in columns.
@usableFromInline
enum TextMeasure {
  @usableFromInline
  static func width(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    if isPlain(bytes) { return bytes.count }
    var scanner = TextScanner(bytes)
    var width = 0
    while let element = scanner.next() { width += element.width }
    return width
  }

  /// Whether the text takes at most `limit` columns; reads no more of it than it must.
  static func fits(_ bytes: UnsafeBufferPointer<UInt8>, _ limit: Int) -> Bool {
    var scanner = TextScanner(bytes)
    var width = 0
    while let element = scanner.next() {
      width += element.width
      if width > limit { return false }
    }
    return true
  }

  /// The longest beginning of at most `limit` columns.
  static func prefix(_ bytes: UnsafeBufferPointer<UInt8>, width limit: Int) -> (bytes: Int, width: Int) {
    var scanner = TextScanner(bytes)
    var width = 0
    while let element = scanner.next() {
      if width + element.width > limit { return (element.start, width) }
      width += element.width
    }
    return (bytes.count, width)
  }

  /// Whether every byte is a character of one column.
  static func isPrintableASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var others: UInt8 = 0
    for byte in bytes { others |= byte &- 0x20 < 0x5F ? 0 : 1 }
    return others == 0
  }

  /// Whether there is nothing but ASCII, so that bytes are columns (controls take one each too).
  static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var all: UInt8 = 0
    for byte in bytes { all |= byte }
    return all < 0x80
  }
}
