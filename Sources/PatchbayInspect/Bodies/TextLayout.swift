import Foundation

/// Plain text by lines. A line of more than 2,000 bytes goes on in the next ones.
public struct TextLayout: BodyLayout {
  static let stride = 64
  static let longest = 2_000

  private let body: Data
  private var checkpoints: [UInt32] = []
  private var next = 0
  public private(set) var lineCount = 0
  public private(set) var isComplete = false

  /// - Parameter body: UTF-8 text; invalid bytes are shown as U+FFFD.
  public init(_ body: Data) {
    self.body = body
  }

  public mutating func layOut(bytes count: Int) {
    guard !isComplete else { return }
    var at = next
    var lines = lineCount
    var found: [UInt32] = []
    body.withUnsafeBytes { bytes in
      let goal = min(bytes.count, at + count)
      while at < goal {
        if lines % Self.stride == 0 { found.append(UInt32(truncatingIfNeeded: at)) }
        at = Self.lineEnd(in: bytes, from: at).next
        lines += 1
      }
    }
    checkpoints += found
    next = at
    lineCount = lines
    isComplete = at >= body.count
  }

  public func lines(_ range: Range<Int>) -> [BodyLine] {
    let range = range.clamped(to: 0..<lineCount)
    guard !range.isEmpty else { return [] }
    var result: [BodyLine] = []
    walk(from: range.lowerBound) { bytes, at, number in
      guard number < range.upperBound else { return false }
      if number >= range.lowerBound {
        let text = String(decoding: bytes[at..<Self.lineEnd(in: bytes, from: at).end], as: UTF8.self)
        result.append(BodyLine(runs: [BodyLine.Run(.text, text)], continues: at > 0 && bytes[at - 1] != 0x0A))
      }
      return true
    }
    return result
  }

  public func line(showing offset: Int) -> Int? {
    guard offset < next || isComplete, !checkpoints.isEmpty else { return nil }
    var low = 0
    var high = checkpoints.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if Int(checkpoints[middle]) <= offset { low = middle } else { high = middle }
    }
    var found = low * Self.stride
    walk(from: found) { _, at, number in
      guard at <= offset else { return false }
      found = number
      return true
    }
    return found
  }

  private func walk(from line: Int, _ visit: (UnsafeRawBufferPointer, Int, Int) -> Bool) {
    guard line >= 0, line < lineCount else { return }
    body.withUnsafeBytes { bytes in
      var number = line / Self.stride * Self.stride
      var at = Int(checkpoints[line / Self.stride])
      while number < lineCount, visit(bytes, at, number) {
        at = Self.lineEnd(in: bytes, from: at).next
        number += 1
      }
    }
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
