import Foundation

/// XML and HTML, indented. A checkpoint every 64 lines and, for folds, the least indentation of every 4,096 is all that
/// is kept of the layout.
package struct MarkupLayout: BodyLayout {
  static let block = 4_096

  private let body: Data
  private var marks = LineMarks<Mark>()
  /// The least indentation of each block of lines.
  private var shallowest: [Int] = []
  private var next = MarkupScanner.Position(offset: 0, depth: 0)
  package private(set) var lineCount = 0
  package private(set) var isComplete = false

  /// 16 bytes: bodies are below 4 GiB.
  private struct Mark: LineMark {
    var offset: UInt32
    var limit: UInt32
    var depth: UInt32
    var place: MarkupScanner.Place
    var continues: Bool

    init(_ position: MarkupScanner.Position) {
      offset = UInt32(truncatingIfNeeded: position.offset)
      limit = UInt32(truncatingIfNeeded: position.limit)
      depth = UInt32(truncatingIfNeeded: position.depth)
      place = position.place
      continues = position.continues
    }

    var position: MarkupScanner.Position {
      MarkupScanner.Position(
        offset: Int(offset), depth: Int(depth), place: place, limit: Int(limit), continues: continues)
    }
  }

  /// - Parameter body: UTF-8 text.
  package init(_ body: Data) {
    self.body = body
  }

  package mutating func layOut(bytes count: Int) {
    guard !isComplete else { return }
    var position = next
    var lines = lineCount
    var found: [Mark] = []
    var least = shallowest
    shallowest = []
    var ended = false
    withScanner { scanner in
      let goal = position.offset + count
      while position.offset < goal {
        guard let line = scanner.scan(position) else {
          ended = true
          return
        }
        if lines % LineMarks<Mark>.stride == 0 { found.append(Mark(position)) }
        if lines % Self.block == 0 { least.append(line.indent) }
        if line.indent < least[least.count - 1] { least[least.count - 1] = line.indent }
        lines += 1
        position = line.next
      }
    }
    marks.append(found)
    shallowest = least
    next = position
    lineCount = lines
    isComplete = ended
  }

  package func lines(_ range: Range<Int>) -> [BodyLine] {
    withScanner { scanner in
      marks.lines(range, of: lineCount, next: { scanner.scan($0)?.next }, line: { Self.line(scanner, at: $0) })
    }
  }

  package func line(showing offset: Int) -> Int? {
    guard offset < next.offset || isComplete else { return nil }
    return withScanner { scanner in marks.line(showing: offset, of: lineCount) { scanner.scan($0)?.next } }
  }

  /// Where an element is never closed, the last line that is in it.
  package func foldEnd(of line: Int) -> Int? {
    var indent: Int?
    var result: Int?
    var number = line
    var start = line
    while result == nil, start < lineCount {
      var skipsTo: Int?
      walk(from: start) { scanner, position, place in
        guard place >= start, let scanned = scanner.scan(position) else { return place < start }
        guard let opening = indent else {
          guard scanned.opens else { return false }
          indent = scanned.indent
          return true
        }
        if place % Self.block == 0, place + Self.block < lineCount, shallowest[place / Self.block] > opening {
          skipsTo = place + Self.block
          return false
        }
        number = place
        if scanned.indent <= opening { result = scanned.closes ? place : place - 1 }
        return result == nil
      }
      guard let goal = skipsTo else { break }
      start = goal
    }
    guard indent != nil else { return nil }
    if result == nil, isComplete { result = number }
    return result.flatMap { $0 > line ? $0 : nil }
  }

  private func walk(from line: Int, _ visit: (MarkupScanner, MarkupScanner.Position, Int) -> Bool) {
    withScanner { scanner in
      marks.walk(from: line, of: lineCount, next: { scanner.scan($0)?.next }) { visit(scanner, $0, $1) }
    }
  }

  private func withScanner<Result>(_ use: (MarkupScanner) -> Result) -> Result {
    body.withUnsafeBytes { use(MarkupScanner(bytes: $0.bindMemory(to: UInt8.self))) }
  }

  private static func line(_ scanner: MarkupScanner, at position: MarkupScanner.Position) -> BodyLine {
    var runs: [BodyLine.Run] = []
    let scanned = scanner.scan(position) { kind, range in
      let text = String(decoding: UnsafeBufferPointer(rebasing: scanner.bytes[range]), as: UTF8.self)
      runs.append(BodyLine.Run(kind, kind == .attribute ? oneLine(text) : text))
    }
    return BodyLine(
      indent: scanned?.indent ?? 0, runs: runs, continues: position.continues, opens: scanned?.opens ?? false)
  }

  /// Attributes may stand on lines of their own.
  private static func oneLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) else { return text }
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return (text.first?.isWhitespace == true ? " " : "") + words
  }
}
