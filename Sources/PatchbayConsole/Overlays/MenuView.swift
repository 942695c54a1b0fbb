import PatchbayGrid

extension ConsoleState {
  /// How many items of a menu can be seen, and the first of them.
  func menuWindow(_ menu: Menu) -> (top: Int, rows: Int) {
    let rows = max(1, min(menu.items.count, size.height - 6 - textLines(menu).count - (menu.note.isEmpty ? 0 : 1)))
    let top = max(0, min(menu.items.count - rows, menu.selected - rows / 2))
    return (top, rows)
  }

  /// Where a menu's items stand on the screen.
  func menuArea(_ menu: Menu) -> Rect {
    let (width, height) = menuSize(menu)
    let area = boxArea(width, height, atFoot: menu.isOffer)
    return Rect(
      x: area.x + 1, y: area.y + 1 + textLines(menu).count, width: area.width - 2, height: menuWindow(menu).rows)
  }

  /// The sentences above a menu's items as they are wrapped, and an empty line below them.
  private func textLines(_ menu: Menu) -> [String] {
    guard !menu.text.isEmpty else { return [] }
    let lines = menu.text.flatMap { wrapped(shown($0), toWidth: max(20, min(72, size.width - 8))) }
    return lines.prefix(max(1, size.height / 2)) + [""]
  }

  private func menuSize(_ menu: Menu) -> (Int, Int) {
    let labels = menu.items.map { textWidth($0.label) }.max() ?? 0
    let details =
      menu.items.map { item in
        item.swatch.isEmpty
          ? min(max(40, size.width / 3), textWidth(item.detail)) : item.swatch.reduce(0) { $0 + textWidth($1.text) }
      }.max() ?? 0
    let signs = menu.items.contains { $0.isOn != nil } ? 2 : 0
    let keys = menu.items.map { $0.key.map { textWidth(Binding.label($0)) } ?? 0 }.max() ?? 0
    // More room makes it easier to read; an offer stays out of the way.
    let roomy = menu.isOffer || size.width < 100 ? 0 : min(100, size.width * 2 / 5)
    let width = max(labels + (details > 0 ? details + 3 : 0) + signs + keys + 6, textWidth(menu.title) + 8)
    let text = textLines(menu)
    let widest = text.map { textWidth($0) + 4 }.max() ?? 0
    let rows = menuWindow(menu).rows + text.count
    return (max(width, widest, textWidth(menu.note) + 6, 30, roomy), rows + 2 + (menu.note.isEmpty ? 0 : 1))
  }

  func drawMenu(_ menu: Menu, _ grid: inout Grid) {
    let (width, height) = menuSize(menu)
    let text = textLines(menu)
    box(width, height, menu.title, &grid, atFoot: menu.isOffer) { grid in
      for (row, line) in text.enumerated() {
        grid.put(line, at: Point(x: 1, y: row), style: theme[.text, on: .popup], maxWidth: grid.width - 2)
      }
      let window = menuWindow(menu)
      grid.within(Rect(x: 0, y: text.count, width: grid.width, height: window.rows)) { grid in
        drawItems(menu, window, &grid)
      }
      guard !menu.note.isEmpty else { return }
      let below = menu.items.count - window.top - window.rows
      let more =
        below > 0 ? "↓ \(Wording.count(below)) more" : window.top > 0 ? "↑ \(Wording.count(window.top)) more" : ""
      let room = grid.width - 2 - (more.isEmpty ? 0 : textWidth(more) + 2)
      let foot = Point(x: 1, y: grid.height - 1)
      grid.put(shown(menu.note), at: foot, style: theme[.dim, on: .popup], maxWidth: room)
      grid.put(more, at: Point(x: grid.width - textWidth(more) - 1, y: foot.y), style: theme[.key, on: .popup])
    }
  }

  private func drawItems(_ menu: Menu, _ window: (top: Int, rows: Int), _ grid: inout Grid) {
    let keys = menu.items.map { $0.key.map { textWidth(Binding.label($0)) } ?? 0 }.max() ?? 0
    let signs = menu.items.contains { $0.isOn != nil }
    for row in 0..<window.rows {
      let item = menu.items[window.top + row]
      let isSelected = window.top + row == menu.selected && !menu.isOffer
      let ground: ThemeRole = isSelected ? .selection : .popup
      grid.fill(Rect(x: 0, y: row, width: grid.width, height: 1), style: theme[ground])
      var x = 1
      if keys > 0 {
        grid.put(item.key.map(Binding.label) ?? "", at: Point(x: x, y: row), style: theme[.key, on: ground].bold)
        x += keys + 2
      }
      if signs {
        grid.put(
          item.isOn == true ? "●" : "·", at: Point(x: x, y: row),
          style: theme[item.isOn == true ? .good : .dim, on: ground])
        x += 2
      }
      draw(item, in: Rect(x: x, y: row, width: grid.width - x - 2, height: 1), ground, &grid)
    }
    drawScrollbar(&grid, top: window.top, count: menu.items.count, on: .popup)
  }

  /// A short detail, such as a time, is kept where the label has to be cut.
  private func draw(_ item: Menu.Item, in area: Rect, _ ground: ThemeRole, _ grid: inout Grid) {
    let swatch = item.swatch.reduce(0) { $0 + textWidth($1.text) }
    let label = shown(item.label)
    var detail = shown(item.detail)
    var kept = swatch > 0 ? swatch : textWidth(detail)
    let room = area.width - min(textWidth(label), max(area.width / 2, area.width - 14)) - 2
    if swatch == 0, kept > room {
      detail = room > 4 ? truncated(detail, toWidth: room) : ""
      kept = textWidth(detail)
    }
    grid.put(
      label, at: area.origin, style: theme[.text, on: ground], maxWidth: max(4, area.width - (kept > 0 ? kept + 2 : 0)))
    if swatch > 0 {
      grid.put(spans: item.swatch, at: Point(x: area.maxX - swatch, y: area.y))
    } else {
      grid.put(detail, at: Point(x: area.maxX - kept, y: area.y), style: theme[.dim, on: ground])
    }
  }
}
