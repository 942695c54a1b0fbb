/// The containers that a line of a JSON document is in, followed line by line from the beginning.
struct JSONTrail: Sendable {
  /// Containers deeper than that are not told apart.
  static let deepest = 256

  private struct Level: Sendable {
    var isArray: Bool
    var index: Int = -1
    var key: Range<Int>?
  }

  private var levels: [Level] = []

  /// Goes to a line: what it closes is left, and what it is in its container is noted.
  ///
  /// - Parameter continues: the line goes on a string that began before.
  mutating func reach(_ line: JSONScanner.Line, continues: Bool) {
    if levels.count > line.indent { levels.removeLast(levels.count - line.indent) }
    guard !levels.isEmpty, levels.count == line.indent else { return }
    if let key = line.key { levels[levels.count - 1].key = key }
    if !continues, !line.closes, levels[levels.count - 1].isArray { levels[levels.count - 1].index += 1 }
  }

  /// Goes into the container that the line opens, if it does.
  mutating func enter(_ line: JSONScanner.Line) {
    guard line.opens, levels.count == line.indent, levels.count < Self.deepest else { return }
    levels.append(Level(isArray: line.opensArray))
  }

  /// Such as `$.books[2].title`; `$` for the root.
  func path(of line: JSONScanner.Line, in scanner: JSONScanner) -> String {
    levels.reduce("$") { $0 + step($1, scanner) } + (line.indent > Self.deepest ? "…" : "")
  }

  private func step(_ level: Level, _ scanner: JSONScanner) -> String {
    if level.isArray { return "[\(max(0, level.index))]" }
    guard let key = level.key else { return "" }
    let quoted = String(decoding: UnsafeBufferPointer(rebasing: scanner.bytes[key]), as: UTF8.self)
    let name = JSONEscapes.readable(String(quoted.dropFirst().dropLast()))
    let isPlain = !name.isEmpty && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || $0 == "-" }
    return isPlain ? ".\(name)" : "[\(quoted)]"
  }
}
