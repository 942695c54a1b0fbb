import PatchbayGrid
import PatchbayInspect
import PatchbayWire

extension ConsoleState {
  func drawRequests(_ grid: inout Grid) {
    let layout = layout
    drawFilterBar(&grid, layout.bar)
    let columns = columnLayout
    if requests.bar.isOpen, requests.bar.problem != nil || requests.bar.completion != nil || !filterOffers.isEmpty {
      drawFilterHelp(&grid, layout.columns)
    } else {
      grid.within(layout.columns) { drawColumnHeads(&$0, columns) }
    }
    if requests.order.isEmpty {
      grid.within(layout.rows) { drawNoRequests(&$0) }
    } else {
      grid.within(layout.rows) { drawRows(&$0, columns) }
    }
    if detail.isOpen { drawDetail(&grid, layout) }
  }

  private func drawColumnHeads(_ grid: inout Grid, _ columns: ColumnLayout) {
    for place in columns.places {
      let sort = requests.query.sort
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

  private func drawRows(_ grid: inout Grid, _ columns: ColumnLayout) {
    let top = requests.scroll.top
    let seen = (0..<grid.height).compactMap { row -> (Int, ExchangeSummary?)? in
      let place = top + row
      return place < requests.order.count ? (row, requests.cache[requests.order[place]]) : nil
    }
    let signs = ActiveSigns(stubs)
    let scale = TimelineScale(seen.compactMap(\.1), now: now)
    for (row, summary) in seen {
      let isSelected = top + row == requests.scroll.selected
      let ground: ThemeRole = isSelected ? (detail.hasKeys ? .selectionIdle : .selection) : .text
      if isSelected { grid.fill(Rect(x: 0, y: row, width: grid.width, height: 1), style: theme[ground]) }
      let id = requests.order[top + row]
      if isMarked(id) { grid.put("*", at: Point(x: 0, y: row), style: theme[.mark, on: ground]) }
      if isSelected { grid.put("▸", at: Point(x: 1, y: row), style: theme[.mark, on: ground]) }
      if let sign = summary.flatMap(signs.sign) {
        grid.put(sign.sign, at: Point(x: 2, y: row), style: theme[sign.role, on: ground])
      }
      guard let summary else {
        grid.put("…", at: Point(x: ColumnLayout.gutter, y: row), style: theme[.dim, on: ground])
        continue
      }
      for place in columns.places { draw(place, summary, row, ground, scale, &grid) }
    }
    drawScrollbar(&grid, top: top, count: requests.order.count)
  }

  private func draw(
    _ place: ColumnLayout.Place, _ summary: ExchangeSummary, _ row: Int, _ ground: ThemeRole, _ scale: TimelineScale,
    _ grid: inout Grid
  ) {
    let at = Point(x: place.x, y: row)
    if place.column == .timeline { return drawBar(summary, scale, at, place.width, ground, &grid) }
    let cell = RequestCell(place.column, of: summary, width: place.width, now: now, utcOffset: setup.utcOffset)
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
    _ grid: inout Grid
  ) {
    let end = summary.end(now: now) - summary.startedAt.microseconds
    let from = scale.column(summary.startedAt.microseconds, width)
    let to = max(from + 1, scale.column(summary.startedAt.microseconds + end, width))
    let head = summary.head.map { scale.column(summary.startedAt.microseconds + $0, width) } ?? to
    for x in from..<min(to, width) {
      let role: ThemeRole = summary.isHeld ? .barHeld : x < head ? .barWait : .barBody
      grid.put("━", at: at.moved(x: x), style: theme[role, on: ground])
    }
  }
}

/// From which moment to which the waterfall of the rows in sight reaches.
struct TimelineScale {
  private var start: Int64
  private var span: Int64

  init(_ summaries: [ExchangeSummary], now: Timestamp) {
    let first = summaries.map(\.startedAt.microseconds).min() ?? 0
    let last =
      summaries.map { $0.end(now: now) }.max() ?? 1
    start = first
    span = max(1, last - first)
  }

  func column(_ moment: Int64, _ width: Int) -> Int {
    max(0, min(width - 1, Int(Double(moment - start) / Double(span) * Double(width))))
  }
}

extension ExchangeSummary {
  /// When it ended, or until when it has lasted; one that is only observed is known of at its start alone.
  fileprivate func end(now: Timestamp) -> Int64 {
    let start = startedAt.microseconds
    return duration.map { start + $0 } ?? (isObserved ? start : max(start, now.microseconds))
  }
}
