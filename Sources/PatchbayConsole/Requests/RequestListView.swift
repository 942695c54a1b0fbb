import PatchbayGrid
import PatchbayInspect
import PatchbayWire

extension RequestsTab {
  /// When something that is shown changes by itself, in microseconds.
  func nextTick(in area: Rect, _ context: ConsoleContext) -> Int64? {
    let now = context.now.microseconds
    var moments = [list.nextTick(at: context.now), detail.hasMore ? now : nil]
    if let started = newestOpenStart(in: area, context) {
      let step: Int64 = now - started < 10_000_000 ? 100_000 : 1_000_000
      moments.append((now / step + 1) * step)
    }
    return moments.compactMap { $0 }.min()
  }

  /// The start of the newest exchange in sight that has not ended.
  private func newestOpenStart(in area: Rect, _ context: ConsoleContext) -> Int64? {
    visibleIDs(in: area, context).compactMap { list.cache[$0] }.filter { $0.phase != .ended }
      .map(\.startedAt.microseconds).max()
  }

  func visibleIDs(in area: Rect, _ context: ConsoleContext) -> [Int64] {
    list.visibleIDs(height: layout(in: area, context).rows.height)
  }

  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    let layout = layout(in: area, context)
    let theme = context.theme
    bar.draw(on: &grid, in: layout.bar, theme) { status(room: $0, context) }
    let columns = columns(layout, context)
    let seen = visibleIDs(in: area, context).compactMap { list.cache[$0] }
    let isHelped = bar.drawHelp(
      on: &grid, in: layout.columns, theme, status: { status(room: $0, context) },
      values: { Self.values($0, seen, context) })
    if !isHelped {
      grid.within(layout.columns) { drawColumnHeads(&$0, columns, theme) }
    }
    grid.within(layout.rows) { grid in
      if list.order.isEmpty {
        grid.drawNotice(emptyLines(context), theme)
      } else {
        drawRows(&grid, columns, context)
      }
    }
    if detail.isOpen { detail.draw(on: &grid, in: layout, context) }
  }

  /// What to do where there are no requests to show.
  private func emptyLines(_ context: ConsoleContext) -> [PageLine] {
    if list.isSearching {
      // What is found at once is not announced.
      guard list.isSearchingLong(at: context.now) else { return [] }
      return [PageLine(bar.applied.isEmpty ? "Reading…" : "Searching…", .waiting)]
    }
    if bar.applied == Filter.lastRun, context.setup.openedFile == nil {
      return nothingYet(context) + [PageLine([]), .hint("esc", "shows earlier runs")]
    }
    if !bar.applied.isEmpty {
      return [
        PageLine("No request fits the filter.", .text), PageLine([]),
        .hint("esc", "clears it"), .hint("/", "changes it"),
      ] + (bar.applied.contains("is:failed") ? [PageLine([]), .hint("is:bad", "has 4xx and 5xx, too")] : [])
    }
    if list.query.after > 0 {
      return [PageLine("The list is cleared.", .text), PageLine([]), .hint("u", "brings it back")]
    }
    return nothingYet(context)
  }

  /// Where no filter hides anything.
  private func nothingYet(_ context: ConsoleContext) -> [PageLine] {
    if recorded.hasNew, !list.isPaused { return EmptyRequests.deletedLines }
    let isLinked = context.links.contains { $0.ended == nil }
    return isLinked ? EmptyRequests.linkedLines : EmptyRequests.attachLines(context.setup)
  }

  /// What is said of the list at its right: how many, and what moves it. Where not all fits, whole parts are left out.
  private func status(room: Int, _ context: ConsoleContext) -> [PageLine.Piece] {
    var parts = statusParts(context)
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
  private func statusParts(_ context: ConsoleContext) -> [(piece: PageLine.Piece, rank: Int)] {
    var parts: [(piece: PageLine.Piece, rank: Int)] = []
    func add(_ text: String, _ role: ThemeRole, _ rank: Int) { parts.append((.init(text, role), rank)) }
    if let work = context.work { add(work, .waiting, 1) }
    let count = list.order.count
    if !bar.applied.isEmpty || list.query.after > 0 {
      add("\(Wording.count(count)) of \(Wording.count(recorded.count))", .dim, 5)
    }
    if list.isSearching { add("searching…", .waiting, 4) }
    let sort = list.query.sort
    if !sort.isArrival {
      let text = sort.column == .number ? "newest first" : "by \(sort.column.title) \(sort.descending ? "↓" : "↑")"
      add(list.isStale ? "\(text), new ones come" : text, .columnSorted, 2)
    }
    if let paused = list.paused {
      add(paused.isEmpty ? "paused" : "paused, \(Wording.count(paused.count)) new", .warning, 0)
    } else if sort.isArrival, count > 0 {
      let newer = count - 1 - list.scroll.selected
      if context.setup.openedFile != nil || newer <= 0 && !list.follows {
        add("\(Wording.count(list.scroll.selected + 1))/\(Wording.count(count))", .dim, 6)
      } else if list.follows {
        add("following", .good, 3)
      } else {
        let ends = context.keys.bindings.first { $0.command == .move(.last) && !$0.keys.isEmpty }?.keyLabel
        add("\(Wording.count(newer)) newer" + (ends.map { " · \($0) follows" } ?? ""), .warning, 3)
      }
    }
    if !list.marks.isEmpty { add("\(Wording.count(list.marks.count)) marked", .mark, 4) }
    return parts
  }

  /// What is known of the values of a filter key, from what is on screen.
  static func values(_ key: FilterKey, _ seen: [ExchangeSummary], _ context: ConsoleContext) -> [String] {
    switch key {
    case .stub: context.stubs.board.entries.map(\.stub.name)
    case .process: context.links.map(\.process.name)
    case .host: seen.map(\.host)
    case .path: seen.compactMap { $0.path.split(separator: "?").first.map(String.init) }
    default: []
    }
  }

  private func drawColumnHeads(_ grid: inout Grid, _ columns: ColumnLayout, _ theme: Theme) {
    for place in columns.places {
      let sort = list.query.sort
      let isSorted = sort.column == place.column && !sort.isArrival
      let title = ColumnHead.text(
        place.column.title, isSorted: isSorted, descending: sort.descending, width: place.width)
      let style = theme[isSorted ? .columnSorted : .columnHead]
      if place.column.alignsRight {
        grid.put(title, at: Point(x: place.x, y: 0), alignedRightIn: place.width, style: style)
      } else {
        grid.put(title, at: Point(x: place.x, y: 0), style: style, maxWidth: place.width)
      }
    }
  }

  private func drawRows(_ grid: inout Grid, _ columns: ColumnLayout, _ context: ConsoleContext) {
    let theme = context.theme
    let top = list.scroll.top
    let lines = list.lines(height: grid.height)
    let seen = lines.enumerated().compactMap { row, line -> (row: Int, place: Int, summary: ExchangeSummary?)? in
      guard case .request(let place) = line else { return nil }
      return (row, place, list.cache[list.order[place]])
    }
    let signs = ActiveSigns(context.stubs)
    let scale = TimelineScale(ofOneRun: seen.compactMap(\.summary), now: context.now)
    for (row, line) in lines.enumerated() {
      if case .run(let run) = line { draw(run, row, context, &grid) }
    }
    for (row, place, summary) in seen {
      let isSelected = place == list.scroll.selected
      let ground: ThemeRole = isSelected ? (detail.hasKeys ? .selectionIdle : .selection) : .text
      if isSelected { grid.fill(Rect(x: 0, y: row, width: grid.width, height: 1), style: theme[ground]) }
      let id = list.order[place]
      if list.isMarked(id) { grid.put("*", at: Point(x: 0, y: row), style: theme[.mark, on: ground]) }
      if isSelected { grid.put("▸", at: Point(x: 1, y: row), style: theme[.mark, on: ground]) }
      if let sign = summary.flatMap(signs.sign) {
        grid.put(sign.sign, at: Point(x: 2, y: row), style: theme[sign.role, on: ground])
      }
      guard let summary else {
        grid.put("…", at: Point(x: ColumnLayout.gutter, y: row), style: theme[.dim, on: ground])
        continue
      }
      if !summary.tags.isEmpty || summary.note != nil {
        grid.put("✎", at: Point(x: 3, y: row), style: theme[.mark, on: ground])
      }
      for place in columns.places { draw(place, summary, row, ground, scale, context, &grid) }
    }
    grid.drawScrollbar(theme, top: top, count: list.order.count)
  }

  /// The head of a run, a rule with its name in it.
  private func draw(_ run: RunRow, _ row: Int, _ context: ConsoleContext, _ grid: inout Grid) {
    let title = run.title(now: context.now, utcOffset: context.setup.utcOffset)
    let text = truncated("── \(title) ", toWidth: grid.width - 1)
    let rule = String(repeating: "─", count: max(0, grid.width - 1 - textWidth(text)))
    grid.put(text + rule, at: Point(x: 0, y: row), style: context.theme[.line])
  }

  private func draw(
    _ place: ColumnLayout.Place, _ summary: ExchangeSummary, _ row: Int, _ ground: ThemeRole, _ scale: TimelineScale,
    _ context: ConsoleContext, _ grid: inout Grid
  ) {
    let theme = context.theme
    let at = Point(x: place.x, y: row)
    if place.column == .timeline { return drawBar(summary, scale, at, place.width, ground, context, &grid) }
    let cell = RequestCell(
      place.column, of: summary, width: place.width, now: context.now, utcOffset: context.setup.utcOffset)
    let isOver = summary.outcome == .cancelled || summary.outcome == .abandoned
    let role = isOver && cell.role == .text ? .cancelled : cell.role
    if place.column.alignsRight {
      grid.put(cell.text, at: at, alignedRightIn: place.width, style: theme[role, on: ground])
    } else {
      grid.put(cell.text, at: at, style: theme[role, on: ground], maxWidth: place.width)
    }
  }

  private func drawBar(
    _ summary: ExchangeSummary, _ scale: TimelineScale, _ at: Point, _ width: Int, _ ground: ThemeRole,
    _ context: ConsoleContext, _ grid: inout Grid
  ) {
    let theme = context.theme
    let from = scale.column(summary.startedAt.microseconds, width)
    let to = max(from + 1, scale.column(summary.end(now: context.now), width))
    let head = summary.head.map { scale.column(summary.startedAt.microseconds + $0, width) } ?? to
    for x in from..<to {
      let role: ThemeRole = summary.isHeld ? .barHeld : x < head ? .barWait : .barBody
      grid.put("━", at: at.moved(x: x), style: theme[role, on: ground])
    }
  }
}

/// From which moment to which the waterfall of the rows in sight reaches.
struct TimelineScale {
  private var start: Int64
  private var span: Int64

  /// The rows of the newest run in sight; from one run to the next may be days.
  init(ofOneRun summaries: [ExchangeSummary], now: Timestamp) {
    let run = summaries.last?.run
    self.init(summaries.filter { $0.run == run }, now: now)
  }

  init(_ summaries: [ExchangeSummary], now: Timestamp) {
    let first = summaries.map(\.startedAt.microseconds).min() ?? 0
    let last =
      summaries.map { $0.end(now: now) }.max() ?? 1
    start = first
    span = max(1, last - first)
  }

  func column(_ moment: Int64, _ width: Int) -> Int {
    let share = min(max(Double(moment - start) / Double(span), 0), 1)
    return min(width - 1, Int(share * Double(width)))
  }
}

extension ExchangeSummary {
  /// When it ended, or until when it has lasted; one that is only observed is known of at its start alone.
  fileprivate func end(now: Timestamp) -> Int64 {
    let start = startedAt.microseconds
    return duration.map { start + $0 } ?? (isObserved ? start : max(start, now.microseconds))
  }
}
