import PatchbayGrid

extension ConsoleState {
  /// Rows of a column of the help, and how many columns stand side by side.
  var helpPage: (rows: Int, columns: Int) { (max(1, size.height - 8), size.width >= 160 ? 2 : 1) }

  var helpWidth: Int { helpPage.columns == 1 ? min(96, size.width - 4) : min(200, size.width - 8) }

  func drawHelp(_ help: HelpBox, _ grid: inout Grid) {
    let rows = help.rows(of: keys, first: contexts)
    let (height, columns) = helpPage
    box(helpWidth, size.height - 4, "Keys", &grid) { grid in
      let x = 1 + grid.put("find ", at: Point(x: 1, y: 0), style: theme[.key, on: .popup].bold)
      drawSearch(help.search, hint: "a key, a word, a command's name", x, &grid)
      grid.within(Rect(x: 0, y: 2, width: grid.width, height: grid.height - 2)) { grid in
        if rows.isEmpty { grid.put("Nothing is called that.", at: Point(x: 1, y: 0), style: theme[.dim, on: .popup]) }
        let room = grid.width / columns
        for column in 0..<columns {
          let area = Rect(x: column * room, y: 0, width: room - (columns > 1 ? 2 : 0), height: height)
          let shown = rows.dropFirst(help.top + column * height).prefix(height)
          grid.within(area) { grid in
            for (y, row) in shown.enumerated() { drawHelp(row, y, &grid) }
          }
        }
        drawScrollbar(&grid, top: help.top, count: rows.count, seen: height * columns, on: .popup)
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
