import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

extension ConsoleState {
  /// Takes in one event and says what is to be done.
  package mutating func update(_ event: ConsoleEvent, at now: Timestamp) -> [ConsoleEffect] {
    self.now = now
    rate.advance(to: now)
    if let toast, toast.expires <= now { self.toast = nil }
    handle(event)
    settle()
    return takeEffects()
  }

  private mutating func handle(_ event: ConsoleEvent) {
    switch event {
    case .input(let input): handle(input)
    case .resized(let size): self.size = size
    case .exchanges(let changes, let query): take(changes, query: query)
    case .recorded(let count): recorded = count
    case .summaries(let summaries): take(summaries)
    case .gone(let ids): takeAway(ids)
    case .retired(let count, let id): retire(count, below: id)
    case .ids(let batch): take(batch)
    case .exchange(let id, let exchange): detail.take(exchange, id: id, board: stubs, view: view)
    case .retries(let id, let summaries): take(retries: summaries, of: id)
    case .fetched(let exchanges, let purpose): take(fetched: exchanges, for: purpose)
    case .board(let board, let by): take(board, by: by)
    case .switches(let unmatched, let holdAll):
      stubs.unmatched = unmatched
      stubs.holdAll = holdAll
    case .progress(let process, let progress): stubs.take(progress, of: process)
    case .links(let links): processes.take(links)
    case .output(let lines, let skipped): output.add(lines, skipped: skipped)
    case .commandEnded(let sentence):
      output.ended = sentence
      say(.info, sentence)
    case .traffic(let token, let report): take(report, token: token)
    case .preview(let token, let result): take(result, token: token)
    case .editorReturned(let token, let result): take(result, token: token)
    case .kept(let found): take(found)
    case .compared(let page, let exchanges, let purpose): take(page, of: exchanges, for: purpose)
    case .notice(let notice): say(notice.kind, notice.text)
    case .work(let token, let title, let share): note(work: token, title: title, share: share)
    case .workEnded(let token): works.removeAll { $0.token == token }
    case .theme(let theme):
      self.theme = theme
      view.theme = theme.name
    case .imported(let report): take(report)
    case .pathCompletions(let text, let found): take(completions: found, of: text)
    case .themes(let names): themeNames = names
    case .swatches(let themes): take(swatches: themes)
    case .tick: tick()
    }
  }

  private mutating func note(work token: Int, title: String, share: Double?) {
    let work = Work(token: token, title: title, share: share)
    if let place = works.firstIndex(where: { $0.token == token }) {
      works[place] = work
    } else {
      works.append(work)
    }
  }

  private mutating func tick() {
    if let draftDue, draftDue <= now { keepDraft() }
    if let bodyCheckDue, bodyCheckDue <= now { checkBody() }
    if requests.isStale, tab == .requests { rerunSorted() }
    if tab == .traffic, traffic.isStale { loadTraffic() }
    if detail.isOpen, detail.page.hasMore {
      detail.page.goOn()
      detail.page.settle(in: detailGeometry)
    }
  }

  /// After every event: selections within their lists, what is seen asked for, the watched exchange in step.
  private mutating func settle() {
    // What a menu or a form is about does not change under it, though the list follows the newest; it stays selected
    // afterwards until more comes, so that the same keys take back what they did.
    requests.isPinned = !overlays.isEmpty && !isOffering
    requests.scroll.settle(count: requests.order.count, height: layout.rowsHeight)
    stubs.scroll.settle(count: stubs.board.entries.count, height: layout.tableHeight)
    traffic.scroll.settle(count: traffic.rows.count, height: layout.tableHeight)
    processes.scroll.settle(count: processes.links.count, height: layout.tableHeight)
    loadVisible()
    measureVisible()
    watchSelected()
    if hasDraft || draftDue != nil, !hasStubForm { dropDraft() }
  }

  /// When the state wants a `.tick`, for what it shows depends on time; nil: never, until something happens.
  package var nextTick: Timestamp? {
    var next: Int64?
    func want(_ moment: Int64) { next = min(next ?? .max, moment) }
    let second = now.microseconds / 1_000_000 * 1_000_000
    if let draftDue { want(draftDue.microseconds) }
    if let bodyCheckDue { want(bodyCheckDue.microseconds) }
    if let toast { want(toast.expires.microseconds) }
    if tab == .requests, detail.isOpen, detail.page.hasMore { want(now.microseconds) }
    if tab == .requests, requests.isSearching, requests.order.isEmpty, !isSearchingLong { want(searchSaidAt) }
    if !rate.isIdle { want(second + 1_000_000) }
    if let started = newestOpenStart {
      let step: Int64 = now.microseconds - started < 10_000_000 ? 100_000 : 1_000_000
      want((now.microseconds / step + 1) * step)
    }
    if tab == .traffic && traffic.isStale { want(second + 1_000_000) }
    if requests.isStale, tab == .requests, !requests.isPaused {
      want(max(second + 1_000_000, requests.sortAgainAt.microseconds))
    }
    return next.map { Timestamp(microseconds: max($0, now.microseconds + 1_000)) }
  }

  /// The start of the newest exchange in sight that has not ended.
  private var newestOpenStart: Int64? {
    guard tab == .requests else { return nil }
    return visibleIDs.compactMap { requests.cache[$0] }.filter { $0.phase != .ended }
      .map(\.startedAt.microseconds).max()
  }
}
