/// A screen of cells that views draw on. A value: two grids can be kept, compared and sent anywhere.
///
/// All drawing is relative to the current area (`within(_:)`) and clipped to it. A wide character is never left
/// half: where one half is overwritten or cut off, the other becomes a space.
package struct Grid: Sendable {
  /// The whole grid's size, whatever the current area.
  package private(set) var size: Size
  /// Where the terminal's cursor is to be, in the whole grid; nil hides it.
  package internal(set) var cursor: Point?
  /// What is shown over the cells, where the terminal can.
  package private(set) var picture: PlacedPicture?

  var cells: [Cell]
  /// Combining marks, up to four a cell, zeros after the last; a cell refers to them by index plus one.
  var marks: [SIMD4<UInt32>] = []
  /// The origin of the current area in the whole grid; may lie outside of it.
  var origin = Point.zero
  /// The current area's size as its drawer sees it.
  var areaSize: Size
  /// What of the current area may be drawn on, in the whole grid.
  var clip: Rect

  package init(_ size: Size, style: Style = .plain) {
    self.size = size
    areaSize = size
    clip = Rect(size)
    cells = Array(repeating: .blank(Paint(style)), count: size.width * size.height)
  }

  package init(width: Int, height: Int, style: Style = .plain) {
    self.init(Size(width: width, height: height), style: style)
  }

  /// The current area as its drawer sees it: origin zero.
  package var bounds: Rect { Rect(areaSize) }
  package var width: Int { areaSize.width }
  package var height: Int { areaSize.height }

  /// Calls `body` with the area set to `rect` (relative to the current one): in it `rect`'s top left is (0, 0), and
  /// nothing is drawn outside.
  @discardableResult
  package mutating func within<Result>(_ rect: Rect, _ body: (inout Grid) throws -> Result) rethrows -> Result {
    let saved = (origin, areaSize, clip)
    defer { (origin, areaSize, clip) = saved }
    origin = origin.moved(x: rect.x, y: rect.y)
    areaSize = rect.size
    clip = clip.intersection(Rect(origin: origin, size: rect.size))
    return try body(&self)
  }

  /// Shows the cursor at a place of the current area; hides it if that is nil or clipped away.
  package mutating func setCursor(_ point: Point?) {
    let place = point.map { $0.moved(x: origin.x, y: origin.y) }
    cursor = place.flatMap { clip.contains($0) ? $0 : nil }
  }

  /// Shows a picture in a rectangle of the current area.
  package mutating func setPicture(_ picture: Picture, in rect: Rect) {
    let area = rect.moved(x: origin.x, y: origin.y).intersection(clip)
    self.picture = area.isEmpty ? nil : PlacedPicture(picture, in: area)
  }

  package mutating func removePicture() { picture = nil }

  /// The cell at a place of the current area; nil outside of the grid.
  package subscript(_ point: Point) -> Cell? {
    let place = point.moved(x: origin.x, y: origin.y)
    return Rect(size).contains(place) ? cells[place.y * size.width + place.x] : nil
  }

  func marks(of cell: Cell) -> [Unicode.Scalar] {
    guard cell.marksIndex > 0 else { return [] }
    let four = marks[cell.marksIndex - 1]
    return (0..<4).compactMap { four[$0] == 0 ? nil : Unicode.Scalar(four[$0]) }
  }

  func same(_ left: Cell, in other: Grid, _ right: Cell) -> Bool {
    if (left.marksIndex | right.marksIndex) == 0 { return Cell.sameBits(left, right) }
    guard left.marksIndex > 0, right.marksIndex > 0, left.colors == right.colors else { return false }
    return UInt32(truncatingIfNeeded: left.text) == UInt32(truncatingIfNeeded: right.text)
      && marks[left.marksIndex - 1] == other.marks[right.marksIndex - 1]
  }
}

extension Grid: Equatable {
  /// Whether both show the same: size, cursor, picture, and every cell with its style and marks.
  package static func == (left: Grid, right: Grid) -> Bool {
    left.size == right.size && left.cursor == right.cursor && left.picture == right.picture
      && GridDiff.runs(from: left, to: right).isEmpty
  }
}

extension Grid {
  /// Fills a rectangle of the current area with a character; one that is wide or has no width becomes a space.
  package mutating func fill(_ rect: Rect, style: Style, with scalar: Unicode.Scalar = " ") {
    let cell = Cell(scalar: Grid.narrow(scalar), width: 1, paint: Paint(style))
    eachRow(of: rect) { grid, row, columns in
      grid.mendBefore(row: row, column: columns.lowerBound)
      let base = row * grid.size.width
      for column in columns { grid.cells[base + column] = cell }
      grid.mendAfter(row: row, column: columns.upperBound)
    }
  }

  /// Fills the current area.
  package mutating func fill(style: Style, with scalar: Unicode.Scalar = " ") {
    fill(bounds, style: style, with: scalar)
  }

  /// Changes the style of what stands in a rectangle of the current area, such as the selected row.
  package mutating func restyle(_ rect: Rect, _ change: (Style) -> Style) {
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

extension Grid {
  /// Draws a box along the edge of a rectangle, with a title in its top line; the inside is left as it is.
  ///
  /// - Returns: the rectangle inside the box.
  @discardableResult
  package mutating func box(
    _ rect: Rect, style: Style = .plain, title: String = "", titleStyle: Style? = nil
  ) -> Rect {
    guard rect.width >= 2, rect.height >= 2 else { return rect.inset(horizontal: 1, vertical: 1) }
    rule(at: rect.origin, width: rect.width, style: style)
    rule(at: Point(x: rect.x, y: rect.maxY - 1), width: rect.width, style: style)
    verticalRule(at: rect.origin, height: rect.height, style: style)
    verticalRule(at: Point(x: rect.maxX - 1, y: rect.y), height: rect.height, style: style)
    let places = [
      rect.origin, Point(x: rect.maxX - 1, y: rect.y), Point(x: rect.x, y: rect.maxY - 1),
      Point(x: rect.maxX - 1, y: rect.maxY - 1),
    ]
    for (place, corner) in zip(places, ["╭", "╮", "╰", "╯"] as [Unicode.Scalar]) {
      fill(Rect(x: place.x, y: place.y, width: 1, height: 1), style: style, with: corner)
    }
    if !title.isEmpty, rect.width > 6 {
      put(" \(truncated(title, toWidth: rect.width - 6)) ", at: rect.origin.moved(x: 2), style: titleStyle ?? style)
    }
    return rect.inset(horizontal: 1, vertical: 1)
  }

  /// Draws a horizontal line.
  package mutating func rule(
    at point: Point, width: Int, style: Style = .plain, line: Unicode.Scalar = "─"
  ) {
    fill(Rect(x: point.x, y: point.y, width: width, height: 1), style: style, with: line)
  }

  /// Draws a vertical line.
  package mutating func verticalRule(
    at point: Point, height: Int, style: Style = .plain, line: Unicode.Scalar = "│"
  ) {
    fill(Rect(x: point.x, y: point.y, width: 1, height: height), style: style, with: line)
  }
}

extension Grid {
  /// The rows as text, without trailing spaces: what tests compare screens with.
  package var lines: [String] {
    (0..<size.height).map { text(row: $0) }
  }

  /// The rows joined by line ends, without trailing spaces and without empty rows at the foot.
  package var text: String {
    var rows = lines
    while rows.last?.isEmpty == true { rows.removeLast() }
    return rows.joined(separator: "\n")
  }

  /// One row of the whole grid as text, without trailing spaces.
  package func text(row: Int) -> String {
    guard row >= 0, row < size.height else { return "" }
    var end = size.width
    while end > 0, cells[row * size.width + end - 1].isBlank { end -= 1 }
    return text(row: row, columns: 0..<end)
  }

  /// Some columns of a row of the whole grid as text.
  package func text(row: Int, columns: Range<Int>) -> String {
    var scalars = String.UnicodeScalarView()
    for column in columns.clamped(to: 0..<size.width) {
      let cell = cells[row * size.width + column]
      if cell.isContinuation { continue }
      scalars.append(cell.scalar)
      if cell.marksIndex > 0 { scalars.append(contentsOf: marks(of: cell)) }
    }
    return String(scalars)
  }
}
