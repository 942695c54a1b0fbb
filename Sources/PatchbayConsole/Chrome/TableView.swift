import PatchbayGrid

/// A table of rows with columns that fit the width; one column takes what is left.
struct TableView {
  struct Column {
    var title: String
    var width: Int
    /// Narrower it would tell nothing: it is made so narrow before the last columns that have a rank are left out.
    var least: Int?
    var alignsRight = false
    var isSorted = false
    var descending = false
    /// Takes what is left; at least `width`.
    var flexes = false
    /// How much of it, beside the others that do.
    var share = 1
    /// More than that goes to the others first.
    var want: Int?
    /// Left out first where it is narrow: the higher, the sooner. None is left out at 0, nor is the sorted one.
    var rank = 0
    /// There is nothing to be shown in it.
    var isEmpty = false
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
  /// Which of the columns stands at a place of the heads or rows, the gap before it included.
  func column(at x: Int) -> Int? { places.last { x >= $0.x - 1 }?.index }

  /// Which of the columns are shown, each with its place and width.
  private(set) var places: [(index: Int, x: Int, width: Int)] = []
  private static let gutter = 3
  /// Columns of a rank up to this one stay as long as others can be made narrower.
  private static let dear = 3

  init(_ columns: [Column], width: Int) {
    self.columns = columns
    let gap = width < 60 ? 1 : 2
    var shown = columns.indices.filter { !columns[$0].isEmpty }
    func need(_ size: (Column) -> Int) -> Int {
      shown.reduce(0) { $0 + size(columns[$1]) } + max(0, shown.count - 1) * gap + TableView.gutter + 1
    }
    func least(_ column: Column) -> Int { min(column.width, column.least ?? column.width) }
    func leaveOut(above rank: Int, while isTooWide: () -> Bool) {
      while isTooWide(),
        let worst = shown.filter({ columns[$0].rank > rank && !columns[$0].isSorted })
          .max(by: { columns[$0].rank < columns[$1].rank })
      {
        shown.removeAll { $0 == worst }
      }
    }
    leaveOut(above: TableView.dear) { need(\.width) > width }
    leaveOut(above: 0) { need(least) > width }
    let isTight = need(\.width) > width
    var sizes = shown.map { isTight ? least(columns[$0]) : columns[$0].width }
    var left = max(0, width - need(isTight ? least : \.width))
    func deal(_ weight: (Column) -> Int, upTo limit: (Column) -> Int) {
      var weights = shown.reduce(0) { $0 + weight(columns[$1]) }
      for (place, index) in shown.enumerated() where weights > 0 {
        let share = left * weight(columns[index]) / weights
        weights -= weight(columns[index])
        let more = max(0, min(share, limit(columns[index]) - sizes[place]))
        sizes[place] += more
        left -= more
      }
    }
    if isTight {
      deal({ $0.width - least($0) }, upTo: \.width)
    } else {
      // Twice, for one may leave something of its share to the others.
      for _ in 0..<2 { deal({ $0.flexes ? $0.share : 0 }, upTo: { $0.want ?? .max }) }
      deal({ $0.flexes ? $0.share : 0 }, upTo: { _ in .max })
    }
    var x = TableView.gutter
    for (place, index) in shown.enumerated() {
      places.append((index, x, sizes[place]))
      x += sizes[place] + gap
    }
  }

  /// The heads, and the rows that are in sight with a scrollbar.
  func draw(
    on grid: inout Grid, in layout: Layout, _ scroll: ListScroll, count: Int, _ theme: Theme, cells: (Int) -> [Cell]
  ) {
    grid.within(layout.columns) { drawHeads(&$0, theme: theme) }
    grid.within(layout.rows) { grid in
      for row in 0..<grid.height {
        let place = scroll.top + row
        guard place < count else { break }
        draw(cells(place), row: row, isSelected: place == scroll.selected, theme: theme, &grid)
      }
      grid.drawScrollbar(theme, top: scroll.top, count: count)
    }
  }

  func drawHeads(_ grid: inout Grid, theme: Theme) {
    for place in places {
      let column = columns[place.index]
      let style = theme[column.isSorted ? .columnSorted : .columnHead]
      let title = ColumnHead.text(
        column.title, isSorted: column.isSorted, descending: column.descending, width: place.width)
      put(title, place, 0, column.alignsRight, style, &grid)
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
  /// The line below the header on the tabs but Requests: what it is, and what is said at its right. What does not fit
  /// is left out from the end, piece by piece; or all of it is cut.
  func drawBreadcrumb(_ left: [PageLine.Piece], _ right: String, isCut: Bool = false, _ grid: inout Grid) {
    grid.within(layout.bar) { grid in
      let parts = workNote.map { [PageLine.Piece($0, .waiting), .init(" · ", .dim)] } ?? []
      let spans = (parts + [.init(right, .dim)]).map { Span($0.text, theme[$0.role]) }
      let width = spans.reduce(0) { $0 + textWidth($1.text) }
      let room = grid.width - width - 4
      var left = left
      // What only explains is not worth half a sentence.
      while !isCut, left.count > 1 || left.first?.role == .dim, left.reduce(0, { $0 + textWidth($1.text) }) > room {
        left.removeLast()
      }
      grid.put(spans: left.map { Span($0.text, theme[$0.role]) }, at: Point(x: 1, y: 0), maxWidth: room)
      grid.put(spans: spans, at: Point(x: max(0, grid.width - width - 1), y: 0))
    }
  }

  /// Lines where there is nothing to list.
  func drawEmpty(_ lines: [PageLine], _ grid: inout Grid) {
    grid.within(layout.rows) { drawNotice(lines, &$0) }
  }
}
