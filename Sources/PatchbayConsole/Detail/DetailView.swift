import PatchbayGrid
import PatchbayStubs

extension ConsoleState {
  /// The tabs of the detail with their places in its head.
  func detailTabPlaces(_ layout: Layout) -> [(tab: DetailTab, x: Int, label: String)] {
    var x = layout.detailHead.x + 2
    return DetailTab.allCases.map { tab in
      let label = " \(tab.title) "
      defer { x += textWidth(label) + 1 }
      return (tab, x, label)
    }
  }

  func drawDetail(_ grid: inout Grid, _ layout: Layout) {
    if layout.isBeside {
      grid.verticalRule(at: layout.divider.origin, height: layout.divider.height, style: theme[.line])
    }
    drawDetailHead(&grid, layout)
    grid.within(layout.detail) { grid in
      guard detail.exchange != nil else {
        grid.put(
          detail.isGone ? "It is no longer in the history." : detail.id == nil ? "Nothing is selected." : "…",
          at: Point(x: 1, y: 0), style: theme[.dim])
        return
      }
      drawPage(detail.page, &grid)
    }
    if let path = detail.hasKeys ? detail.page.path : nil, layout.detail.height > 4 {
      drawPath(path, &grid, layout.detail)
    }
  }

  private func drawDetailHead(_ grid: inout Grid, _ layout: Layout) {
    let head = layout.detailHead
    grid.rule(at: head.origin, width: head.width, style: theme[.line])
    var end = head.x
    for place in detailTabPlaces(layout) {
      let isShown = place.tab == detail.tab
      let style = theme[isShown ? (detail.hasKeys ? .tabActive : .selectionIdle) : .dim]
      end = place.x + grid.put(place.label, at: Point(x: place.x, y: head.y), style: isShown ? style.bold : style)
    }
    let summary = detailSummary
    let width = textWidth(summary.text)
    guard width > 0, width + 4 < head.maxX - end else { return }
    grid.put(" \(summary.text) ", at: Point(x: head.maxX - width - 4, y: head.y), style: theme[summary.role])
  }

  /// At the right of the tabs: status, kind, size; or where a search is.
  private var detailSummary: (text: String, role: ThemeRole) {
    let page = detail.page
    if !page.search.text.isEmpty { return ("“\(shown(page.search.text))” \(page.search.note)", .match) }
    guard let exchange = detail.exchange else { return ("", .dim) }
    switch detail.tab {
    case .response:
      let look = OutcomeLook(exchange.summary)
      guard let response = exchange.response else { return ("\(look.sign) \(look.text)", look.role) }
      let name = HTTPStatus.phrase(response.status)
      let size = RecordedPart(response.body, isCut: response.truncated, of: exchange.bytesReceived).size
      let kind = page.body.map { "\($0.label) · " } ?? ""
      return (
        "\(response.status)\(name.isEmpty ? "" : " \(name)") · \(kind)\(size)",
        OutcomeLook(status: response.status).role
      )
    case .request:
      guard let body = exchange.request.body else { return (shown(exchange.request.method), .dim) }
      let size = RecordedPart(body, isCut: exchange.request.truncated, of: exchange.bytesSent).size
      return ("\(page.body.map { "\($0.label) · " } ?? "")\(size)", .dim)
    case .timing: return (exchange.timing.end.map(Wording.duration) ?? "", .dim)
    case .why: return ("revision \(exchange.revision)", .dim)
    }
  }

  private func drawPage(_ page: DetailPage, _ grid: inout Grid) {
    let room = detailGeometry
    let gutter = view.lineNumbers ? 7 : 0
    var y = -page.topRow
    var number = page.top
    while y < grid.height, number < page.count {
      let line = page.line(number)
      let isCursor = detail.hasKeys && number == page.cursor
      let rows =
        room.wraps ? LineWrap.split(line.pieces, room: max(1, room.width - line.indent(in: room.width))) : [line.pieces]
      let ground: ThemeRole = isCursor ? .selectionIdle : .text
      for (place, pieces) in rows.enumerated() {
        defer { y += 1 }
        guard y >= 0, y < grid.height else { continue }
        if isCursor { grid.fill(Rect(x: 0, y: y, width: grid.width, height: 1), style: theme[ground]) }
        if gutter > 0, place == 0, let shown = page.lineNumber(number) {
          grid.put(
            String(shown), at: Point(x: 0, y: y), alignedRightIn: gutter - 1, style: theme[.lineNumber, on: ground])
        }
        let search = page.search.text
        let role: ThemeRole = number == page.cursor && page.search.current != nil ? .matchCurrent : .match
        draw(pieces, at: Point(x: 1 + gutter + line.indent(in: room.width), y: y), ground, search, role, &grid)
      }
      number += 1
    }
    let place = scrollPlace(of: page)
    drawScrollbar(&grid, top: place.top, count: place.count)
  }

  /// In lines; of a page of few lines in rows, for they may be long ones.
  private func scrollPlace(of page: DetailPage) -> (top: Int, count: Int) {
    let room = detailGeometry
    guard room.wraps, page.count <= room.height else { return (page.top, page.count) }
    let rows = (0..<page.count).map { page.rows(of: $0, in: room) }
    return (rows.prefix(page.top).reduce(page.topRow, +), rows.reduce(0, +))
  }

  private func draw(
    _ pieces: [PageLine.Piece], at point: Point, _ ground: ThemeRole, _ search: String, _ found: ThemeRole,
    _ grid: inout Grid
  ) {
    let spans = pieces.map { Span($0.text, theme[$0.role, on: ground]) }
    grid.put(spans: spans, at: point, maxWidth: grid.width - point.x - 1)
    guard !search.isEmpty else { return }
    let text = pieces.map(\.text).joined()
    for range in TextNeedle(search).ranges(in: text, parts: true) {
      let start = textWidth(text[..<text.index(atUTF8: range.lowerBound)])
      let width = textWidth(text[text.index(atUTF8: range.lowerBound)..<text.index(atUTF8: range.upperBound)])
      let style = theme[found]
      grid.restyle(Rect(x: point.x + start, y: point.y, width: width, height: 1)) { _ in style }
    }
  }

  private func drawPath(_ path: String, _ grid: inout Grid, _ area: Rect) {
    let text = " \(shown(path)) "
    let width = min(textWidth(text), area.width - 2)
    grid.put(
      text, at: Point(x: area.maxX - width - 1, y: area.maxY - 1), style: theme[.footerKey], maxWidth: width)
  }
}

extension PageLine {
  /// Columns that the line is indented by at a width.
  func indent(in width: Int) -> Int { min(depth * 2, max(0, width - 8)) }
}
