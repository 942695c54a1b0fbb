import Foundation
import PatchbayStubs

/// Plain text by lines. A line of more than 2,000 bytes goes on in the next ones.
package struct TextLayout: BodyLayout {
  static let longest = 2_000

  private let body: Data
  private var marks = LineMarks<Mark>()
  private var next = 0
  package private(set) var lineCount = 0
  package private(set) var isComplete = false

  private struct Position: LinePosition {
    var offset: Int
  }

  /// Bodies are below 4 GiB.
  private struct Mark: LineMark {
    var offset: UInt32
    var position: Position { Position(offset: Int(offset)) }
  }

  /// - Parameter body: UTF-8 text; invalid bytes are shown as U+FFFD.
  package init(_ body: Data) {
    self.body = body
  }

  package mutating func layOut(bytes count: Int) {
    guard !isComplete else { return }
    var at = next
    var lines = lineCount
    var found: [Mark] = []
    body.withUnsafeBytes { bytes in
      let goal = min(bytes.count, at + count)
      while at < goal {
        if lines % LineMarks<Mark>.stride == 0 { found.append(Mark(offset: UInt32(truncatingIfNeeded: at))) }
        at = Self.lineEnd(in: bytes, from: at).next
        lines += 1
      }
    }
    marks.append(found)
    next = at
    lineCount = lines
    isComplete = at >= body.count
  }

  package func lines(_ range: Range<Int>) -> [BodyLine] {
    body.withUnsafeBytes { bytes in
      marks.lines(range, of: lineCount, next: { Self.following($0, in: bytes) }) { position in
        let at = position.offset
        let text = String(decoding: bytes[at..<Self.lineEnd(in: bytes, from: at).end], as: UTF8.self)
        return BodyLine(runs: [BodyLine.Run(.text, text)], continues: at > 0 && bytes[at - 1] != 0x0A)
      }
    }
  }

  package func line(showing offset: Int) -> Int? {
    guard offset < next || isComplete else { return nil }
    return body.withUnsafeBytes { bytes in
      marks.line(showing: offset, of: lineCount) { Self.following($0, in: bytes) }
    }
  }

  private static func following(_ position: Position, in bytes: UnsafeRawBufferPointer) -> Position {
    Position(offset: lineEnd(in: bytes, from: position.offset).next)
  }

  /// Where the line's text ends and where the next line begins.
  private static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> (end: Int, next: Int) {
    let limit = min(bytes.count, start + longest)
    var at = start
    while at < limit, bytes[at] != 0x0A { at += 1 }
    if at < bytes.count, bytes[at] == 0x0A {
      let end = at > start && bytes[at - 1] == 0x0D ? at - 1 : at
      return (end, at + 1)
    }
    guard at < bytes.count else { return (at, at) }
    while at > start + 1, bytes[at] & 0xC0 == 0x80 { at -= 1 }
    return (at, at)
  }
}

/// Where a line begins in its body, with what must be known to go on from there.
protocol LinePosition {
  /// In bytes.
  var offset: Int { get }
}

/// A position made small, for one is kept of every 64th line.
protocol LineMark: Sendable {
  associatedtype Position: LinePosition
  var offset: UInt32 { get }
  var position: Position { get }
}

/// Every 64th line of a body: the lines between are found again from there. How one line leads to the next is the
/// layout's to say.
struct LineMarks<Mark: LineMark>: Sendable {
  typealias Position = Mark.Position

  static var stride: Int { 64 }

  private var marks: [Mark] = []

  /// Where that line begins, if it is a multiple of the stride, else the last such line before it.
  subscript(line: Int) -> Position { marks[line / Self.stride].position }

  mutating func append(_ found: [Mark]) { marks += found }

  /// The lines of a range, as far as there are so many.
  func lines(
    _ range: Range<Int>, of count: Int, next: (Position) -> Position?, line: (Position) -> BodyLine
  ) -> [BodyLine] {
    let range = range.clamped(to: 0..<count)
    guard !range.isEmpty else { return [] }
    var result: [BodyLine] = []
    result.reserveCapacity(range.count)
    walk(from: range.lowerBound, of: count, next: next) { position, number in
      guard number < range.upperBound else { return false }
      if number >= range.lowerBound { result.append(line(position)) }
      return true
    }
    return result
  }

  /// The last line that begins at that byte or before it; nil while there is none.
  func line(showing offset: Int, of count: Int, next: (Position) -> Position?) -> Int? {
    guard !marks.isEmpty else { return nil }
    let mark = max(0, marks.partitioningIndex { Int($0.offset) > offset } - 1)
    var found = mark * Self.stride
    walk(from: found, of: count, next: next) { position, number in
      guard position.offset <= offset else { return false }
      found = number
      return true
    }
    return found
  }

  /// Calls the closure for each line from the mark before that line on, until it returns false or lines end.
  func walk(
    from line: Int, of count: Int, next: (Position) -> Position?, _ visit: (Position, Int) -> Bool
  ) {
    guard line >= 0, line < count else { return }
    var number = line / Self.stride * Self.stride
    var position = self[line]
    while number < count, visit(position, number), let following = next(position) {
      position = following
      number += 1
    }
  }
}
