extension Grid {
  /// A picture of the grid as SVG, as in a README: each cell at its place, wide characters two cells wide whatever
  /// font the reader has.
  package func svg() -> String {
    var picture = SVGPicture(palette: .dark)
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
        + "\(attributes)>\(text.escapedForMarkup())</text>")
  }

  private func x(_ column: Int) -> Int { Self.margin + column * Self.cellWidth }
  private func y(_ row: Int) -> Int { Self.margin + row * Self.cellHeight }
}

/// The colours that a picture of a grid gives to what the terminal would decide. Numbers are 0xRRGGBB.
private struct PicturePalette {
  let foreground: UInt32
  let background: UInt32
  /// The 16 ANSI colours; missing ones are xterm's.
  let ansi: [UInt32]

  static let dark = PicturePalette(
    foreground: 0xc8ccd4, background: 0x16181d,
    ansi: [
      0x282c34, 0xe06c75, 0x98c379, 0xe5c07b, 0x61afef, 0xc678dd, 0x56b6c2, 0xabb2bf,
      0x5c6370, 0xf0808a, 0xb1d196, 0xf0d399, 0x83c3f7, 0xd69be8, 0x7fcbd4, 0xffffff,
    ])

  private func value(_ color: Color, default own: UInt32) -> UInt32 {
    switch color.kind {
    case .terminalDefault: own
    case .palette(let number) where Int(number) < min(16, ansi.count): ansi[Int(number)]
    default: color.rgbValue
    }
  }

  /// Text and background of a style, after `reverse` and `dim`.
  func colors(of style: Style) -> (text: UInt32, background: UInt32) {
    var text = value(style.foreground, default: foreground)
    var ground = value(style.background, default: background)
    if style.attributes.contains(.reverse) { swap(&text, &ground) }
    if style.attributes.contains(.dim) { text = PicturePalette.mixed(text, ground) }
    return (text, ground)
  }

  private static func mixed(_ text: UInt32, _ ground: UInt32) -> UInt32 {
    [16, 8, 0].reduce(0) { result, shift in
      let mix = ((text >> shift & 255) * 3 + (ground >> shift & 255) * 2) / 5
      return result | mix << shift
    }
  }

  static func hex(_ value: UInt32) -> String {
    let digits = String(value & 0xFF_FFFF, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
