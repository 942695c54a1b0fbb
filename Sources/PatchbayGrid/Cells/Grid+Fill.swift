extension Grid {
  /// Fills a rectangle of the current area with a character; one that is wide or has no width becomes a space.
  public mutating func fill(_ rect: Rect, style: Style, with scalar: Unicode.Scalar = " ") {
    let cell = Cell(scalar: Grid.narrow(scalar), width: 1, paint: Paint(style))
    eachRow(of: rect) { grid, row, columns in
      grid.mendBefore(row: row, column: columns.lowerBound)
      let base = row * grid.size.width
      for column in columns { grid.cells[base + column] = cell }
      grid.mendAfter(row: row, column: columns.upperBound, writtenFrom: columns.lowerBound)
    }
  }

  /// Fills the current area.
  public mutating func fill(style: Style, with scalar: Unicode.Scalar = " ") {
    fill(bounds, style: style, with: scalar)
  }

  /// Changes the style of what stands in a rectangle of the current area, such as the selected row.
  public mutating func restyle(_ rect: Rect, _ change: (Style) -> Style) {
    eachRow(of: rect) { grid, row, columns in
      let base = row * grid.size.width
      var before: Paint?
      var after = Paint(.plain)
      for column in columns {
        let cell = grid.cells[base + column]
        if before != cell.paint {
          before = cell.paint
          after = Paint(change(cell.style))
        }
        grid.cells[base + column].setPaint(after)
      }
    }
  }

  private mutating func eachRow(of rect: Rect, _ body: (inout Grid, Int, Range<Int>) -> Void) {
    let visible = rect.moved(x: origin.x, y: origin.y).intersection(clip)
    guard !visible.isEmpty else { return }
    for row in visible.y..<visible.maxY { body(&self, row, visible.x..<visible.maxX) }
  }

  static func narrow(_ scalar: Unicode.Scalar) -> UInt32 {
    ScalarClass(scalar.value) == .narrow ? scalar.value : 0x20
  }
}
