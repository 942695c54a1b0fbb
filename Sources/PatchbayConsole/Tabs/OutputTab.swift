import PatchbayGrid

/// What the command printed, bounded.
struct OutputTab: Sendable {
  static let limit = 10_000

  private(set) var lines: [OutputLine] = []
  /// How many older lines were let go.
  private var dropped = 0
  /// A sentence, when the command has ended.
  private(set) var ended: String?
  private(set) var follows = true
  /// The line that stands at the foot of the screen.
  private(set) var selected = 0
  private(set) var search = ""

  // MARK: What it is told

  /// - Parameter skipped: how many lines before them came too fast to be kept.
  mutating func add(_ more: [OutputLine], skipped: Int = 0) {
    if lines.last?.isOpen == true { lines.removeLast() }
    if skipped > 0 {
      dropped += lines.count + skipped
      lines = []
      selected = 0
    }
    lines += more
    let excess = lines.count - OutputTab.limit
    if excess > OutputTab.limit / 10 {
      lines.removeFirst(excess)
      dropped += excess
      selected = max(0, selected - excess)
    }
    if follows { selected = max(0, lines.count - 1) }
  }

  mutating func commandEnded(_ sentence: String) { ended = sentence }

  mutating func run(_ command: OutputCommand, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch command {
    case .sendInput:
      guard context.setup.hasCommandInput, ended == nil else {
        return out.say(.info, "There is no command that reads input.")
      }
      out.ask(.commandInput)
    case .search: out.ask(.searchOutput, proposing: search)
    case .nextMatch: find(search, step: 1, &out)
    case .previousMatch: find(search, step: -1, &out)
    case .follow:
      follows.toggle()
      if follows { selected = lines.count - 1 }
    case .wrap:
      var view = context.view
      view.wrap.toggle()
      out.add(.view(view))
    }
  }

  mutating func move(by step: Int) {
    selected = max(0, min(lines.count - 1, selected + step))
    follows = selected >= lines.count - 1
  }

  func isPossible(_ command: OutputCommand) -> Bool { command != .sendInput || ended == nil }

  mutating func pointer(_ pointer: Pointer) { if case .wheel(let step, _) = pointer { move(by: step) } }

  /// What is typed as the text to look for; the last place from the selected line on, when it is done.
  mutating func searched(_ text: String, isFinal: Bool, _ out: inout Outcomes) {
    search = text
    if isFinal { find(text, step: -1, from: selected + 1, &out) }
  }

  /// Goes to the next line with a text from a line on, by default from the selected one.
  private mutating func find(_ text: String, step: Int, from line: Int? = nil, _ out: inout Outcomes) {
    search = text
    guard !text.isEmpty else { return }
    guard let place = place(of: text, from: line ?? selected, step: step) else {
      return out.say(.info, "“\(text)” is not in the output.")
    }
    follows = false
    selected = place
  }

  /// The next line with the searched text, from a line on.
  private func place(of text: String, from line: Int, step: Int) -> Int? {
    guard !lines.isEmpty else { return nil }
    let needle = TextNeedle(text)
    for offset in 1...lines.count {
      let place = ((line + step * offset) % lines.count + lines.count) % lines.count
      if !needle.ranges(in: ANSIText.plain(lines[place].text), parts: true).isEmpty { return place }
    }
    return nil
  }
}

// MARK: Drawing

extension OutputTab {
  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    let layout = Layout(in: area)
    var right = Wording.count(lines.count + dropped, "line")
    if dropped > 0 { right += ", the first \(Wording.count(dropped)) let go" }
    if follows { right += " · following" }
    let ended = ended.map { "  \($0)" } ?? ""
    var left: [PageLine.Piece]
    switch context.setup.mode {
    case .run(let command):
      let room = area.width - textWidth(right) - textWidth(ended) - 4
      left = [.init(truncated(shown(command), toWidth: max(8, room)), .text)]
    case .demo: left = [.init("The demo's program", .text)]
    case .listen, .attach, .open: left = [.init("Only a command started with patchbay run has output here.", .dim)]
    }
    if !ended.isEmpty { left += [.init(ended, .warning)] }
    grid.drawBreadcrumb(left, right, isCut: true, in: layout.bar, context)
    guard !lines.isEmpty else {
      return grid.within(layout.rows) { $0.drawNotice(noOutputLines(context.setup), context.theme) }
    }
    let text = Rect(
      x: layout.columns.x, y: layout.columns.y, width: layout.columns.width, height: layout.rows.height + 1)
    grid.within(text) { drawLines(&$0, context) }
  }

  private func noOutputLines(_ setup: ConsoleSetup) -> [PageLine] {
    switch setup.mode {
    case .run, .demo: return [PageLine("Nothing was printed yet.", .text)]
    case .attach, .listen, .open: break
    }
    return [
      PageLine("Programs that were not started here print in their own terminal.", .text), PageLine([]),
      PageLine([.init("patchbay run -- COMMAND", .string), .init(" shows here what the command prints", .dim)]),
    ]
  }

  private func drawLines(_ grid: inout Grid, _ context: ConsoleContext) {
    func height(of number: Int) -> Int {
      guard context.view.wrap else { return 1 }
      return wrapped(shownText(lines[number]), toWidth: max(10, grid.width - 11), byWords: false).count
    }
    var top = max(0, min(selected, lines.count - 1))
    var rows = height(of: top)
    while top > 0, rows + height(of: top - 1) <= grid.height {
      top -= 1
      rows += height(of: top)
    }
    var y = 0
    var number = top
    while y < grid.height, number < lines.count {
      y += drawLine(number, at: y, &grid, context)
      number += 1
    }
    grid.drawScrollbar(context.theme, top: top, count: lines.count)
  }

  /// What stands there of a line: before what the person has typed is a sign.
  private func shownText(_ line: OutputLine) -> String {
    (line.stream == .input ? "› " : "") + ANSIText.plain(line.text)
  }

  private func drawLine(_ number: Int, at y: Int, _ grid: inout Grid, _ context: ConsoleContext) -> Int {
    let theme = context.theme
    let line = lines[number]
    let isSelected = number == selected && !follows
    let ground: ThemeRole = isSelected ? .selectionIdle : .text
    let printed = ANSIText(line.text)
    let room = max(10, grid.width - 11)
    let text = shownText(line)
    let rows = context.view.wrap ? wrapped(text, toWidth: room, byWords: false) : [text]
    let role: ThemeRole = line.stream == .error ? .warning : line.stream == .input ? .key : .text
    var start = 0
    for (row, part) in rows.enumerated() {
      if isSelected { grid.fill(Rect(x: 0, y: y + row, width: grid.width, height: 1), style: theme[ground]) }
      if row == 0 {
        grid.put(
          Wording.time(line.at, utcOffset: context.setup.utcOffset, fraction: false), at: Point(x: 1, y: y),
          style: theme[.dim, on: ground])
      }
      let at = Point(x: 10, y: y + row)
      grid.put(part, at: at, style: theme[role, on: ground], maxWidth: room)
      if line.stream != .input { paint(printed.runs, on: part, from: start, at: at, room, theme.depth, &grid) }
      highlight(part, at: at, theme[.match], &grid)
      start += part.utf8.count
    }
    return rows.count
  }

  /// The program's own colours on a row that begins with that byte of its line.
  private func paint(
    _ runs: [ANSIText.Run], on part: String, from start: Int, at point: Point, _ room: Int, _ depth: ColorDepth,
    _ grid: inout Grid
  ) {
    for run in runs {
      let range = run.range.clamped(to: start..<start + part.utf8.count)
      guard !range.isEmpty else { continue }
      let first = part.index(atUTF8: range.lowerBound - start)
      let before = min(room, textWidth(part[..<first]))
      let width = min(room - before, textWidth(part[first..<part.index(atUTF8: range.upperBound - start)]))
      grid.restyle(Rect(x: point.x + before, y: point.y, width: width, height: 1)) { run.look.over($0, depth: depth) }
    }
  }

  private func highlight(_ text: String, at point: Point, _ style: Style, _ grid: inout Grid) {
    guard !search.isEmpty else { return }
    for range in TextNeedle(search).ranges(in: text, parts: true) {
      let start = textWidth(text[..<text.index(atUTF8: range.lowerBound)])
      let width = textWidth(text[text.index(atUTF8: range.lowerBound)..<text.index(atUTF8: range.upperBound)])
      grid.restyle(Rect(x: point.x + start, y: point.y, width: width, height: 1)) { _ in style }
    }
  }
}
