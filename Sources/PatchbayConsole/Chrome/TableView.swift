import PatchbayGrid

/// A table of rows with columns that fit the width; one column takes what is left.
struct TableView {
  struct Column {
    var title: String
    var width: Int
    var alignsRight = false
    var isSorted = false
    /// Takes what is left; at least `width`.
    var flexes = false
    /// How much of it, beside the others that do.
    var share = 1
    /// Left out first where it is narrow: the higher, the sooner.
    var rank = 0
  }

  struct Cell {
    var pieces: [PageLine.Piece]

    init(_ text: String, _ role: ThemeRole = .text) {
      pieces = [PageLine.Piece(text, role)]
    }

    init(_ pieces: [PageLine.Piece]) {
      self.pieces = pieces
    }
  }

  var columns: [Column]
  /// Which of the columns are shown, each with its place and width.
  private(set) var places: [(index: Int, x: Int, width: Int)] = []
  private static let gap = 2
  private static let gutter = 3

  init(_ columns: [Column], width: Int) {
    self.columns = columns
    var shown = Array(columns.indices)
    func need() -> Int { shown.reduce(0) { $0 + columns[$1].width + TableView.gap } + TableView.gutter }
    while need() > width,
      let worst = shown.filter({ columns[$0].rank > 0 }).max(by: { columns[$0].rank < columns[$1].rank })
    {
      shown.removeAll { $0 == worst }
    }
    let spare = max(0, width - need())
    var shares = shown.filter { columns[$0].flexes }.reduce(0) { $0 + columns[$1].share }
    var left = spare
    var x = TableView.gutter
    for index in shown {
      var size = columns[index].width
      if columns[index].flexes {
        let more = left * columns[index].share / max(1, shares)
        size += more
        left -= more
        shares -= columns[index].share
      }
      places.append((index, x, size))
      x += size + TableView.gap
    }
  }

  func drawHeads(_ grid: inout Grid, theme: Theme) {
    for place in places {
      let column = columns[place.index]
      let style = theme[column.isSorted ? .columnSorted : .columnHead]
      put(column.title, place, 0, column.alignsRight, style, &grid)
    }
  }

  func draw(
    _ cells: [Cell], row: Int, isSelected: Bool, hasKeys: Bool = true, theme: Theme, _ grid: inout Grid
  ) {
    let ground: ThemeRole = isSelected ? (hasKeys ? .selection : .selectionIdle) : .text
    if isSelected {
      grid.fill(Rect(x: 0, y: row, width: grid.width, height: 1), style: theme[ground])
      grid.put("▸", at: Point(x: 1, y: row), style: theme[.mark, on: ground])
    }
    for place in places where place.index < cells.count {
      let cell = cells[place.index]
      if cell.pieces.count == 1 {
        let piece = cell.pieces[0]
        put(piece.text, place, row, columns[place.index].alignsRight, theme[piece.role, on: ground], &grid)
      } else {
        let spans = cell.pieces.map { Span($0.text, theme[$0.role, on: ground]) }
        grid.put(spans: spans, at: Point(x: place.x, y: row), maxWidth: place.width)
      }
    }
  }

  private func put(
    _ text: String, _ place: (index: Int, x: Int, width: Int), _ row: Int, _ alignsRight: Bool, _ style: Style,
    _ grid: inout Grid
  ) {
    if alignsRight {
      grid.put(text, at: Point(x: place.x, y: row), alignedRightIn: place.width, style: style)
    } else {
      grid.put(text, at: Point(x: place.x, y: row), style: style, maxWidth: place.width)
    }
  }
}

extension ConsoleState {
  /// The line below the header on the tabs but Requests: what it is, and what is said at its right.
  func drawBreadcrumb(_ left: [PageLine.Piece], _ right: String, _ grid: inout Grid) {
    grid.within(layout.bar) { grid in
      let width = textWidth(right)
      let room = grid.width - width - 4
      grid.put(spans: left.map { Span($0.text, theme[$0.role]) }, at: Point(x: 1, y: 0), maxWidth: room)
      grid.put(right, at: Point(x: max(0, grid.width - width - 1), y: 0), style: theme[.dim])
    }
  }

  /// Lines where there is nothing to list.
  func drawEmpty(_ lines: [PageLine], _ grid: inout Grid) {
    grid.within(layout.rows) { drawNotice(lines, &$0) }
  }
}
