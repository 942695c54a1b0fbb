import PatchbayGrid

extension ConsoleState {
  func drawFilterBar(_ grid: inout Grid, _ area: Rect) {
    grid.within(area) { grid in
      let bar = requests.bar
      grid.fill(style: theme[bar.isOpen ? .input : .text])
      let status = listStatus(room: max(12, grid.width - 20))
      let room = max(10, grid.width - 5 - status.reduce(0) { $0 + textWidth($1.text) })
      grid.put("/", at: Point(x: 1, y: 0), style: theme[.key, on: bar.isOpen ? .input : .text].bold)
      if bar.isOpen {
        drawField(bar.editor, &grid, Rect(x: 3, y: 0, width: room, height: 1), ground: .input)
      } else if bar.applied.isEmpty {
        grid.put(
          "type / to filter: host:api status:5xx is:failed …", at: Point(x: 3, y: 0), style: theme[.dim], maxWidth: room
        )
      } else {
        grid.put(bar.applied, at: Point(x: 3, y: 0), style: theme[.text].bold, maxWidth: room)
      }
      let width = status.reduce(0) { $0 + textWidth($1.text) }
      let ground: ThemeRole = bar.isOpen ? .input : .text
      let spans = status.map { Span($0.text, theme[$0.role, on: ground]) }
      grid.put(spans: spans, at: Point(x: max(0, grid.width - width - 1), y: 0))
    }
  }

  /// The newest of what takes long, how far it is, and how to stop it.
  var workNote: String? {
    works.last.map { work in
      let share = work.share.map { share in
        let cells = Int((max(0, min(1, share)) * 10).rounded(.down))
        return " \(String(repeating: "▰", count: cells))\(String(repeating: "▱", count: 10 - cells)) "
          + Wording.percent(share)
      }
      return "\(shown(work.title))\(share ?? ""), esc stops"
    }
  }

  /// What is said of the list at its right: how many, and what moves it. Where not all fits, whole parts are left out.
  private func listStatus(room: Int) -> [PageLine.Piece] {
    var parts = listStatusParts
    func pieces() -> [PageLine.Piece] {
      Array(parts.map { [$0.piece] }.joined(separator: [PageLine.Piece(" · ", .dim)]))
    }
    while parts.count > 1, pieces().reduce(0, { $0 + textWidth($1.text) }) > room,
      let least = parts.indices.max(by: { parts[$0].rank < parts[$1].rank })
    {
      parts.remove(at: least)
    }
    return pieces()
  }

  /// In their order on the screen; the higher the rank, the sooner it is left out.
  private var listStatusParts: [(piece: PageLine.Piece, rank: Int)] {
    var parts: [(piece: PageLine.Piece, rank: Int)] = []
    func add(_ text: String, _ role: ThemeRole, _ rank: Int) { parts.append((.init(text, role), rank)) }
    if let workNote { add(workNote, .waiting, 1) }
    let count = requests.order.count
    if !requests.bar.applied.isEmpty || requests.query.after > 0 {
      add("\(Wording.count(count)) of \(Wording.count(recorded))", .dim, 5)
    }
    if requests.isSearching { add("searching…", .waiting, 4) }
    let sort = requests.query.sort
    if !sort.isArrival {
      let text = sort.column == .number ? "newest first" : "by \(sort.column.title) \(sort.descending ? "↓" : "↑")"
      add(requests.isStale ? "\(text), new ones come" : text, .columnSorted, 2)
    }
    if let paused = requests.paused {
      add(paused.isEmpty ? "paused" : "paused, \(Wording.count(paused.count)) new", .warning, 0)
    } else if sort.isArrival, count > 0 {
      requests.follows
        ? add("following", .good, 3)
        : add("\(Wording.count(requests.scroll.selected + 1))/\(Wording.count(count))", .dim, 6)
    }
    if !requests.marks.isEmpty { add("\(Wording.count(requests.marks.count)) marked", .mark, 4) }
    return parts
  }

  /// Under the bar: the fault below its column, or what Tab offers.
  func drawFilterHelp(_ grid: inout Grid, _ area: Rect) {
    grid.within(area) { grid in
      if let problem = requests.bar.problem, requests.bar.completion == nil {
        let prefix = String(requests.bar.editor.text.prefix(problem.column))
        let message = shown(problem.message)
        let column = 3 + textWidth(prefix)
        let wanted = textWidth(message) + 3
        if column + wanted <= grid.width || column < grid.width / 2 {
          let end = column + grid.put("^ \(message)", at: Point(x: column, y: 0), style: theme[.error])
          drawChoices(filterOffers, current: nil, from: end + 2, &grid)
        } else {
          grid.put("\(message) ^", at: Point(x: max(0, column - wanted + 1), y: 0), style: theme[.error])
          grid.put("^", at: Point(x: min(grid.width - 1, column), y: 0), style: theme[.error])
        }
      } else if let completion = requests.bar.completion {
        drawChoices(completion.choices, current: completion.index, from: 2, &grid)
      } else {
        drawChoices(filterOffers, current: nil, from: 2, &grid)
      }
    }
  }

  /// What Tab goes through, in a row; more than fits ends with an ellipsis.
  private func drawChoices(_ choices: [String], current: Int?, from start: Int, _ grid: inout Grid) {
    var x = start
    let first = max(0, (current ?? 0) - 6)
    for (place, choice) in choices.enumerated().dropFirst(first) {
      let text = " \(shown(choice)) "
      let isLast = place == choices.count - 1
      guard x + textWidth(text) + (isLast ? 0 : 1) < grid.width else {
        if x < grid.width { grid.put("…", at: Point(x: x, y: 0), style: theme[.dim]) }
        return
      }
      x += grid.put(text, at: Point(x: x, y: 0), style: theme[place == current ? .selection : .dim])
    }
  }

  /// One line of an editor, scrolled so that its cursor is seen.
  func drawField(_ editor: TextEditor, _ grid: inout Grid, _ area: Rect, ground: ThemeRole, hasKeys: Bool = true) {
    grid.within(area) { grid in
      grid.fill(style: theme[ground])
      let line = editor.lines[editor.cursor.line]
      let column = editor.column
      let shift = hasKeys ? max(0, column - grid.width + 2) : 0
      EditorView.draw(
        line: line, selection: hasKeys ? editor.selectedOffsets(in: editor.cursor.line) : nil, roles: nil, theme: theme,
        ground: ground, at: Point(x: -shift, y: 0), &grid)
      if hasKeys { grid.setCursor(Point(x: column - shift, y: 0)) }
    }
  }
}
