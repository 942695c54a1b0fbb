import Foundation

/// A layout whose lines are made at once: for small bodies and for facts about a body.
public struct ListedLayout: BodyLayout {
  private let all: [BodyLine]
  /// The lines one below the other as they are shown; offsets of hits are places in it.
  let text: Data
  private let starts: [Int]

  public init(_ lines: [BodyLine]) {
    all = lines
    var text = Data()
    var starts: [Int] = []
    for line in lines {
      starts.append(text.count)
      for run in line.runs { text.append(contentsOf: run.text.utf8) }
      text.append(0x0A)
    }
    self.text = text
    self.starts = starts
  }

  public var lineCount: Int { all.count }
  public var isComplete: Bool { true }
  public mutating func layOut(bytes: Int) {}
  public func lines(_ range: Range<Int>) -> [BodyLine] { Array(all[range.clamped(to: 0..<all.count)]) }

  public func line(showing offset: Int) -> Int? {
    guard offset >= 0, offset < text.count else { return nil }
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  public func foldEnd(of line: Int) -> Int? {
    guard all.indices.contains(line), all[line].opens else { return nil }
    return all[(line + 1)...].firstIndex { $0.indent <= all[line].indent }
  }
}
