/// A layout whose lines are made at once: for small bodies and for facts about a body.
public struct ListedLayout: BodyLayout {
  private let all: [BodyLine]

  public init(_ lines: [BodyLine]) {
    all = lines
  }

  public var lineCount: Int { all.count }
  public var isComplete: Bool { true }
  public mutating func layOut(bytes: Int) {}
  public func lines(_ range: Range<Int>) -> [BodyLine] { Array(all[range.clamped(to: 0..<all.count)]) }
  public func line(showing offset: Int) -> Int? { nil }

  public func foldEnd(of line: Int) -> Int? {
    guard all.indices.contains(line), all[line].opens else { return nil }
    return all[(line + 1)...].firstIndex { $0.indent <= all[line].indent }
  }
}
