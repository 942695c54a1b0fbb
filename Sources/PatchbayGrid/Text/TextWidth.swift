/// The columns that text takes in a grid: control and unknown scalars one, hidden ones none, wide ones two.
@inlinable
package func textWidth(_ text: some StringProtocol) -> Int {
  withUTF8(text) { TextMeasure.width($0) }
}

/// The text cut to at most `width` columns, with `ellipsis` for what is left out; unchanged where it fits.
///
/// Cuts between characters, never through a wide one, so that the result may be a column narrower.
package func truncated(_ text: some StringProtocol, toWidth width: Int, ellipsis: String = "…") -> String {
  withUTF8(text) { bytes in
    guard !TextMeasure.fits(bytes, width) else { return String(text) }
    let mark = textWidth(ellipsis)
    guard mark <= width else { return "" }
    let kept = TextMeasure.prefix(bytes, width: width - mark).bytes
    return String(decoding: UnsafeBufferPointer(rebasing: bytes[..<kept]), as: UTF8.self) + ellipsis
  }
}

/// The text, or its beginning and its end where it is wider: of hosts both tell, `api…host:8080`.
///
/// Reads no more of it than is shown: a program may ask for a host of a megabyte, and it is drawn with each frame.
package func truncatedInMiddle(_ text: String, toWidth width: Int) -> String {
  if withUTF8(text, { TextMeasure.fits($0, width) }) { return text }
  guard width > 4 else { return truncated(text, toWidth: width) }
  let tail = (width - 1) / 2
  return truncated(text, toWidth: width - 1 - tail, ellipsis: "") + "…" + ending(of: text, width: tail)
}

/// The text, or its end where it is wider: of a path it tells more than the beginning.
package func truncatedAtStart(_ text: String, toWidth width: Int) -> String {
  withUTF8(text) { TextMeasure.fits($0, width) } ? text : "…" + ending(of: text, width: width - 1)
}

/// The longest ending of at most `width` columns; reads no more than that.
private func ending(of text: String, width: Int) -> Substring {
  var start = text.endIndex
  var room = width
  while start > text.startIndex {
    let before = text.index(before: start)
    room -= textWidth(text[before..<start])
    if room < 0 { break }
    start = before
  }
  return text[start...]
}

/// The text filled up with spaces to `width` columns, or cut to it.
package func padded(_ text: some StringProtocol, toWidth width: Int, alignRight: Bool = false) -> String {
  let cut = truncated(text, toWidth: width)
  let blanks = String(repeating: " ", count: max(0, width - textWidth(cut)))
  return alignRight ? blanks + cut : cut + blanks
}

/// Calls `body` with the text's UTF-8, without a copy where the text is native.
@usableFromInline
func withUTF8<Result>(
  _ text: some StringProtocol, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
) rethrows -> Result {
  if let result = try text.utf8.withContiguousStorageIfAvailable(body) { return result }
  var copy = String(text)
  return try copy.withUTF8(body)
}

/// The lines of `text` at most `width` columns wide: broken at line ends, then between words where `byWords`,
/// and inside a word only where it is longer than a line. Spaces at a break are dropped.
///
/// A wide character on a width of 1 stands alone on its line and is clipped when drawn. There is always a line.
package func wrapped(_ text: some StringProtocol, toWidth width: Int, byWords: Bool = true) -> [String] {
  let width = max(1, width)
  return withUTF8(text) { bytes in
    var lines: [String] = []
    var start = 0
    while true {
      var end = start
      while end < bytes.count, bytes[end] != 0x0A { end += 1 }
      let stop = end > start && bytes[end - 1] == 0x0D ? end - 1 : end
      wrapLine(UnsafeBufferPointer(rebasing: bytes[start..<stop]), width, byWords, into: &lines)
      guard end < bytes.count else { return lines }
      start = end + 1
    }
  }
}

private func wrapLine(
  _ line: UnsafeBufferPointer<UInt8>, _ width: Int, _ byWords: Bool, into lines: inout [String]
) {
  var rest = line
  while true {
    let fitting = TextMeasure.prefix(rest, width: width).bytes
    guard fitting < rest.count else { return lines.append(String(decoding: rest, as: UTF8.self)) }
    var cut = max(fitting, firstElementEnd(rest))
    var next = cut
    if byWords, let space = rest[...min(cut, rest.count - 1)].lastIndex(of: 0x20), space > 0 {
      let word = rest[..<space].lastIndex { $0 != 0x20 }
      if let word {
        cut = word + 1
        next = space + 1
      }
    }
    lines.append(String(decoding: UnsafeBufferPointer(rebasing: rest[..<cut]), as: UTF8.self))
    guard next < rest.count else { return }
    rest = UnsafeBufferPointer(rebasing: rest[next...])
  }
}

private func firstElementEnd(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
  var scanner = TextScanner(bytes)
  _ = scanner.next()
  return scanner.offset
}

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

  /// Whether the text takes at most `limit` columns; reads no more of it than it must. No character takes more columns
  /// than bytes.
  static func fits(_ bytes: UnsafeBufferPointer<UInt8>, _ limit: Int) -> Bool {
    if bytes.count <= limit { return true }
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
    if bytes.count <= limit { return (bytes.count, width(bytes)) }
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
    let bytes = UnsafeRawBufferPointer(bytes)
    var at = 0
    while at + 8 <= bytes.count {
      guard bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else { return false }
      at += 8
    }
    while at < bytes.count {
      guard bytes[at] < 0x80 else { return false }
      at += 1
    }
    return true
  }
}
