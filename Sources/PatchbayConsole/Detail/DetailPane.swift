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
  /// A value of the answer that is being edited in its line, and the document that it is in as it would be now.
  private(set) var edit: ValueEdit?
  private var edited = JSONValue.null
  /// What stubs make of the answer's values now, other than it was.
  private var patched: [[JSONStep]: JSONValue] = [:]
  /// The exchange of which the first value is to be edited when all of the answer is there, and whether it was said that
  /// more is to come.
  private var editsWhenShown: (id: Int64, isTold: Bool)?

  var hasKeys: Bool { isOpen && hasFocus }
  /// Whose body is meant.
  var side: BodySide { isOpen && tab == .request ? .request : .response }

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
    edit = nil
    if editsWhenShown?.id != id { editsWhenShown = nil }
    patched = [:]
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

  /// What the person has just said of it.
  mutating func received(_ remark: Remark, _ context: ConsoleContext) {
    exchange?.tags = remark.tags
    exchange?.note = remark.note
    rebuild(context)
  }

  /// Once more of the exchange is there of which a value is to be edited.
  mutating func wasShown(in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard let wanted = editsWhenShown, wanted.id == id, exchange != nil else { return }
    editsWhenShown = nil
    editValue(in: area, context, &out, isTold: wanted.isTold)
    // That it is to come lies over the keys of the field.
    if wanted.isTold, edit != nil { out.add(.hush(onlyAboutHeld: false)) }
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
      DetailPages.timing(of: exchange, context)
      + DetailPages.retries(retries ?? [], of: exchange.id, context.setup.utcOffset)
  }

  mutating func rebuild(_ context: ConsoleContext) {
    guard let exchange else { return }
    fill(
      \.response, .response, DetailPages.response(of: exchange, context), exchange.response?.body,
      exchange.response?.headers.first(named: "Content-Type"))
    fill(
      \.request, .request, DetailPages.request(of: exchange, context), exchange.shownRequest.body,
      exchange.shownRequest.headers.first(named: "Content-Type"))
    rebuildTiming(context)
    why.head = DetailPages.why(of: exchange, stubs: context.stubs)
    patched = LivePatch.inForce(for: exchange, context.stubs)
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
    if tab == .response { edit = nil }
    self[keyPath: page].body = body.flatMap { $0.isEmpty ? nil : BodyPane($0, contentType: type, raw: raw) }
    let count = self[keyPath: page].count
    self[keyPath: page].cursor = min(self[keyPath: page].cursor, max(0, count - 1))
    self[keyPath: page].unsettle()
  }

  /// After every event: the cursor in sight, where there is another room for the lines, or other lines.
  mutating func settle(in area: Rect, _ context: ConsoleContext) {
    let room = room(area, context)
    if exchange != nil, page.settled != room { page.settle(in: room) }
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
    case .editValue: editValue(in: area, context, &out)
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
      width: max(10, area.width - 2 - gutter(context)), height: area.height, wraps: context.view.wrap,
      pictures: context.pictures)
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
    // Below it are bytes that nobody sees.
    if let shown = page.picture(in: room), point.y - area.y >= shown.bytesTop { return }
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

  // MARK: Editing a value

  /// Opens the answer and edits its first value as soon as it is there.
  mutating func openToEdit(_ id: Int64) {
    isOpen = true
    hasFocus = true
    tab = .response
    editsWhenShown = (id, false)
  }

  /// The person has gone on to something else: no field is to open under the next keys.
  mutating func giveUpEdit() { editsWhenShown = nil }

  /// Whether a value could be a field in its line.
  var canEdit: Bool { tab == .response && !raw }

  /// The value under the cursor, or the first one below it, becomes a field in its line; at once, or when all of the answer
  /// is there.
  private mutating func editValue(
    in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes, isTold: Bool = false
  ) {
    guard let exchange else { return }
    guard tab == .response else { return out.say(.info, "R edits the request and sends it again.") }
    guard !Self.mayBringJSON(exchange) else {
      editsWhenShown = (exchange.id, true)
      if !isTold { out.say(.info, "The answer is still coming; its value is edited as soon as all of it is there.") }
      return
    }
    guard let response = exchange.response, let body = response.body, page.body?.kind == .json else {
      return out.say(.info, "There is no JSON in the answer; s makes a stub of it, e in that edits any body.")
    }
    guard !raw else { return out.say(.info, "b shows the answer so that it can be read; then e edits a value.") }
    guard body.count <= StubProposal.readableLimit else {
      return out.say(
        .info, "From \(Wording.size(Int64(StubProposal.readableLimit))) on, s and e edit the answer as a whole.")
    }
    let type = response.headers.first(named: "Content-Type")
    guard let document = try? JSONValue(parsing: BodyText.utf8(body, contentType: type)) else {
      let why = response.truncated ? "only a part of it was recorded" : "it is not quite JSON"
      return out.say(.info, "The answer cannot be edited in its place: \(why).")
    }
    edited = patched.keys.reduce(document) { $0.replacing(at: $1, with: patched[$1] ?? .null) ?? $0 }
    if let steps = page.steps(at: page.cursor), beginEdit(at: steps, of: page.cursor) { return }
    editNext(by: 1, in: area, context)
    if edit == nil { editNext(by: -1, in: area, context) }
    if edit == nil { out.say(.info, "There is no value below that could be edited in a line.") }
  }

  /// Whether there may be more of an answer in which a value could be edited.
  private static func mayBringJSON(_ exchange: Exchange) -> Bool {
    guard exchange.phase == .waiting || exchange.phase == .receiving else { return false }
    // JSON may come as a text, too.
    return switch ContentKind(contentType: exchange.response?.headers.first(named: "Content-Type")) {
    case .json, .text, .none: true
    default: false
    }
  }

  private mutating func beginEdit(at steps: [JSONStep], of line: Int) -> Bool {
    guard let value = edited.value(at: steps),
      let begun = ValueEdit(value, at: steps, isThisIDOnly: edit?.isThisIDOnly ?? false)
    else { return false }
    page.cursor = line
    edit = begun
    return true
  }

  /// The next text, number or the like; the one that is edited stays where there is none.
  private mutating func editNext(by step: Int, in area: Rect, _ context: ConsoleContext) {
    var line = page.cursor + step
    while line >= page.headCount || step > 0, line < page.count {
      if let steps = page.steps(at: line) {
        switch edited.value(at: steps) {
        case .array?, .object?, nil: break
        default:
          if beginEdit(at: steps, of: line) { return page.settle(in: room(area, context)) }
        }
      }
      line += step
    }
  }

  /// Whether its path has ids: the change may be for all of them, or for this one.
  private var hasIDs: Bool {
    exchange.map { PatternChoices.segmentPath(StubProposal.endpoint($0.request).path) != nil } ?? false
  }

  var editHints: [FooterHint] { ValueEdit.hints(hasIDs: hasIDs, isThisIDOnly: edit?.isThisIDOnly ?? false) }

  mutating func typed(_ input: InputEvent, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch input {
    case .paste(let text): edit?.insert(text)
    case .key(let key):
      let hasIDs = hasIDs
      switch edit?.handle(key, hasIDs: hasIDs) {
      case .dismissed?: edit = nil
      case .taken(let step)?: take(thenBy: step, in: area, context, &out)
      case .changed?, nil: break
      }
    case .mouse, .focus: break
    }
  }

  private mutating func take(
    thenBy step: Int, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    guard let done = edit, let exchange else { return }
    guard let value = done.value else { return }
    if value != done.before {
      LivePatch(of: exchange, document: edited, done, to: value).apply(context, &out)
      edited = edited.replacing(at: done.steps, with: value) ?? edited
    }
    if step != 0 { editNext(by: step, in: area, context) }
    if step == 0 || edit?.steps == done.steps { edit = nil }
  }

  mutating func endEdit() { edit = nil }

  /// A click on one of the tabs. Returns false where there is none.
  mutating func press(_ point: Point, inHead head: Rect) -> Bool {
    guard let pressed = DetailHead.tab(at: point, in: head) else { return false }
    tab = pressed
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
  func draw(on grid: inout Grid, in layout: Layout, _ context: ConsoleContext) {
    let theme = context.theme
    if layout.isBeside {
      grid.verticalRule(at: layout.divider.origin, height: layout.divider.height, style: theme[.line])
    }
    let page = page
    DetailHead(tab: tab, page: page, exchange: exchange, hasKeys: hasKeys)
      .draw(on: &grid, in: layout.detailHead, theme)
    grid.within(layout.detail) { grid in
      guard exchange != nil else {
        grid.put(
          isGone ? "It is no longer in the history." : id == nil ? "Nothing is selected." : "…",
          at: Point(x: 1, y: 0), style: theme[.dim])
        return
      }
      let room = room(layout.detail, context)
      var view = DetailPageView(page: page, room: room, gutter: gutter(context), hasKeys: hasKeys, theme: theme)
      view.edit = tab == .response ? edit : nil
      view.patched = tab == .response ? patched : [:]
      view.draw(on: &grid)
      if let shown = page.picture(in: room) {
        let rows = Rect(x: 0, y: shown.bytesTop, width: grid.width - 1, height: max(0, grid.height - shown.bytesTop))
        grid.fill(rows, style: theme[.text])
        grid.setPicture(shown.picture, in: shown.area.moved(x: gutter(context)))
      }
    }
    if let edit, layout.detail.height > 2 {
      drawPatch(edit, theme, &grid, layout.detail)
    } else if let path = hasKeys ? page.path : nil, layout.detail.height > 4 {
      drawPath(path, theme, &grid, layout.detail)
    }
  }

  /// At the foot, what would be in force: for which requests, where, and from what to what.
  private func drawPatch(_ edit: ValueEdit, _ theme: Theme, _ grid: inout Grid, _ area: Rect) {
    guard let exchange else { return }
    let place = StubProposal.name(of: exchange.request, ids: edit.isThisIDOnly ? .exact : .segment)
    var pieces: [PageLine.Piece] = [
      .init(" ◆ ", .stub), .init(shown(place), .text), .init("  \(LivePatch.text(of: edit.steps)) ", .key),
    ]
    if let value = edit.value, value != edit.before {
      pieces += [
        .init(ValueEdit.brief(edit.before), ValueEdit.role(of: edit.before)), .init(" → ", .dim),
        .init(ValueEdit.brief(value) + " ", ValueEdit.role(of: value)),
      ]
    }
    let foot = Rect(x: area.x, y: area.maxY - 1, width: area.width, height: 1)
    grid.fill(foot, style: theme[.selectionIdle])
    grid.put(
      spans: pieces.map { Span($0.text, theme[$0.role, on: .selectionIdle]) }, at: foot.origin, maxWidth: area.width)
  }

  private func drawPath(_ path: String, _ theme: Theme, _ grid: inout Grid, _ area: Rect) {
    let text = " \(shown(path)) "
    let width = min(textWidth(text), area.width - 2)
    grid.put(
      text, at: Point(x: area.maxX - width - 1, y: area.maxY - 1), style: theme[.footerKey], maxWidth: width)
  }
}
