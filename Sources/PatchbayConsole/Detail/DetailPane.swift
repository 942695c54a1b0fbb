import Foundation
import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// The opened request: four tabs of lines, below each of the first two a body.
struct DetailPane: Sendable {
  private(set) var isOpen = false
  /// It has the keys, not the list.
  private var hasFocus = false
  private(set) var tab = DetailTab.response
  /// Which exchange is shown; the runtime was asked for it.
  private(set) var id: Int64?
  private(set) var exchange: Exchange?
  /// It is no longer recorded.
  private var isGone = false
  private var raw = false
  private var response = DetailPage()
  private var request = DetailPage()
  private var timing = DetailPage()
  private var why = DetailPage()
  /// The same request before and after, itself included, oldest first; nil until it was asked for.
  private var retries: [ExchangeSummary]?
  private var asksForRetries = true
  private var shownBody: [DetailTab: Data] = [:]

  var hasKeys: Bool { isOpen && hasFocus }

  private(set) var page: DetailPage {
    get {
      switch tab {
      case .response: response
      case .request: request
      case .timing: timing
      case .why: why
      }
    }
    _modify {
      switch tab {
      case .response: yield &response
      case .request: yield &request
      case .timing: yield &timing
      case .why: yield &why
      }
    }
  }

  // MARK: Opening

  /// Opens it; where it is open already, it gets the keys.
  mutating func open() {
    if isOpen { hasFocus = true }
    isOpen = true
  }

  mutating func close() {
    isOpen = false
    hasFocus = false
  }

  mutating func switchFocus() { hasFocus.toggle() }
  mutating func giveUpFocus() { hasFocus = false }

  /// Takes the search away, where it has the keys and there is one.
  mutating func endSearch() -> Bool {
    guard hasKeys, !page.search.text.isEmpty else { return false }
    page.search = PageSearch()
    return true
  }

  mutating func showTab(by step: Int) {
    guard isOpen else {
      isOpen = true
      return
    }
    let tabs = DetailTab.allCases
    tab = tabs[(tab.rawValue + step + tabs.count) % tabs.count]
  }

  // MARK: What it shows

  /// Another exchange is to be shown, or none.
  mutating func show(_ id: Int64?) {
    self.id = id
    exchange = nil
    isGone = false
    retries = nil
    asksForRetries = true
    shownBody = [:]
    response = DetailPage()
    request = DetailPage()
    timing = DetailPage()
    why = DetailPage()
  }

  mutating func received(_ exchange: Exchange?, id: Int64, _ context: ConsoleContext) {
    guard id == self.id else { return }
    guard let exchange else {
      isGone = self.exchange == nil
      return
    }
    self.exchange = exchange
    rebuild(context)
  }

  /// A live change of a row; the whole exchange follows from the runtime.
  mutating func received(_ summary: ExchangeSummary) {
    if summary.id == id { exchange?.marked = summary.marked }
    guard let retries, retries.last.map({ summary.id <= $0.id }) ?? true || retries.count < 20, let exchange,
      summary.method == exchange.request.method, summary.url == exchange.request.url,
      summary.process == exchange.process
    else { return }
    // The same request came again, or one of them changed.
    asksForRetries = true
  }

  mutating func received(retries: [ExchangeSummary], of id: Int64, _ context: ConsoleContext) {
    guard id == self.id else { return }
    self.retries = retries
    rebuildTiming(context)
  }

  /// Whose retries are to be asked for now; nil where that was done.
  mutating func wantedRetries() -> Int64? {
    guard tab == .timing, asksForRetries, exchange != nil else { return nil }
    asksForRetries = false
    return id
  }

  private mutating func rebuildTiming(_ context: ConsoleContext) {
    guard let exchange else { return }
    timing.head =
      DetailPages.timing(of: exchange)
      + DetailPages.retries(retries ?? [], of: exchange.id, context.setup.utcOffset)
  }

  mutating func rebuild(_ context: ConsoleContext) {
    guard let exchange else { return }
    fill(
      \.response, .response, DetailPages.response(of: exchange), exchange.response?.body,
      exchange.response?.headers.first(named: "Content-Type"))
    fill(
      \.request, .request, DetailPages.request(of: exchange), exchange.request.body,
      exchange.request.headers.first(named: "Content-Type"))
    rebuildTiming(context)
    why.head = DetailPages.why(of: exchange, stubs: context.stubs)
  }

  private mutating func fill(
    _ page: WritableKeyPath<DetailPane, DetailPage>, _ tab: DetailTab, _ head: DetailPages.Head, _ body: Data?,
    _ type: String?
  ) {
    let isFirst = self[keyPath: page].head.isEmpty
    self[keyPath: page].head = head.lines
    self[keyPath: page].fields = head.fields
    self[keyPath: page].fieldsName = head.name
    if isFirst { self[keyPath: page].foldsFields = head.folds }
    if head.fields.count <= 1 { self[keyPath: page].foldsFields = false }
    guard shownBody[tab] != body || (body == nil) != (self[keyPath: page].body == nil) else { return }
    shownBody[tab] = body
    self[keyPath: page].body = body.flatMap { $0.isEmpty ? nil : BodyPane($0, contentType: type, raw: raw) }
    let count = self[keyPath: page].count
    self[keyPath: page].cursor = min(self[keyPath: page].cursor, max(0, count - 1))
  }

  // MARK: Commands

  /// - Parameter area: where its lines stand.
  mutating func run(_ command: DetailCommand, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch command {
    case .search: out.ask(.search, proposing: page.search.text)
    case .nextMatch: nextMatch(1, in: area, context, &out)
    case .previousMatch: nextMatch(-1, in: area, context, &out)
    case .fold: changePage(in: area, context) { $0.toggleFold() }
    case .foldAll: changePage(in: area, context) { $0.foldLevel() }
    case .unfoldLevel: changePage(in: area, context) { $0.unfoldLevel() }
    case .unfoldAll: changePage(in: area, context) { $0.unfoldAll() }
    case .wrap:
      var view = context.view
      view.wrap.toggle()
      out.add(.view(view))
    case .lineNumbers:
      var view = context.view
      view.lineNumbers.toggle()
      out.add(.view(view))
    case .goToLine: out.ask(.goToLine)
    case .rawBody:
      raw.toggle()
      shownBody = [:]
      rebuild(context)
      out.say(.info, raw ? "The body as it came." : "The body made readable.")
    }
  }

  private mutating func changePage(
    in area: Rect, _ context: ConsoleContext, _ change: (inout DetailPage) -> Void
  ) {
    change(&page)
    page.settle(in: room(area, context))
  }

  /// Room for the lines.
  private func room(_ area: Rect, _ context: ConsoleContext) -> DetailPage.Geometry {
    DetailPage.Geometry(
      width: max(10, area.width - 2 - gutter(context)), height: area.height, wraps: context.view.wrap)
  }

  private func gutter(_ context: ConsoleContext) -> Int { context.view.lineNumbers ? 7 : 0 }

  mutating func move(by step: Int, in area: Rect, _ context: ConsoleContext) {
    page.move(by: step, in: room(area, context))
  }

  mutating func scroll(by step: Int, in area: Rect, _ context: ConsoleContext) {
    page.scroll(by: step, in: room(area, context))
  }

  mutating func press(_ point: Point, isDouble: Bool, in area: Rect, _ context: ConsoleContext) {
    hasFocus = true
    let room = room(area, context)
    var row = area.y - page.topRow
    var number = page.top
    while number < page.count {
      row += page.rows(of: number, in: room)
      if point.y < row { break }
      number += 1
    }
    guard number < page.count else { return }
    page.cursor = number
    if isDouble { page.toggleFold() }
  }

  /// A click on one of the tabs. Returns false where there is none.
  mutating func press(_ point: Point, inHead head: Rect) -> Bool {
    guard let place = tabPlaces(head).first(where: { point.x >= $0.x && point.x < $0.x + textWidth($0.label) }) else {
      return false
    }
    tab = place.tab
    hasFocus = true
    return true
  }

  /// Whether a large body or a search in it has not been gone through.
  var hasMore: Bool { isOpen && page.hasMore }

  mutating func goOn(in area: Rect, _ context: ConsoleContext) {
    guard hasMore else { return }
    page.goOn()
    page.settle(in: room(area, context))
  }

  // MARK: Search

  /// Looks for the text in the body as it is typed; goes to the first place at or after the cursor.
  mutating func searched(
    _ text: String, isFinal: Bool, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    changePage(in: area, context) { page in
      page.search = PageSearch(text, in: page.body)
      if let hit = page.search.hit(from: 0) { page.goTo(hit: hit) }
    }
    if !isFinal {
      out.add(.promptNote(page.search.note))
    } else if page.search.count == 0, page.search.isComplete, !text.isEmpty {
      out.say(.info, "“\(text)” is not in the body.")
    }
  }

  private mutating func nextMatch(
    _ step: Int, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    let search = page.search
    guard search.count > 0 else {
      return out.say(.info, search.text.isEmpty ? "Search first: press /." : "“\(search.text)” is not in the body.")
    }
    let next = ((search.current ?? -step) + step + search.count) % search.count
    changePage(in: area, context) { $0.goTo(hit: next) }
  }

  mutating func goTo(line text: String, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard let line = Int(text.filter { $0 != "," }), line > 0 else {
      return out.say(.error, "“\(text)” is no line number.")
    }
    changePage(in: area, context) { $0.goTo(line: line) }
  }

  var hasMatches: Bool { page.search.count > 0 }
}

// MARK: Drawing

extension DetailPane {
  /// The tabs with their places in the head.
  func tabPlaces(_ head: Rect) -> [(tab: DetailTab, x: Int, label: String)] {
    var x = head.x + 2
    return DetailTab.allCases.map { tab in
      let label = " \(tab.title) "
      defer { x += textWidth(label) + 1 }
      return (tab, x, label)
    }
  }

  func draw(on grid: inout Grid, in layout: Layout, _ context: ConsoleContext) {
    let theme = context.theme
    if layout.isBeside {
      grid.verticalRule(at: layout.divider.origin, height: layout.divider.height, style: theme[.line])
    }
    drawHead(&grid, layout.detailHead, theme)
    grid.within(layout.detail) { grid in
      guard exchange != nil else {
        grid.put(
          isGone ? "It is no longer in the history." : id == nil ? "Nothing is selected." : "…",
          at: Point(x: 1, y: 0), style: theme[.dim])
        return
      }
      drawPage(page, room(layout.detail, context), gutter(context), theme, &grid)
    }
    if let path = hasKeys ? page.path : nil, layout.detail.height > 4 {
      drawPath(path, theme, &grid, layout.detail)
    }
  }

  private func drawHead(_ grid: inout Grid, _ head: Rect, _ theme: Theme) {
    grid.rule(at: head.origin, width: head.width, style: theme[.line])
    var end = head.x
    for place in tabPlaces(head) {
      let isShown = place.tab == tab
      let style = theme[isShown ? (hasKeys ? .tabActive : .selectionIdle) : .dim]
      end = place.x + grid.put(place.label, at: Point(x: place.x, y: head.y), style: isShown ? style.bold : style)
    }
    let summary = summary
    let width = textWidth(summary.text)
    guard width > 0, width + 4 < head.maxX - end else { return }
    grid.put(" \(summary.text) ", at: Point(x: head.maxX - width - 4, y: head.y), style: theme[summary.role])
  }

  /// At the right of the tabs: status, kind, size; or where a search is.
  private var summary: (text: String, role: ThemeRole) {
    let page = page
    if !page.search.text.isEmpty { return ("“\(shown(page.search.text))” \(page.search.note)", .match) }
    guard let exchange else { return ("", .dim) }
    switch tab {
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

  private func drawPage(
    _ page: DetailPage, _ room: DetailPage.Geometry, _ gutter: Int, _ theme: Theme, _ grid: inout Grid
  ) {
    var y = -page.topRow
    var number = page.top
    while y < grid.height, number < page.count {
      let line = page.line(number)
      let isCursor = hasKeys && number == page.cursor
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
        let at = Point(x: 1 + gutter + line.indent(in: room.width), y: y)
        let spans = pieces.map { Span($0.text, theme[$0.role, on: ground]) }
        grid.put(spans: spans, at: at, maxWidth: grid.width - at.x - 1)
        let role: ThemeRole = number == page.cursor && page.search.current != nil ? .matchCurrent : .match
        highlight(page.search.text, in: pieces, at: at, theme[role], &grid)
      }
      number += 1
    }
    let place = scrollPlace(of: page, room)
    grid.drawScrollbar(theme, top: place.top, count: place.count)
  }

  /// In lines; of a page of few lines in rows, for they may be long ones.
  private func scrollPlace(of page: DetailPage, _ room: DetailPage.Geometry) -> (top: Int, count: Int) {
    guard room.wraps, page.count <= room.height else { return (page.top, page.count) }
    let rows = (0..<page.count).map { page.rows(of: $0, in: room) }
    return (rows.prefix(page.top).reduce(page.topRow, +), rows.reduce(0, +))
  }

  private func highlight(
    _ search: String, in pieces: [PageLine.Piece], at point: Point, _ style: Style, _ grid: inout Grid
  ) {
    guard !search.isEmpty else { return }
    let text = pieces.map(\.text).joined()
    for range in TextNeedle(search).ranges(in: text, parts: true) {
      let start = textWidth(text[..<text.index(atUTF8: range.lowerBound)])
      let width = textWidth(text[text.index(atUTF8: range.lowerBound)..<text.index(atUTF8: range.upperBound)])
      grid.restyle(Rect(x: point.x + start, y: point.y, width: width, height: 1)) { _ in style }
    }
  }

  private func drawPath(_ path: String, _ theme: Theme, _ grid: inout Grid, _ area: Rect) {
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

/// The tabs of an opened request.
enum DetailTab: Int, CaseIterable, Sendable {
  case response, request, timing, why

  var title: String {
    switch self {
    case .response: "Response"
    case .request: "Request"
    case .timing: "Timing"
    case .why: "Why"
    }
  }
}
