import Foundation

/// Plain text by lines. A line of more than 2,000 bytes goes on in the next ones.
public struct TextLayout: BodyLayout {
  static let longest = 2_000

  private let body: Data
  private var marks = LineMarks<Mark>()
  private var next = 0
  public private(set) var lineCount = 0
  public private(set) var isComplete = false

  private struct Position: LinePosition {
    var offset: Int
  }

  /// Bodies are below 4 GiB.
  private struct Mark: LineMark {
    var offset: UInt32
    var position: Position { Position(offset: Int(offset)) }
  }

  /// - Parameter body: UTF-8 text; invalid bytes are shown as U+FFFD.
  public init(_ body: Data) {
    self.body = body
  }

  public mutating func layOut(bytes count: Int) {
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

  public func lines(_ range: Range<Int>) -> [BodyLine] {
    body.withUnsafeBytes { bytes in
      marks.lines(range, of: lineCount, next: { Self.following($0, in: bytes) }) { position in
        let at = position.offset
        let text = String(decoding: bytes[at..<Self.lineEnd(in: bytes, from: at).end], as: UTF8.self)
        return BodyLine(runs: [BodyLine.Run(.text, text)], continues: at > 0 && bytes[at - 1] != 0x0A)
      }
    }
  }

  public func line(showing offset: Int) -> Int? {
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
