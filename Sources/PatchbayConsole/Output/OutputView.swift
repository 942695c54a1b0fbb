import PatchbayGrid

extension ConsoleState {
  func drawOutput(_ grid: inout Grid) {
    var right = Wording.count(output.lines.count + output.dropped, "line")
    if output.dropped > 0 { right += ", the first \(Wording.count(output.dropped)) let go" }
    if output.follows { right += " · following" }
    let ended = output.ended.map { "  \($0)" } ?? ""
    var left: [PageLine.Piece]
    switch setup.mode {
    case .run(let command):
      let room = size.width - textWidth(right) - textWidth(ended) - 4
      left = [.init(truncated(shown(command), toWidth: max(8, room)), .text)]
    case .demo: left = [.init("The demo's program", .text)]
    case .listen: left = [.init("Only a command started with patchbay run has output here.", .dim)]
    }
    if !ended.isEmpty { left += [.init(ended, .warning)] }
    drawBreadcrumb(left, right, isCut: true, &grid)
    guard !output.lines.isEmpty else {
      return drawEmpty(noOutputLines, &grid)
    }
    let area = Rect(
      x: layout.columns.x, y: layout.columns.y, width: layout.columns.width, height: layout.rows.height + 1)
    grid.within(area) { drawLines(&$0) }
  }

  private var noOutputLines: [PageLine] {
    guard case .listen = setup.mode else { return [PageLine("Nothing was printed yet.", .text)] }
    return [
      PageLine("Programs that attach by themselves print in their own terminal.", .text), PageLine([]),
      PageLine([.init("patchbay run -- COMMAND", .string), .init(" shows here what the command prints", .dim)]),
    ]
  }

  private func drawLines(_ grid: inout Grid) {
    let count = output.lines.count
    var top = max(0, min(output.scroll.selected, count - 1))
    var rows = height(of: top, grid.width)
    while top > 0, rows + height(of: top - 1, grid.width) <= grid.height, output.follows || top > output.scroll.top {
      top -= 1
      rows += height(of: top, grid.width)
    }
    var y = 0
    var number = top
    while y < grid.height, number < count {
      y += drawLine(number, at: y, &grid)
      number += 1
    }
    drawScrollbar(&grid, top: top, count: count)
  }

  private func height(of number: Int, _ width: Int) -> Int {
    guard view.wrap else { return 1 }
    return wrapped(ANSIText.plain(output.lines[number].text), toWidth: max(10, width - 11), byWords: false).count
  }

  private func drawLine(_ number: Int, at y: Int, _ grid: inout Grid) -> Int {
    let line = output.lines[number]
    let isSelected = number == output.scroll.selected && !output.follows
    let ground: ThemeRole = isSelected ? .selectionIdle : .text
    let printed = ANSIText(line.text)
    let room = max(10, grid.width - 11)
    let rows = view.wrap ? wrapped(printed.text, toWidth: room, byWords: false) : [printed.text]
    let role: ThemeRole = line.stream == .error ? .warning : line.stream == .input ? .key : .text
    var start = 0
    for (row, part) in rows.enumerated() {
      if isSelected { grid.fill(Rect(x: 0, y: y + row, width: grid.width, height: 1), style: theme[ground]) }
      if row == 0 {
        grid.put(
          Wording.time(line.at, utcOffset: setup.utcOffset, fraction: false), at: Point(x: 1, y: y),
          style: theme[.dim, on: ground])
      }
      let shownPart = line.stream == .input && row == 0 ? "› " + part : part
      grid.put(shownPart, at: Point(x: 10, y: y + row), style: theme[role, on: ground], maxWidth: room)
      if line.stream != .input { paint(printed.runs, on: part, from: start, at: Point(x: 10, y: y + row), room, &grid) }
      highlight(shownPart, at: Point(x: 10, y: y + row), &grid)
      start += part.utf8.count
    }
    return rows.count
  }

  /// The program's own colours on a row that begins with that byte of its line.
  private func paint(
    _ runs: [ANSIText.Run], on part: String, from start: Int, at point: Point, _ room: Int, _ grid: inout Grid
  ) {
    for run in runs {
      let range = run.range.clamped(to: start..<start + part.utf8.count)
      guard !range.isEmpty else { continue }
      let first = part.index(atUTF8: range.lowerBound - start)
      let before = min(room, textWidth(part[..<first]))
      let width = min(room - before, textWidth(part[first..<part.index(atUTF8: range.upperBound - start)]))
      let depth = theme.depth
      grid.restyle(Rect(x: point.x + before, y: point.y, width: width, height: 1)) { run.look.over($0, depth: depth) }
    }
  }

  private func highlight(_ text: String, at point: Point, _ grid: inout Grid) {
    guard !output.search.isEmpty else { return }
    for range in TextNeedle(output.search).ranges(in: text, parts: true) {
      let start = textWidth(text[..<text.index(atUTF8: range.lowerBound)])
      let width = textWidth(text[text.index(atUTF8: range.lowerBound)..<text.index(atUTF8: range.upperBound)])
      let style = theme[.match]
      grid.restyle(Rect(x: point.x + start, y: point.y, width: width, height: 1)) { _ in style }
    }
  }
}
