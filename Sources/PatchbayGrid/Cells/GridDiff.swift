/// What changed between two grids of one size.
package enum GridDiff {
  /// Cells of one row to be drawn again. Never begins or ends inside a wide character.
  package struct Run: Hashable, Sendable {
    package var row: Int
    package var columns: Range<Int>

    package init(row: Int, columns: Range<Int>) {
      self.row = row
      self.columns = columns
    }
  }

  /// The changed runs in reading order; every row where there is no old grid or its size is another.
  ///
  /// Runs with at most three unchanged cells between them are one.
  package static func runs(from old: Grid?, to new: Grid) -> [Run] {
    let width = new.size.width
    guard width > 0 else { return [] }
    guard let old, old.size == new.size else {
      return (0..<new.size.height).map { Run(row: $0, columns: 0..<width) }
    }
    var runs: [Run] = []
    old.cells.withUnsafeBufferPointer { oldCells in
      new.cells.withUnsafeBufferPointer { newCells in
        for row in 0..<new.size.height {
          let base = row * width
          if sameRow(oldCells, newCells, base, width) { continue }
          appendRuns(old, new, row, into: &runs)
        }
      }
    }
    return runs
  }

  private static func sameRow(
    _ old: UnsafeBufferPointer<Cell>, _ new: UnsafeBufferPointer<Cell>, _ base: Int, _ width: Int
  ) -> Bool {
    var difference: UInt64 = 0
    for index in base..<(base + width) {
      // In Swift `^` and `|` bind alike.
      difference |= (old[index].text ^ new[index].text) | (old[index].colors ^ new[index].colors)
      difference |= new[index].text >> 32
    }
    return difference == 0
  }

  private static func appendRuns(_ old: Grid, _ new: Grid, _ row: Int, into runs: inout [Run]) {
    let width = new.size.width
    let base = row * width
    let first = runs.count
    var column = 0
    while column < width {
      if old.same(old.cells[base + column], in: new, new.cells[base + column]) {
        column += 1
        continue
      }
      var start = column
      while start > 0, isInside(old, new, base + start) { start -= 1 }
      column += 1
      while column < width, isInside(old, new, base + column) { column += 1 }
      if runs.count > first, start - runs[runs.count - 1].columns.upperBound <= 3 {
        runs[runs.count - 1].columns = runs[runs.count - 1].columns.lowerBound..<column
      } else {
        runs.append(Run(row: row, columns: start..<column))
      }
    }
  }

  private static func isInside(_ old: Grid, _ new: Grid, _ index: Int) -> Bool {
    old.cells[index].isContinuation || new.cells[index].isContinuation
  }
}

extension Grid {
  /// The cells of a run with their combining marks, without the second halves of wide characters.
  package struct RunCells: Sequence, IteratorProtocol {
    let grid: Grid
    var index: Int
    let end: Int

    package mutating func next() -> (cell: Cell, marks: [Unicode.Scalar])? {
      while index < end {
        let cell = grid.cells[index]
        index += 1
        if cell.isContinuation { continue }
        return (cell, cell.marksIndex == 0 ? [] : grid.marks(of: cell))
      }
      return nil
    }
  }

  /// The cells of a run of `GridDiff`, cut at `width` columns without leaving half of a wide character.
  package func runCells(_ run: GridDiff.Run, width: Int) -> RunCells {
    let base = run.row * size.width
    var end = base + Swift.min(run.columns.upperBound, width)
    if end < base + size.width, end > base, cells[end].isContinuation { end -= 1 }
    return RunCells(grid: self, index: base + run.columns.lowerBound, end: end)
  }
}
