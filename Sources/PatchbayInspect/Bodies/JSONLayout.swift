import Foundation
import PatchbayStubs

/// JSON, NDJSON and what nearly is JSON, indented. A checkpoint every 64 lines and, for paths and folds, one with more
/// every 4,096 is all that is kept of the layout.
package struct JSONLayout: BodyLayout {
  static let block = 4_096

  private let body: Data
  private var marks = LineMarks<Mark>()
  private var blocks: [Block] = []
  private var next = JSONScanner.Position(offset: 0, depth: 0)
  private var trail = JSONTrail()
  package private(set) var lineCount = 0
  package private(set) var isComplete = false

  /// 12 bytes: bodies are below 4 GiB.
  private struct Mark: LineMark {
    var offset: UInt32
    var depth: UInt32
    var flags: UInt8

    init(_ position: JSONScanner.Position) {
      offset = UInt32(truncatingIfNeeded: position.offset)
      depth = UInt32(truncatingIfNeeded: position.depth)
      flags = (position.inString ? 1 : 0) | (position.inKey ? 2 : 0)
    }

    var position: JSONScanner.Position {
      JSONScanner.Position(offset: Int(offset), depth: Int(depth), inString: flags & 1 != 0, inKey: flags & 2 != 0)
    }
  }

  private struct Block: Sendable {
    /// Where its first line is, before that line was reached.
    var trail: JSONTrail
    /// The least indentation of its lines.
    var shallowest: Int
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
    var sections = blocks
    var trail = trail
    blocks = []
    self.trail = JSONTrail()
    var ended = false
    withScanner { scanner in
      let goal = position.offset + count
      while position.offset < goal {
        guard let line = scanner.scan(position) else {
          ended = true
          return
        }
        if lines % LineMarks<Mark>.stride == 0 { found.append(Mark(position)) }
        if lines % Self.block == 0 { sections.append(Block(trail: trail, shallowest: line.indent)) }
        let last = sections.count - 1
        if line.indent < sections[last].shallowest { sections[last].shallowest = line.indent }
        trail.reach(line, continues: position.inString)
        trail.enter(line)
        lines += 1
        position = line.next
      }
    }
    marks.append(found)
    blocks = sections
    self.trail = trail
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

  package func foldEnd(of line: Int) -> Int? {
    guard let start = position(of: line) else { return nil }
    return withScanner { scanner in
      guard let opening = scanner.scan(start), opening.opens else { return nil }
      var position = opening.next
      var number = line + 1
      while number < lineCount {
        if number % Self.block == 0, number + Self.block < lineCount,
          blocks[number / Self.block].shallowest > opening.indent
        {
          number += Self.block
          position = marks[number]
          continue
        }
        guard let scanned = scanner.scan(position) else { return nil }
        if scanned.indent <= opening.indent { return number }
        position = scanned.next
        number += 1
      }
      return nil
    }
  }

  package func path(of line: Int) -> String? {
    withTrail(to: line) { trail, line, scanner in trail.path(of: line, in: scanner) }
  }

  package func steps(of line: Int) -> [JSONStep]? {
    withTrail(to: line) { trail, line, scanner in line.closes ? nil : trail.steps(of: line, in: scanner) }
  }

  private func withTrail<Result>(
    to line: Int, _ use: (JSONTrail, JSONScanner.Line, JSONScanner) -> Result?
  ) -> Result? {
    guard line >= 0, line < lineCount else { return nil }
    let first = line / Self.block * Self.block
    return withScanner { scanner in
      var trail = blocks[line / Self.block].trail
      var position = marks[first]
      for _ in first..<line {
        guard let scanned = scanner.scan(position) else { return nil }
        trail.reach(scanned, continues: position.inString)
        trail.enter(scanned)
        position = scanned.next
      }
      guard let scanned = scanner.scan(position) else { return nil }
      trail.reach(scanned, continues: position.inString)
      return use(trail, scanned, scanner)
    }
  }

  /// Where a line begins.
  private func position(of line: Int) -> JSONScanner.Position? {
    var found: JSONScanner.Position?
    withScanner { scanner in
      marks.walk(from: line, of: lineCount, next: { scanner.scan($0)?.next }) { position, number in
        if number == line { found = position }
        return number < line
      }
    }
    return found
  }

  private func withScanner<Result>(_ use: (JSONScanner) -> Result) -> Result {
    body.withUnsafeBytes { use(JSONScanner(bytes: $0.bindMemory(to: UInt8.self))) }
  }

  private static func line(_ scanner: JSONScanner, at position: JSONScanner.Position) -> BodyLine {
    var runs: [BodyLine.Run] = []
    let scanned = scanner.scan(position) { kind, range in
      let text = String(decoding: UnsafeBufferPointer(rebasing: scanner.bytes[range]), as: UTF8.self)
      if kind == .punctuation, text == ":" {
        runs.append(BodyLine.Run(.punctuation, ": "))
      } else {
        runs.append(BodyLine.Run(kind, kind == .string || kind == .key ? JSONEscapes.readable(text) : text))
      }
    }
    return BodyLine(
      indent: scanned?.indent ?? 0, runs: runs, continues: position.inString, opens: scanned?.opens ?? false)
  }
}

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

  /// nil where they are too many, or one cannot be read.
  func steps(of line: JSONScanner.Line, in scanner: JSONScanner) -> [JSONStep]? {
    guard line.indent <= Self.deepest else { return nil }
    var steps: [JSONStep] = []
    for level in levels {
      if level.isArray {
        steps.append(.element(max(0, level.index)))
        continue
      }
      guard let key = level.key,
        case .string(let name)? = try? JSONValue(
          parsing: String(decoding: UnsafeBufferPointer(rebasing: scanner.bytes[key]), as: UTF8.self))
      else { return nil }
      steps.append(.member(name))
    }
    return steps
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
