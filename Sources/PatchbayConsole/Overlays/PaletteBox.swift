import PatchbayGrid

/// Finds a command by some letters of its name or help.
struct PaletteBox: Sendable {
  /// A command with the letters of its help that were found, in characters.
  struct Row: Sendable {
    var binding: Binding
    var places: [Int] = []
    /// The screen on which it works, where that is another than the one that is shown.
    var elsewhere: Tab?
  }

  var search = TextEditor("", singleLine: true)
  var selected = 0

  /// The first command that is shown in so many rows.
  func top(of count: Int, rows: Int) -> Int { max(0, min(count - rows, selected - rows / 2)) }

  /// The commands, the best fitting first; those that fit only by letters far apart go where others fit better.
  func matches(_ rows: [Row]) -> [Row] {
    let wanted = search.text
    guard !wanted.isEmpty else { return rows }
    let found = rows.enumerated().compactMap { place, row -> (match: Fuzzy.Match, place: Int, row: Row)? in
      guard var match = Self.match(wanted, row.binding) else { return nil }
      if row.elsewhere != nil { match.score -= 20 }
      return (match, place, row)
    }
    let hasClose = found.contains { $0.match.isClose }
    return found.filter { !hasClose || $0.match.isClose }
      .sorted { ($0.match.score, $1.place) > ($1.match.score, $0.place) }
      .map { Row(binding: $0.row.binding, places: $0.match.places, elsewhere: $0.row.elsewhere) }
  }

  /// By the help, whose letters can be shown as found, or by the name in the config file.
  private static func match(_ wanted: String, _ binding: Binding) -> Fuzzy.Match? {
    let help = Fuzzy.match(wanted, in: binding.help)
    var name = Fuzzy.match(wanted, in: binding.command.name.replacing("-", with: " "))
    name?.score -= 1
    name?.places = []
    guard let help, let name else { return help ?? name }
    return help.score >= name.score ? help : name
  }
}

extension ConsoleState {
  /// What the palette offers: what can be done here, then what can be done on the other screens.
  var paletteRows: [PaletteBox.Row] {
    var seen: Set<String> = [GlobalCommand.palette.rawValue]
    let here = keys.active(in: contexts).filter { seen.insert($0.command.name).inserted }
    let others: [(KeyContext, Tab)] = [
      (.requests, .requests), (.stubs, .stubs), (.traffic, .traffic), (.processes, .processes), (.output, .output),
    ]
    let elsewhere = others.flatMap { context, place in
      keys.bindings.filter { $0.context == context && seen.insert($0.command.name).inserted }
        .map { PaletteBox.Row(binding: $0, elsewhere: place) }
    }
    return here.map { PaletteBox.Row(binding: $0) } + elsewhere
  }

  func drawPalette(_ palette: PaletteBox, _ grid: inout Grid) {
    let found = palette.matches(paletteRows)
    let rows = max(1, grid.height - 2)
    let top = palette.top(of: found.count, rows: rows)
    let x = 1 + grid.put(": ", at: Point(x: 1, y: 0), style: theme[.key, on: .popup].bold)
    drawSearch(palette.search, hint: "some letters of what you want to do", x, &grid)
    for (row, item) in found.dropFirst(top).prefix(rows).enumerated() {
      draw(item, isSelected: top + row == palette.selected, at: row + 2, &grid)
    }
    if found.isEmpty { grid.put("No command is called that.", at: Point(x: 1, y: 2), style: theme[.dim, on: .popup]) }
    grid.within(Rect(x: 0, y: 2, width: grid.width, height: rows)) {
      drawScrollbar(&$0, top: top, count: found.count, on: .popup)
    }
  }

  private func draw(_ row: PaletteBox.Row, isSelected: Bool, at y: Int, _ grid: inout Grid) {
    let ground: ThemeRole = isSelected ? .selection : .popup
    grid.fill(Rect(x: 0, y: y, width: grid.width, height: 1), style: theme[ground])
    let places = Set(row.places)
    var spans: [Span] = []
    for (place, character) in row.binding.help.enumerated() {
      let style = places.contains(place) ? theme[.key, on: ground].bold : theme[.text, on: ground]
      if let last = spans.indices.last, spans[last].style == style {
        spans[last].text.append(character)
      } else {
        spans.append(Span(String(character), style))
      }
    }
    let key = row.binding.keyLabel
    let place = row.elsewhere.map { "\($0.title)  " } ?? ""
    let room = grid.width - textWidth(key) - textWidth(place) - 4
    grid.put(spans: spans, at: Point(x: 1, y: y), maxWidth: room)
    let right = grid.width - textWidth(key) - 2
    grid.put(key, at: Point(x: right, y: y), style: theme[.key, on: ground].bold)
    grid.put(place, at: Point(x: right - textWidth(place), y: y), style: theme[.dim, on: ground])
  }

  /// The line of a box in which one types, with what may be typed while it is empty.
  func drawSearch(_ editor: TextEditor, hint: String, _ x: Int, _ grid: inout Grid) {
    let area = Rect(x: x, y: 0, width: grid.width - x - 1, height: 1)
    drawField(editor, &grid, area, ground: .input)
    guard editor.isEmpty else { return }
    grid.put(hint, at: Point(x: x, y: 0), style: theme[.placeholder], maxWidth: area.width)
  }
}
