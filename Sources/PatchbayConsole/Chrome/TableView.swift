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

/// What stands above a column.
enum ColumnHead {
  /// The title with the arrow of the sorted column, which is seen however narrow the column is: the title is cut first.
  static func text(_ title: String, isSorted: Bool, descending: Bool, width: Int) -> String {
    guard isSorted else { return title }
    let arrow = descending ? "↓" : "↑"
    let room = width - textWidth(title)
    if room >= 2 { return "\(title) \(arrow)" }
    if room == 1 { return title + arrow }
    return truncated(title, toWidth: width - 1, ellipsis: "") + arrow
  }
}

/// Where a list stands: the selected row and the first row that is seen, both by place.
struct ListScroll: Sendable, Equatable {
  var selected = 0
  var top = 0

  /// Moves the selection and keeps it within the list.
  mutating func move(by step: Int, count: Int) {
    selected = max(0, min(count - 1, selected + step))
  }

  /// How many rows around the selection are seen too, where there is room.
  static let margin = 2

  /// Keeps the selection in the list and in sight, with a margin where there is room.
  mutating func settle(count: Int, height: Int, margin: Int = ListScroll.margin) {
    selected = max(0, min(count - 1, selected))
    let height = max(1, height)
    let margin = Self.room(margin, height)
    top = min(top, selected - margin)
    top = max(top, selected + margin - height + 1)
    top = max(0, min(top, count - height))
  }

  /// Moves what is seen; the selection comes along only as far as it must, so that `settle` leaves what is seen there.
  mutating func scroll(by step: Int, count: Int, height: Int) {
    let height = max(1, height)
    let margin = Self.room(Self.margin, height)
    let last = max(0, count - height)
    top = max(0, min(last, top + step))
    let lowest = top == 0 ? 0 : top + margin
    let highest = top == last ? count - 1 : top + height - 1 - margin
    selected = max(0, max(lowest, min(highest, selected)))
  }

  private static func room(_ margin: Int, _ height: Int) -> Int { max(0, min(margin, (height - 1) / 2)) }

  /// Selects the row under the pointer. Returns false where there is none.
  mutating func press(_ point: Point, in rows: Rect, count: Int) -> Bool {
    let place = top + point.y - rows.y
    guard rows.contains(point), place < count else { return false }
    selected = place
    return true
  }
}
