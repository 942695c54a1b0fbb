import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// The requests: the list with its filter bar, and the opened one.
struct RequestsTab: Sendable {
  private(set) var list = RequestList()
  private(set) var bar: FilterBar
  private(set) var detail = DetailPane()
  /// What is known of all that is recorded, listed or not.
  private(set) var recorded = RecordedExchanges()
  /// How wide what was seen of the columns is at most, since the filter was changed.
  private(set) var wants = ColumnWants()
  /// The list followed the newest request when the detail was opened, and the person has not moved since.
  private var resumesFollowing = false
  private var drag: Drag?
  private enum Drag: Sendable, Equatable {
    case divider
    /// The right edge of a column, seized so many cells right of it.
    case column(RequestColumn, grip: Int)
  }

  /// - Parameter filter: to begin with.
  init(filter: String) { bar = FilterBar(filter) }

  var selected: ExchangeSummary? { list.selected }
  /// Whether keys are typed into the filter or into a value of the detail.
  var hasPrompt: Bool { bar.isOpen || detail.edit != nil }
  var promptHints: [FooterHint] { bar.isOpen ? FooterHint.filter : detail.editHints }

  func layout(in area: Rect, _ context: ConsoleContext) -> Layout {
    Layout(in: area, showsDetail: detail.isOpen, view: context.view)
  }

  // MARK: Searching

  /// Starts the search for what the filter, the sorting and the clearing say.
  mutating func search(_ context: ConsoleContext, _ out: inout Outcomes) {
    if list.query.filter != bar.applied { wants = ColumnWants() }
    list.search(bar.applied, at: context.now, &out)
  }

  /// Puts a filter in force that was not typed; ↑ in the bar brings earlier ones back.
  private mutating func applyFilter(_ text: String, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard text != bar.applied else { return }
    if text.isEmpty { out.say(.info, "Filter cleared.") }
    bar.set(text, isRemembered: true)
    search(context, &out)
  }

  /// Input for the filter bar, while it is open, or for the value that is edited.
  mutating func typed(_ input: InputEvent, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    if !bar.isOpen { return detail.typed(input, in: layout(in: area, context).detail, context, &out) }
    let answer: FilterBar.Answer
    switch input {
    case .key(let key):
      let ids = visibleIDs(in: area, context)
      let cache = list.cache
      answer = bar.handle(key) { Self.values($0, ids.compactMap { cache[$0] }, context) }
    case .paste(let text): answer = bar.insert(text)
    case .mouse, .focus: return
    }
    if answer == .changed { search(context, &out) }
  }

  mutating func closeBar() {
    bar.close()
    detail.endEdit()
  }

  // MARK: Commands

  mutating func run(_ command: RequestsCommand, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch command {
    case .open: openDetail()
    case .close: close(context, &out)
    case .switchPane: if detail.isOpen { detail.switchFocus() } else { openDetail() }
    case .filter: bar.open()
    case .filterByValue: openConditions(hides: false, &out)
    case .filterOutValue: openConditions(hides: true, &out)
    case .savedFilters: openSavedFilters(context, &out)
    case .tag:
      // To several of them tags are added, so what they have must be known.
      list.ask(for: list.marksOrSelected, &out)
      askForTags(&out)
    case .note: askForNote(&out)
    case .saveBody: if let selected { out.perform(.saveBody(selected.id, detail.side, opens: false)) }
    case .viewBody: if let selected { out.perform(.saveBody(selected.id, detail.side, opens: true)) }
    case .clearFilter: applyFilter("", context, &out)
    case .nextFailed: list.hunt(1, &out)
    case .previousFailed: list.hunt(-1, &out)
    case .nextHeld: goToHeld(&out)
    case .mark: toggleMark(&out)
    case .unmarkAll:
      guard !list.marks.isEmpty else { return out.say(.info, "Nothing is marked.") }
      mark(list.marks, false, &out)
    case .sort: out.open(sortMenu)
    case .reverseSort:
      sort(by: SortOrder(list.query.sort.column, descending: !list.query.sort.descending), context, &out)
    case .columns: out.open(columnsMenu(selected: 0, in: area, context))
    case .follow: toggleFollow(context, &out)
    case .pause: if list.isPaused { list.resume() } else { list.pause() }
    case .clear: clear(context, &out)
    case .delete: deleteSelected(context, &out)
    case .splitDirection: toggleSplit(in: area, context, &out)
    case .growList: resizeList(5, context, &out)
    case .shrinkList: resizeList(-5, context, &out)
    case .stubFromRequest: fetch(list.marksOrSelected, for: .stubs, &out)
    case .sequenceFromMarked: fetch(list.marksOrSelected, for: .sequence, &out)
    case .faults: out.open(FaultMenu(.endpoint, context))
    case .editStub: editAnswer(context, &out)
    case .editExternally: editAnsweringStub(externally: true, context, &out)
    case .hold: if let selected { HoldOffer.toggle(selected, context, &out) }
    case .replay: replaySelected(&out)
    case .replayEdited: fetchSelected(for: .replay, &out)
    case .copy: openCopyMenu(&out)
    case .compare: compareMarked(&out)
    case .nextDetailTab: detail.showTab(by: 1)
    case .previousDetailTab: detail.showTab(by: -1)
    case .exportRequests: openExport(context, &out)
    case .importRequests: out.ask(.importFile)
    case .releaseFiltered: release(heldInSight, &out)
    }
  }

  mutating func run(_ command: DetailCommand, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    // A held request is edited before it goes on, wherever the keys are.
    if command == .editValue, selected?.isHeld == true { return fetchSelected(for: .editHeld, &out) }
    detail.run(command, in: layout(in: area, context).detail, context, &out)
  }

  mutating func run(_ command: HeldCommand, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard let selected, selected.isHeld else { return }
    switch command {
    case .continueHeld: decide(selected.id, .continue(request: nil, response: nil), &out)
    case .editHeld: fetchSelected(for: .editHeld, &out)
    case .respondHeld: out.perform(.fetchWithPrevious(selected.id, for: .answerHeld))
    case .respondWithStub: openAnswers(context, &out)
    case .failHeld: out.open(FaultMenu(.held, context))
    case .dropHeld: decide(selected.id, .drop, &out)
    }
  }

  mutating func received(_ message: RequestsMessage, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch message {
    case .applyFilter(let text): applyFilter(text, context, &out)
    case .openFilter: bar.open()
    case .typeFilter(let more): bar.open(adding: more)
    case .sort(let column): sort(by: column, context, &out)
    case .setSort(let order): setSort(order, context, &out)
    case .setRemarks(let remarks): setRemarks(remarks, context, &out)
    case .forgetFilters: openForgetFilters(context, &out)
    case .setDeleted(let ids, let on): setDeleted(ids, on, context, &out)
    case .clear(let id):
      list.clear(upTo: id)
      search(context, &out)
    case .fetchSelected(let purpose): fetchSelected(for: purpose, &out)
    case .release(let ids): release(ids, &out)
    case .changeColumn(let column, let change, let place):
      changeColumn(column, change, selected: place, in: area, context, &out)
    case .awaitReplay(let original): recorded.awaitReplay(of: original)
    case .list(let ids, let title, let note):
      list.ask(for: ids, &out)
      out.open(RequestsMenu(ids, title: title, note: note, known: ids.compactMap { list.cache[$0] }))
    }
  }

  /// A key is about the row that was read when it was pressed, though another one came under the cursor meanwhile.
  mutating func selectRead(at now: Timestamp) -> Int? { list.selectRead(at: now) }
  mutating func selectAgain(_ place: Int) { list.selectAgain(place) }

  /// The stub that answered; without one, the answer's JSON in its place.
  private mutating func editAnswer(_ context: ConsoleContext, _ out: inout Outcomes) {
    guard let selected, selected.stub == nil, selected.status != nil else {
      return editAnsweringStub(externally: false, context, &out)
    }
    if !detail.isOpen { openDetail() }
    detail.openToEdit(selected.id)
    // At once where it is open already, else when it has come.
    detail.wasShown(in: layout(in: context.body, context).detail, context, &out)
  }

  /// Something else was pressed while the answer was still coming.
  mutating func giveUpEdit() { detail.giveUpEdit() }

  // MARK: Opening

  private mutating func openDetail() {
    guard list.selectedID != nil else { return }
    if !detail.isOpen { resumesFollowing = list.follows }
    detail.open()
    list.stay()
  }

  /// Ends the search in the detail, else closes it. False where none is open.
  mutating func closeDetail() -> Bool {
    if detail.endSearch() { return true }
    guard detail.isOpen else { return false }
    detail.close()
    if resumesFollowing, !list.isPaused { list.follow() }
    resumesFollowing = false
    return true
  }

  private mutating func close(_ context: ConsoleContext, _ out: inout Outcomes) {
    if !closeDetail(), !bar.applied.isEmpty {
      applyFilter("", context, &out)
    }
  }

  private mutating func toggleSplit(in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard detail.isOpen || list.selectedID != nil else { return out.say(.info, "There is no request to open.") }
    var view = context.view
    view.detailBeside = !layout(in: area, context).isBeside
    if !detail.isOpen { openDetail() }
    if view.detailBeside == true, !Layout(in: area, showsDetail: true, view: view).isBeside {
      out.say(.info, "From \(Layout.narrowestBeside) columns on, list and detail stand side by side.")
    }
    out.add(.view(view))
  }

  // MARK: Marks, tags and notes

  mutating func setRemarks(_ remarks: [Int64: Remark], _ context: ConsoleContext, _ out: inout Outcomes) {
    list.setRemarks(remarks)
    if let id = detail.id, let remark = remarks[id] { detail.received(remark, context) }
    out.perform(.setRemarks(remarks))
  }

  private mutating func toggleMark(_ out: inout Outcomes) {
    guard let id = list.selectedID else { return }
    mark([id], !list.isMarked(id), &out)
    moveInList(by: 1)
  }

  private mutating func mark(_ ids: [Int64], _ on: Bool, _ out: inout Outcomes) {
    list.setMarks(ids, on)
    out.perform(.setMarked(ids, on))
  }

  /// Such as `GET /v1/users` for one, `3 requests` for more.
  func words(for ids: [Int64]) -> String {
    guard ids.count == 1, let summary = list.cache[ids[0]] else { return Wording.count(ids.count, "request") }
    return "\(summary.method) \(summary.path)"
  }

  // MARK: What is listed

  private mutating func toggleFollow(_ context: ConsoleContext, _ out: inout Outcomes) {
    if list.follows {
      list.stay()
      return out.say(.info, "Not following.")
    }
    if !list.query.sort.isArrival { sort(by: .arrival, context, &out) }
    list.follow()
  }

  private mutating func clear(_ context: ConsoleContext, _ out: inout Outcomes) {
    guard recorded.newest > list.query.after else { return out.say(.info, "There is nothing to clear.") }
    out.add(.done("Cleared the list", .cleared(from: list.query.after, to: recorded.newest)))
    out.say(.good, "Cleared the list; the requests stay in the history.", undoable: true)
    list.clear(upTo: recorded.newest)
    search(context, &out)
  }

  private mutating func deleteSelected(_ context: ConsoleContext, _ out: inout Outcomes) {
    let ids = list.marksOrSelected
    guard !ids.isEmpty else { return }
    let title = "Deleted \(words(for: ids))"
    out.add(.done(title, .deleted(ids)))
    out.say(.good, "\(title).", undoable: true)
    setDeleted(ids, true, context, &out)
  }

  private mutating func setDeleted(
    _ ids: [Int64], _ on: Bool, _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    out.perform(.setDeleted(ids, on))
    guard on else {
      recorded.add(ids.count)
      list.bringBackMarks(of: ids)
      return search(context, &out)
    }
    list.dropMarks(Set(ids))
    // One search is quicker than many rows that go one by one.
    if ids.count > 1_000 { search(context, &out) } else { for id in ids { list.forget(id) } }
    recorded.add(-ids.count)
  }

  /// Sorts by a column; by the same one again turns the order round.
  private mutating func sort(by column: RequestColumn, _ context: ConsoleContext, _ out: inout Outcomes) {
    let current = list.query.sort
    let numeric = column == .size || column == .duration
    let descending = current.column == column ? !current.descending : numeric
    sort(by: SortOrder(column, descending: descending), context, &out)
  }

  private mutating func sort(by order: SortOrder, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard order != list.query.sort else { return }
    setSort(order, context, &out)
  }

  private mutating func setSort(_ order: SortOrder, _ context: ConsoleContext, _ out: inout Outcomes) {
    // The open request stays open, wherever it comes to stand; else one wants to see what comes first.
    list.sort(by: order, goesToTop: !order.isArrival && !detail.isOpen)
    search(context, &out)
  }

  // MARK: Moving

  /// Rows of a page of what has the keys.
  func pageHeight(in area: Rect, _ context: ConsoleContext) -> Int {
    let layout = layout(in: area, context)
    return detail.hasKeys ? layout.detail.height : layout.rows.height
  }

  mutating func move(by step: Int, in area: Rect, _ context: ConsoleContext) {
    if detail.hasKeys {
      detail.move(by: step, in: layout(in: area, context).detail, context)
    } else {
      moveInList(by: step)
    }
  }

  private mutating func moveInList(by step: Int) {
    resumesFollowing = list.move(by: step, isOpen: detail.isOpen)
  }

  /// To the held request after the selected one, round and round.
  private mutating func goToHeld(_ out: inout Outcomes) {
    let places = recorded.held.ids.compactMap { list.order.index(of: $0) }.sorted()
    guard let place = places.first(where: { $0 > list.scroll.selected }) ?? places.first else {
      let why = list.isPaused ? "What is held came after the pause; p shows it." : "The filter hides what is held."
      return out.say(.info, recorded.held.isEmpty ? "Nothing is held." : why)
    }
    list.select(place)
    // It says which key goes there.
    out.add(.hush(onlyAboutHeld: true))
  }

  mutating func pointer(_ pointer: Pointer, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    if case .press = pointer { detail.endEdit() }
    let layout = layout(in: area, context)
    switch pointer {
    case .press(let point, let isDouble): press(point, isDouble, in: area, layout, context, &out)
    case .drag(let point):
      switch drag {
      case .column(let column, let grip):
        var view = context.view
        setEdge(of: column, to: point.x - grip, layout, &view, context)
        out.add(.view(view, isKept: false))
      case .divider:
        let share =
          layout.isBeside
          ? point.x * 100 / max(1, area.width) : (point.y - layout.columns.y) * 100 / max(1, area.height - 1)
        var view = context.view
        view.listShare = max(15, min(85, share))
        out.add(.view(view, isKept: false))
      case nil: break
      }
    case .release:
      guard drag != nil else { return }
      drag = nil
      out.add(.view(context.view))
    case .wheel(let step, let point):
      if detail.isOpen, layout.detail.contains(point) {
        return detail.scroll(by: step, in: layout.detail, context)
      }
      list.wheel(by: step, height: layout.rows.height, isOpen: detail.isOpen)
    }
  }

  private mutating func press(
    _ point: Point, _ isDouble: Bool, in area: Rect, _ layout: Layout, _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    if layout.bar.contains(point) { return bar.open() }
    if layout.columns.contains(point) {
      let columns = columns(layout, context)
      if let place = columns.edge(at: point.x) {
        drag = .column(place.column, grip: point.x - place.x - place.width)
        return
      }
      guard let place = columns.places.last(where: { point.x >= $0.x }), place.column != .timeline else { return }
      return sort(by: place.column, context, &out)
    }
    if layout.rows.contains(point) {
      guard list.press(point, in: layout.rows) else { return }
      detail.giveUpFocus()
      if isDouble, !detail.isOpen { detail.open() }
      if detail.isOpen {
        resumesFollowing = list.follows
        list.stay()
      }
      return
    }
    guard detail.isOpen else { return }
    if layout.detailHead.contains(point) {
      if !detail.press(point, inHead: layout.detailHead), !layout.isBeside { drag = .divider }
    } else if layout.divider.contains(point) {
      drag = .divider
    } else if layout.detail.contains(point) {
      detail.press(point, isDouble: isDouble, in: layout.detail, context)
    }
  }

  /// What was typed in a prompt for the detail.
  mutating func answered(
    _ purpose: Prompt.Purpose, _ text: String, isFinal: Bool, in area: Rect, _ context: ConsoleContext,
    _ out: inout Outcomes
  ) {
    let area = layout(in: area, context).detail
    switch purpose {
    case .search: detail.searched(text, isFinal: isFinal, in: area, context, &out)
    case .goToLine: if isFinal { detail.goTo(line: text, in: area, context, &out) }
    case .tags(let ids): if isFinal { setTags(text, of: ids, context, &out) }
    case .note(let id): if isFinal { setNote(text, of: id, context, &out) }
    case .filterName: if isFinal { saveFilter(text, context, &out) }
    default: break
    }
  }

  // MARK: What the runtime tells

  /// Live changes: each costs the same however many are recorded, and no context is made for them.
  ///
  /// - Returns: how many are new, and the last one that has just been held.
  mutating func received(
    _ changes: [ExchangeChange], query: Int, _ out: inout Outcomes
  ) -> (fresh: Int, stopped: ExchangeSummary?) {
    var fresh = 0
    var stopped: ExchangeSummary?
    for change in changes {
      let summary = change.summary
      let news = recorded.received(summary)
      if news.isNew { fresh += 1 }
      if news.isStopped { stopped = summary }
      if let original = news.endedReplayOf { fetch([original, summary.id], for: .replayed, &out) }
      list.place(change, isCurrent: query == list.query.token)
      detail.received(summary)
    }
    return (fresh, stopped)
  }

  mutating func received(_ runs: [RunRow]) { list.received(runs) }

  mutating func received(recorded count: Int) { recorded.count = count }

  mutating func received(_ summaries: [ExchangeSummary], _ out: inout Outcomes) {
    for summary in summaries {
      list.received(summary)
      recorded.known(summary)
    }
    list.huntOn(&out)
  }

  /// Rows whose exchanges are no longer recorded.
  mutating func received(gone ids: [Int64], _ out: inout Outcomes) {
    list.dropMarks(Set(ids))
    for id in ids { list.forget(id) }
    list.huntOn(&out)
  }

  /// So many exchanges left the history; but for the marked ones, none is left below that id.
  mutating func received(retired count: Int, below id: Int64) {
    recorded.add(-count)
    list.retire(below: id)
  }

  mutating func received(_ batch: IDBatch, at now: Timestamp, _ out: inout Outcomes) {
    guard batch.token == list.query.token else { return }
    if let failure = batch.failure { out.say(.error, failure) }
    list.received(batch, at: now)
    // Those that fall or rise have their highest at an end; of those that are sorted all are known already.
    recorded.reach(max(batch.ids.first ?? 0, batch.ids.last ?? 0))
  }

  mutating func received(_ exchange: Exchange?, id: Int64, _ context: ConsoleContext, _ out: inout Outcomes) {
    detail.received(exchange, id: id, context)
    detail.wasShown(in: layout(in: context.body, context).detail, context, &out)
  }

  mutating func received(retries: [ExchangeSummary], of id: Int64, _ context: ConsoleContext) {
    detail.received(retries: retries, of: id, context)
  }

  mutating func stubsChanged(_ context: ConsoleContext) { if detail.isOpen { detail.rebuild(context) } }

  /// What was recorded from a file is there at once, and can be taken out again.
  mutating func received(_ report: ImportReport, _ context: ConsoleContext, _ out: inout Outcomes) {
    let what = "\(Wording.count(report.ids.count, "request")) of \(report.name)"
    let problem = report.problem.map { ": \($0)" } ?? "."
    guard !report.ids.isEmpty else { return out.say(.error, "Nothing of \(report.name) was recorded\(problem)") }
    recorded.add(report.ids.count)
    recorded.reach(report.ids.last ?? 0)
    out.add(.done("Imported \(what)", .restored(report.ids)))
    search(context, &out)
    guard report.leftOut > 0 || report.problem != nil else {
      return out.say(.good, "Recorded \(what).", undoable: true)
    }
    let leftOut = report.leftOut > 0 ? ", \(Wording.count(report.leftOut)) left out" : ""
    out.say(.warning, "Recorded \(what)\(leftOut)\(problem)", undoable: true)
  }

  // MARK: Time

  mutating func tick(in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    if context.tab == .requests, list.sortsAgain(at: context.now) { search(context, &out) }
    detail.goOn(in: layout(in: area, context).detail, context)
  }

  /// After every event: the selection within the list, what is seen asked for, the watched exchange in step.
  mutating func settle(in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    let isShown = context.tab == .requests
    let height = isShown ? layout(in: area, context).rows.height : Layout(in: area).rows.height
    // What a menu or a form is about does not change under it, though the list follows the newest; it stays selected
    // afterwards until more comes, so that the same keys take back what they did.
    list.settle(height: height, isPinned: !context.isFree, at: context.now)
    if isShown {
      list.loadVisible(height: height, &out)
      measureVisible(height: height, context)
    }
    let wanted = detail.isOpen ? list.selectedID : nil
    if wanted != detail.id {
      detail.show(wanted)
      out.perform(.watchExchange(wanted))
    }
    if let id = detail.wantedRetries() { out.perform(.loadRetries(id)) }
    if isShown, detail.isOpen { detail.settle(in: layout(in: area, context).detail, context) }
  }

  /// Notes how wide the rows in sight would like their columns. Columns only grow by it, so that nothing sways while
  /// rows come and go.
  mutating func measureVisible(height: Int, _ context: ConsoleContext) {
    let seen = list.visibleIDs(height: height).compactMap { list.cache[$0] }
    wants.measure(seen, context)
  }

  // MARK: Sending again

  mutating func replaySelected(_ out: inout Outcomes) {
    guard let selected else { return }
    out.perform(.replay(selected.id, nil))
    recorded.awaitReplay(of: selected.id)
    out.say(.good, "Sent again: \(selected.method) \(SafeText.line(selected.path))")
  }
}
