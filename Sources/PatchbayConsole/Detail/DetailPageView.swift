import PatchbayGrid
import PatchbayStubs

/// The lines of one tab of an opened request, as far as they are in sight.
struct DetailPageView {
  let page: DetailPage
  let room: DetailPage.Geometry
  /// Columns for the numbers of lines; 0 where they are not shown.
  let gutter: Int
  let hasKeys: Bool
  let theme: Theme
  /// The value on the cursor's line as it is edited there.
  var edit: ValueEdit?
  /// What stubs make of values now.
  var patched: [[JSONStep]: JSONValue] = [:]

  func draw(on grid: inout Grid) {
    var y = -page.topRow
    var number = page.top
    while y < grid.height, number < page.count {
      let line = page.line(number)
      let isCursor = hasKeys && number == page.cursor
      let rows =
        room.wraps ? LineWrap.split(line.pieces, room: max(1, room.width - line.indent(in: room.width))) : [line.pieces]
      let ground: ThemeRole = isCursor ? .selectionIdle : .text
      for (place, pieces) in rows.enumerated() {
        defer { y += 1 }
        guard y >= 0, y < grid.height else { continue }
        if isCursor { grid.fill(Rect(x: 0, y: y, width: grid.width, height: 1), style: theme[ground]) }
        if gutter > 0, place == 0, let shown = page.lineNumber(number) {
          grid.put(
            String(shown), at: Point(x: 0, y: y), alignedRightIn: gutter - 1, style: theme[.lineNumber, on: ground])
        }
        let at = Point(x: 1 + gutter + line.indent(in: room.width), y: y)
        if isCursor, let edit {
          if place == 0 { draw(edit, line.pieces, at: at, &grid) }
          continue
        }
        let spans = pieces.map { Span($0.text, theme[$0.role, on: ground]) }
        let end = at.x + grid.put(spans: spans, at: at, maxWidth: grid.width - at.x - 1)
        if place == rows.count - 1 { drawPatched(number, from: end, y: y, ground, &grid) }
        let role: ThemeRole = number == page.cursor && page.search.current != nil ? .matchCurrent : .match
        highlight(page.search.text, in: pieces, at: at, theme[role], &grid)
      }
      number += 1
    }
    let place = scrollPlace
    grid.drawScrollbar(theme, top: place.top, count: place.count)
  }

  /// The member's name as ever, and the field behind it.
  private func draw(_ edit: ValueEdit, _ pieces: [PageLine.Piece], at point: Point, _ grid: inout Grid) {
    let name = pieces.first?.role == .key ? Array(pieces.prefix(2)) : []
    let spans = name.map { Span($0.text, theme[$0.role, on: .selectionIdle]) }
    let width = grid.put(spans: spans, at: point, maxWidth: max(0, (grid.width - point.x) / 2))
    edit.draw(on: &grid, at: Point(x: point.x + width, y: point.y), theme)
  }

  /// Behind a value that is another one from now on, that one.
  private func drawPatched(_ number: Int, from x: Int, y: Int, _ ground: ThemeRole, _ grid: inout Grid) {
    guard !patched.isEmpty, let steps = page.steps(at: number), let value = patched[steps] else { return }
    let was = page.body?.value(at: number - page.headCount)
    guard was != shown(value.compact), was != value.indented() else { return }
    let pieces: [PageLine.Piece] = [
      .init("  ◆ now ", .stub), .init(ValueEdit.brief(value), ValueEdit.role(of: value)),
    ]
    grid.put(
      spans: pieces.map { Span($0.text, theme[$0.role, on: ground]) }, at: Point(x: x, y: y),
      maxWidth: max(0, grid.width - x - 1))
  }

  /// In lines; of a page of few lines in rows, for they may be long ones.
  private var scrollPlace: (top: Int, count: Int) {
    guard room.wraps, page.count <= room.height else { return (page.top, page.count) }
    let rows = (0..<page.count).map { page.rows(of: $0, in: room) }
    return (rows.prefix(page.top).reduce(page.topRow, +), rows.reduce(0, +))
  }

  private func highlight(
    _ search: String, in pieces: [PageLine.Piece], at point: Point, _ style: Style, _ grid: inout Grid
  ) {
    guard !search.isEmpty else { return }
    let text = pieces.map(\.text).joined()
    for range in TextNeedle(search).ranges(in: text, parts: true) {
      let start = textWidth(text[..<text.index(atUTF8: range.lowerBound)])
      let width = textWidth(text[text.index(atUTF8: range.lowerBound)..<text.index(atUTF8: range.upperBound)])
      grid.restyle(Rect(x: point.x + start, y: point.y, width: width, height: 1)) { _ in style }
    }
  }
}

extension PageLine {
  /// Columns that the line is indented by at a width.
  func indent(in width: Int) -> Int { min(depth * 2, max(0, width - 8)) }
}
