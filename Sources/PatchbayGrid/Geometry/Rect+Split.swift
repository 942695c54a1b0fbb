extension Rect {
  /// One row of the rectangle as a rectangle; empty where there is no such row.
  public func row(_ index: Int) -> Rect {
    guard index >= 0, index < height else { return Rect(x: x, y: maxY, width: width, height: 0) }
    return Rect(x: x, y: y + index, width: width, height: 1)
  }

  /// One column of the rectangle as a rectangle; empty where there is no such column.
  public func column(_ index: Int) -> Rect {
    guard index >= 0, index < width else { return Rect(x: maxX, y: y, width: 0, height: height) }
    return Rect(x: x + index, y: y, width: 1, height: height)
  }

  /// Cut into the first `rows` rows (at most all) and the rest.
  public func splitTop(_ rows: Int) -> (top: Rect, rest: Rect) {
    let cut = clamped(rows, to: height)
    return (
      Rect(x: x, y: y, width: width, height: cut), Rect(x: x, y: y + cut, width: width, height: height - cut)
    )
  }

  /// Cut into the last `rows` rows (at most all) and the rest above.
  public func splitBottom(_ rows: Int) -> (rest: Rect, bottom: Rect) {
    let parts = splitTop(height - clamped(rows, to: height))
    return (parts.top, parts.rest)
  }

  /// Cut into the first `columns` columns (at most all) and the rest.
  public func splitLeft(_ columns: Int) -> (left: Rect, rest: Rect) {
    let cut = clamped(columns, to: width)
    return (
      Rect(x: x, y: y, width: cut, height: height), Rect(x: x + cut, y: y, width: width - cut, height: height)
    )
  }

  /// Cut into the last `columns` columns (at most all) and the rest to the left.
  public func splitRight(_ columns: Int) -> (rest: Rect, right: Rect) {
    let parts = splitLeft(width - clamped(columns, to: width))
    return (parts.left, parts.rest)
  }

  private func clamped(_ value: Int, to limit: Int) -> Int {
    min(max(0, value), limit)
  }
}
