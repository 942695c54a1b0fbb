extension Grid {
  /// A picture of the grid as SVG, as in a README: each cell at its place, wide characters two cells wide whatever
  /// font the reader has.
  public func svg(palette: PicturePalette = .dark) -> String {
    var picture = SVGPicture(palette: palette)
    for row in 0..<size.height { picture.add(row: row, of: self) }
    if let cursor { picture.addCursor(cursor) }
    return picture.document(size)
  }
}

/// Gathers the rectangles and texts of a picture.
private struct SVGPicture {
  private static let cellWidth = 9
  private static let cellHeight = 20
  private static let margin = 10

  let palette: PicturePalette
  private var grounds: [String] = []
  private var texts: [String] = []

  init(palette: PicturePalette) {
    self.palette = palette
  }

  mutating func add(row: Int, of grid: Grid) {
    var column = 0
    while column < grid.size.width {
      let first = grid.cells[row * grid.size.width + column]
      let step = max(1, first.width)
      var end = column + step
      while end < grid.size.width {
        let next = grid.cells[row * grid.size.width + end]
        guard next.width == first.width, next.paint == first.paint else { break }
        end += step
      }
      add(grid.text(row: row, columns: column..<end), style: first.style, row: row, columns: column..<end)
      column = end
    }
  }

  mutating func addCursor(_ point: Point) {
    texts.append(
      "<rect x=\"\(x(point.x))\" y=\"\(y(point.y))\" width=\"2\" height=\"\(Self.cellHeight)\" "
        + "fill=\"\(PicturePalette.hex(palette.foreground))\"/>")
  }

  func document(_ size: Size) -> String {
    let width = size.width * Self.cellWidth + 2 * Self.margin
    let height = size.height * Self.cellHeight + 2 * Self.margin
    let head = """
      <svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)">
      <style>text{font:15px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Noto Sans Mono CJK JP',monospace;\
      white-space:pre}</style>
      <rect width="\(width)" height="\(height)" rx="6" fill="\(PicturePalette.hex(palette.background))"/>
      """
    return ([head] + grounds + texts + ["</svg>", ""]).joined(separator: "\n")
  }

  private mutating func add(_ text: String, style: Style, row: Int, columns: Range<Int>) {
    let colors = palette.colors(of: style)
    let width = columns.count * Self.cellWidth
    let left = x(columns.lowerBound)
    if colors.background != palette.background {
      grounds.append(
        "<rect x=\"\(left)\" y=\"\(y(row))\" width=\"\(width)\" height=\"\(Self.cellHeight)\" "
          + "fill=\"\(PicturePalette.hex(colors.background))\" shape-rendering=\"crispEdges\"/>")
    }
    let isUnderlined = style.attributes.contains(.underline)
    guard isUnderlined || text.contains(where: { $0 != " " }) else { return }
    var attributes = " fill=\"\(PicturePalette.hex(colors.text))\""
    if style.attributes.contains(.bold) { attributes += " font-weight=\"bold\"" }
    if style.attributes.contains(.italic) { attributes += " font-style=\"italic\"" }
    if isUnderlined { attributes += " text-decoration=\"underline\"" }
    texts.append(
      "<text x=\"\(left)\" y=\"\(y(row) + 15)\" textLength=\"\(width)\" lengthAdjust=\"spacingAndGlyphs\""
        + "\(attributes)>\(Self.escaped(text))</text>")
  }

  private func x(_ column: Int) -> Int { Self.margin + column * Self.cellWidth }
  private func y(_ row: Int) -> Int { Self.margin + row * Self.cellHeight }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      default: result.append(character)
      }
    }
  }
}
