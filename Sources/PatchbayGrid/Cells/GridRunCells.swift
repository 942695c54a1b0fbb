extension Grid {
  /// The cells of a run with their combining marks, without the second halves of wide characters.
  public struct RunCells: Sequence, IteratorProtocol {
    let grid: Grid
    var index: Int
    let end: Int

    public mutating func next() -> (cell: Cell, marks: [Unicode.Scalar])? {
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
  public func runCells(_ run: GridDiff.Run, width: Int) -> RunCells {
    let base = run.row * size.width
    var end = base + Swift.min(run.columns.upperBound, width)
    if end < base + size.width, end > base, cells[end].isContinuation { end -= 1 }
    return RunCells(grid: self, index: base + run.columns.lowerBound, end: end)
  }
}
