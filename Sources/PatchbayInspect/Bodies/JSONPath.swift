/// The place of a line in a JSON document, by one pass from its beginning.
struct JSONPath {
  let scanner: JSONScanner

  private struct Level {
    var isArray: Bool
    var index: Int
    var key: Range<Int>?
  }

  /// Such as `$.books[2].title`; `$` for the root.
  func path(of line: Int) -> String {
    var levels: [Level] = []
    var position = JSONScanner.Position(offset: 0, depth: 0)
    var number = 0
    var key: Range<Int>?
    while true {
      var first: UInt8?
      var opened: UInt8?
      key = nil
      guard
        let scanned = scanner.scan(
          position,
          token: { kind, range in
            if first == nil { first = scanner.bytes[range.lowerBound] }
            if kind == .key, key == nil { key = range }
            if kind == .punctuation { opened = scanner.bytes[range.lowerBound] }
          })
      else { break }
      while levels.count > scanned.indent { levels.removeLast() }
      if !levels.isEmpty {
        if let key { levels[levels.count - 1].key = key }
        let isClosing = first == UInt8(ascii: "}") || first == UInt8(ascii: "]")
        if !position.inString, !isClosing, levels[levels.count - 1].isArray { levels[levels.count - 1].index += 1 }
      }
      if number == line { break }
      if scanned.opens { levels.append(Level(isArray: opened == UInt8(ascii: "["), index: -1, key: nil)) }
      position = scanned.next
      number += 1
    }
    return levels.reduce("$") { $0 + step($1) }
  }

  private func step(_ level: Level) -> String {
    if level.isArray { return "[\(max(0, level.index))]" }
    guard let key = level.key else { return "" }
    let quoted = String(decoding: UnsafeBufferPointer(rebasing: scanner.bytes[key]), as: UTF8.self)
    let name = JSONEscapes.readable(String(quoted.dropFirst().dropLast()))
    let isPlain = !name.isEmpty && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || $0 == "-" }
    return isPlain ? ".\(name)" : "[\(quoted)]"
  }
}
