import PatchbayGrid

/// Finds a command by some letters of its name or help.
struct PaletteBox: Box {
  /// A command with the letters of its help that were found, in characters.
  struct Row: Sendable {
    var binding: Binding
    var places: [Int] = []
    /// The screen on which it works, where that is another than the one that is shown.
    var elsewhere: Tab?
  }

  private var search = TextEditor("", singleLine: true)
  private(set) var selected = 0

  var place: BoxPlace { .popup }
  var takesText: Bool { true }

  func hints(_ context: ConsoleContext) -> [FooterHint] {
    [FooterHint("type", "to find"), FooterHint("enter", "run"), FooterHint("esc", "close")]
  }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch event {
    case .input(.key(let key)): handle(key, context, &out)
    case .input(.paste(let text)):
      search.insert(text)
      selected = 0
    case .input(.mouse(let event)):
      switch event.kind {
      case .press(.left): press(event.position, context, &out)
      case .wheelDown: handle(.down, context, &out)
      case .wheelUp: handle(.up, context, &out)
      default: break
      }
    default: break
    }
  }

  private mutating func handle(_ key: Key, _ context: ConsoleContext, _ out: inout Outcomes) {
    let count = matches(context).count
    switch key {
    case .escape, .control("c"): out.close()
    case .enter: runSelected(context, &out)
    case .down, .control("n"): selected = min(max(0, count - 1), selected + 1)
    case .up, .control("p"): selected = max(0, selected - 1)
    default: if search.handle(key) { selected = 0 }
    }
  }

  /// Runs the selected command, on its own screen.
  private func runSelected(_ context: ConsoleContext, _ out: inout Outcomes) {
    out.close()
    let found = matches(context)
    guard found.indices.contains(selected) else { return }
    if let place = found[selected].elsewhere { out.add(.show(place)) }
    out.add(.run(found[selected].binding.command))
  }

  /// A click on a command runs it, one beside the palette closes it.
  private mutating func press(_ point: Point, _ context: ConsoleContext, _ out: inout Outcomes) {
    let area = area(context)
    guard area.contains(point) else { return out.close() }
    // Below the frame stand the line in which one types and an empty one.
    let list = area.inset(horizontal: 1, vertical: 1).splitTop(2).rest
    let count = matches(context).count
    let place = top(of: count, rows: max(1, list.height)) + point.y - list.y
    guard list.contains(point), place < count else { return }
    selected = place
    runSelected(context, &out)
  }

  // MARK: What fits

  /// What can be done here, then what can be done on the other screens.
  static func rows(_ context: ConsoleContext) -> [Row] {
    var seen: Set<String> = [GlobalCommand.palette.rawValue]
    let here = context.keys.active(in: context.keyContexts).filter { seen.insert($0.command.name).inserted }
    let others: [(KeyContext, Tab)] = [
      (.requests, .requests), (.stubs, .stubs), (.traffic, .traffic), (.processes, .processes), (.output, .output),
    ]
    let elsewhere = others.flatMap { place, tab in
      context.keys.bindings.filter { $0.context == place && seen.insert($0.command.name).inserted }
        .map { Row(binding: $0, elsewhere: tab) }
    }
    return here.map { Row(binding: $0) } + elsewhere
  }

  /// The commands, the best fitting first; those that fit only by letters far apart go where others fit better.
  private func matches(_ context: ConsoleContext) -> [Row] {
    let rows = Self.rows(context)
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
    let best = help.map { help in name.map { help.score >= $0.score ? help : $0 } ?? help } ?? name
    guard best?.isClose != true || best?.score ?? 0 < 900, CommandWords.fit(wanted, binding.command) else {
      return best
    }
    return Fuzzy.Match(score: 900, places: [], isClose: true)
  }

  // MARK: Drawing

  private func area(_ context: ConsoleContext) -> Rect {
    let size = context.size
    var area = context.popupArea(
      width: max(min(80, size.width - 4), size.width / 2), height: min(size.height - 4, max(22, size.height * 3 / 5)))
    // Where few fit it ends below them; it does not move while one types.
    area.size.height = min(area.height, max(6, matches(context).count + 4))
    return area
  }

  /// The first command that is shown in so many rows.
  private func top(of count: Int, rows: Int) -> Int { max(0, min(count - rows, selected - rows / 2)) }

  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    let theme = context.theme
    grid.drawFrame(self.area(context), title: "Commands", theme) { grid in
      let found = matches(context)
      let rows = max(1, grid.height - 2)
      let top = top(of: found.count, rows: rows)
      let x = 1 + grid.put(": ", at: Point(x: 1, y: 0), style: theme[.key, on: .popup].bold)
      grid.drawSearch(search, hint: "some letters of what you want to do", from: x, theme)
      for (row, item) in found.dropFirst(top).prefix(rows).enumerated() {
        draw(item, isSelected: top + row == selected, at: row + 2, theme, &grid)
      }
      if found.isEmpty { grid.put("No command matches.", at: Point(x: 1, y: 2), style: theme[.dim, on: .popup]) }
      grid.within(Rect(x: 0, y: 2, width: grid.width, height: rows)) {
        $0.drawScrollbar(theme, top: top, count: found.count, on: .popup)
      }
    }
  }

  private func draw(_ row: Row, isSelected: Bool, at y: Int, _ theme: Theme, _ grid: inout Grid) {
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
}

/// Fuzzy matching: all letters in order; a whole run of them, and beginnings of words, count more.
enum Fuzzy {
  struct Match: Equatable {
    var score: Int
    /// Places of the letters that were found, in characters, rising.
    var places: [Int]
    /// Each letter begins a word, or stands in the same word as the one before it.
    var isClose: Bool
  }

  static func match(_ wanted: String, in text: String) -> Match? {
    let letters = Array(wanted.lowercased()).filter { $0 != " " && $0 != "-" }
    let candidates = Array(text.lowercased())
    if let start = beginning(of: Array(wanted.lowercased()), in: candidates) {
      let startsWord = start == 0 || candidates[start - 1] == " "
      let places = Array(start..<(start + wanted.count))
      return Match(score: 1_000 + (startsWord ? 100 : 0) - start, places: places, isClose: true)
    }
    var found = Match(score: 0, places: [], isClose: true)
    var place = 0
    var run = 0
    for letter in letters {
      var next = place
      while next < candidates.count, candidates[next] != letter { next += 1 }
      guard next < candidates.count else { return nil }
      let startsWord = next == 0 || candidates[next - 1] == " "
      run = next == place && place > 0 ? run + 1 : 0
      if run == 0, !startsWord, place == 0 || candidates[place..<next].contains(" ") { found.isClose = false }
      found.score += 1 + run * 4 + (startsWord ? 6 : 0) - min(3, next - place)
      found.places.append(next)
      place = next + 1
    }
    found.score -= candidates.count / 40
    return found
  }

  /// Where the letters stand together, at the beginning of a word if there is such a place.
  private static func beginning(of letters: [Character], in text: [Character]) -> Int? {
    guard !letters.isEmpty, letters.count <= text.count else { return nil }
    let starts = (0...(text.count - letters.count)).filter { text[$0..<($0 + letters.count)].elementsEqual(letters) }
    return starts.first { $0 == 0 || text[$0 - 1] == " " } ?? starts.first
  }
}
