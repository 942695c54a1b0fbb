import Foundation

/// Some lines of a text, joined by line feeds.
struct TextPiece: Sendable {
  /// About how many bytes a piece has. A longer line has a piece of its own.
  static let size = 32 << 10

  private(set) var text: String
  /// Where each line begins, as UTF-8 offsets; never empty.
  private(set) var starts: [Int]

  /// The text has no line ends but line feeds.
  init(_ text: String) {
    self.text = text
    starts = TextPiece.starts(in: &self.text)
  }

  private init(_ text: String, starts: [Int]) {
    self.text = text
    self.starts = starts
  }

  var count: Int { starts.count }
  /// Bytes without the line feeds.
  var size: Int { text.utf8.count - starts.count + 1 }
  var isTooLong: Bool { text.utf8.count > 2 * TextPiece.size && starts.count > 1 }

  func range(of line: Int) -> Range<Int> {
    starts[line]..<(line + 1 < starts.count ? starts[line + 1] - 1 : text.utf8.count)
  }

  func line(_ line: Int) -> String { starts.count == 1 ? text : String(text.part(range(of: line))) }

  /// The line in which an offset is.
  func line(at offset: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  /// Changes it where it is, for it may be a line of many megabytes.
  mutating func replace(_ range: Range<Int>, with new: String) {
    let line = line(at: range.lowerBound)
    let isWithin = self.range(of: line).upperBound >= range.upperBound && !new.utf8.contains(0x0A)
    text.replace(range, with: new)
    guard isWithin else {
      starts = TextPiece.starts(in: &text)
      return
    }
    let shift = new.utf8.count - range.count
    guard shift != 0, line + 1 < starts.count else { return }
    for place in (line + 1)..<starts.count { starts[place] += shift }
  }

  /// A text without line ends but line feeds, cut at some of them.
  static func pieces(of text: String) -> [TextPiece] {
    guard text.utf8.count > 2 * size else { return [TextPiece(text)] }
    var text = text
    return text.withUTF8 { bytes in
      var pieces: [TextPiece] = []
      pieces.reserveCapacity(bytes.count / size + 1)
      var (start, line) = (0, 0)
      var starts = [0]
      func cut(at end: Int, next: Int) {
        let part = UnsafeBufferPointer(rebasing: bytes[start..<end])
        pieces.append(TextPiece(String(decoding: part, as: UTF8.self), starts: starts))
        start = next
        starts.removeAll(keepingCapacity: true)
        starts.append(0)
      }
      while let end = lineFeed(in: bytes, from: line) {
        if line > start, end - start > 2 * size {
          starts.removeLast()
          cut(at: line - 1, next: line)
        }
        line = end + 1
        if line - start > size { cut(at: end, next: line) } else { starts.append(line - start) }
      }
      if line > start, bytes.count - start > 2 * size {
        starts.removeLast()
        cut(at: line - 1, next: line)
      }
      cut(at: bytes.count, next: bytes.count)
      return pieces
    }
  }

  private static func starts(in text: inout String) -> [Int] {
    text.withUTF8 { bytes in
      var starts = [0]
      while let end = lineFeed(in: bytes, from: starts[starts.count - 1]) { starts.append(end + 1) }
      return starts
    }
  }

  private static func lineFeed(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, 0x0A, bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
  }
}
