/// The lines of `text` at most `width` columns wide: broken at line ends, then between words where `byWords`,
/// and inside a word only where it is longer than a line. Spaces at a break are dropped.
///
/// A wide character on a width of 1 stands alone on its line and is clipped when drawn. There is always a line.
public func wrapped(_ text: some StringProtocol, toWidth width: Int, byWords: Bool = true) -> [String] {
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
