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
    var low = 0
    var high = marks.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if Int(marks[middle].offset) <= offset { low = middle } else { high = middle }
    }
    var found = low * Self.stride
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
