import PatchbayGrid

extension ConsoleState {
  func drawBox(_ overlay: Overlay, _ grid: inout Grid) {
    switch overlay {
    case .menu(let menu): drawMenu(menu, &grid)
    case .help(let box): drawHelp(box, &grid)
    case .palette(let palette):
      box(min(80, size.width - 4), min(size.height - 4, 22), "Commands", &grid) { drawPalette(palette, &$0) }
    case .prompt, .stubForm, .exchangeForm, .compare: break
    }
  }

  /// A box of that size in the middle; draws its inside.
  private func box(
    _ width: Int, _ height: Int, _ title: String, _ grid: inout Grid, atFoot: Bool = false,
    _ inside: (inout Grid) -> Void
  ) {
    let area = boxArea(width, height, atFoot: atFoot)
    grid.fill(area, style: theme[.popup])
    let inner = grid.box(area, style: theme[.popupLine], title: title, titleStyle: theme[.popupTitle])
    grid.within(inner, inside)
  }

  /// In the middle; an offer stands at the right, above the sentence about what was done.
  private func boxArea(_ width: Int, _ height: Int, atFoot: Bool) -> Rect {
    let area = body.centered(width: min(width, size.width - 2), height: min(height, size.height - 2))
    guard atFoot else { return area }
    return Rect(
      x: size.width - area.width - 1, y: max(1, size.height - area.height - max(1, toastLines.count)),
      width: area.width, height: area.height)
  }

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
    let details = menu.items.map { min(40, textWidth($0.detail)) }.max() ?? 0
    let signs = menu.items.contains { $0.isOn != nil } ? 2 : 0
    let keys = menu.items.map { $0.key.map { textWidth(Binding.label($0)) } ?? 0 }.max() ?? 0
    let width = max(labels + (details > 0 ? details + 3 : 0) + signs + keys + 6, textWidth(menu.title) + 8)
    let text = textLines(menu)
    let widest = text.map { textWidth($0) + 4 }.max() ?? 0
    let rows = menuWindow(menu).rows + text.count
    return (max(width, widest, textWidth(menu.note) + 6, 30), rows + 2 + (menu.note.isEmpty ? 0 : 1))
  }

  private func drawMenu(_ menu: Menu, _ grid: inout Grid) {
    let (width, height) = menuSize(menu)
    let keys = menu.items.map { $0.key.map { textWidth(Binding.label($0)) } ?? 0 }.max() ?? 0
    let signs = menu.items.contains { $0.isOn != nil }
    let text = textLines(menu)
    box(width, height, menu.title, &grid, atFoot: menu.isOffer) { grid in
      for (row, line) in text.enumerated() {
        grid.put(line, at: Point(x: 1, y: row), style: theme[.text, on: .popup], maxWidth: grid.width - 2)
      }
      let window = menuWindow(menu)
      for place in 0..<window.rows {
        let row = place + text.count
        let item = menu.items[window.top + place]
        let isSelected = window.top + place == menu.selected && !menu.isOffer
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
        // A long label leaves a short detail, such as a time, its room.
        let detailWidth = textWidth(item.detail)
        let kept = detailWidth > 0 && detailWidth <= 12 ? detailWidth + 3 : 0
        let label = grid.put(
          shown(item.label), at: Point(x: x, y: row), style: theme[.text, on: ground],
          maxWidth: max(8, grid.width - x - 1 - kept))
        let room = grid.width - x - label - 4
        guard !item.detail.isEmpty, room > 4 || room >= detailWidth else { continue }
        let detail = truncated(shown(item.detail), toWidth: room)
        grid.put(detail, at: Point(x: grid.width - textWidth(detail) - 1, y: row), style: theme[.dim, on: ground])
      }
      if !menu.note.isEmpty {
        grid.put(
          shown(menu.note), at: Point(x: 1, y: grid.height - 1), style: theme[.dim, on: .popup],
          maxWidth: grid.width - 2)
      }
    }
  }

  private func drawHelp(_ help: HelpBox, _ grid: inout Grid) {
    let rows = help.rows(of: keys, first: contexts)
    box(min(96, size.width - 4), size.height - 4, "Keys", &grid) { grid in
      let x = 1 + grid.put("find ", at: Point(x: 1, y: 0), style: theme[.key, on: .popup].bold)
      drawSearch(help.search, hint: "a key, a word, a command's name", x, &grid)
      grid.within(Rect(x: 0, y: 2, width: grid.width, height: grid.height - 2)) { grid in
        if rows.isEmpty { grid.put("Nothing is called that.", at: Point(x: 1, y: 0), style: theme[.dim, on: .popup]) }
        for (y, row) in rows.dropFirst(help.top).prefix(grid.height).enumerated() { drawHelp(row, y, &grid) }
        drawScrollbar(&grid, top: help.top, count: rows.count)
      }
    }
  }

  private func drawHelp(_ row: HelpBox.Row, _ y: Int, _ grid: inout Grid) {
    switch row {
    case .blank: break
    case .heading(let text): grid.put(text, at: Point(x: 1, y: y), style: theme[.popupTitle])
    case .binding(let keys, let help, let command):
      let name = textWidth(command)
      let wide = grid.width >= 70
      grid.put(keys, at: Point(x: 2, y: y), style: theme[.key, on: .popup].bold, maxWidth: 13)
      grid.put(
        help, at: Point(x: 16, y: y), style: theme[.text, on: .popup], maxWidth: grid.width - 18 - (wide ? name + 2 : 0)
      )
      if wide { grid.put(command, at: Point(x: grid.width - name - 2, y: y), style: theme[.dim, on: .popup]) }
    }
  }
}
