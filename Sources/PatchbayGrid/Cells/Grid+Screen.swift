extension Grid {
  /// The rows as text, without trailing spaces: what tests compare screens with.
  public var lines: [String] {
    (0..<size.height).map { text(row: $0) }
  }

  /// The rows joined by line ends, without trailing spaces and without empty rows at the foot.
  public var text: String {
    var rows = lines
    while rows.last?.isEmpty == true { rows.removeLast() }
    return rows.joined(separator: "\n")
  }

  /// One row of the whole grid as text, without trailing spaces.
  public func text(row: Int) -> String {
    guard row >= 0, row < size.height else { return "" }
    return String(text(row: row, columns: 0..<size.width).reversed().drop { $0 == " " }.reversed())
  }

  /// Some columns of a row of the whole grid as text.
  public func text(row: Int, columns: Range<Int>) -> String {
    var scalars = String.UnicodeScalarView()
    for column in columns.clamped(to: 0..<size.width) {
      let cell = cells[row * size.width + column]
      if cell.isContinuation { continue }
      scalars.append(cell.scalar)
      scalars.append(contentsOf: marks(of: cell))
    }
    return String(scalars)
  }
}
