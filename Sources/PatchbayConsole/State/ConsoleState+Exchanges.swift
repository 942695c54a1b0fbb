import PatchbayInspect
import PatchbayWire

extension ConsoleState {
  /// Live changes: each costs the same however many are recorded.
  mutating func take(_ changes: [ExchangeChange], query: Int) {
    var fresh = 0
    var stopped: ExchangeSummary?
    for change in changes {
      let summary = change.summary
      if summary.id > newest {
        newest = summary.id
        recorded += 1
        fresh += 1
      }
      if held.note(summary) { stopped = summary }
      if summary.replayOf != nil { note(replay: summary) }
      place(change, isCurrent: query == requests.query.token)
      if summary.id == detail.id { detail.take(summary) }
      detail.noteRetry(summary)
    }
    if let stopped { announceHeld(stopped) }
    if held.isEmpty, toast?.isAboutHeld == true { toast = nil }
    rate.add(fresh, at: now)
    if tab == .traffic || !traffic.rows.isEmpty { traffic.isStale = true }
  }

  private mutating func place(_ change: ExchangeChange, isCurrent: Bool) {
    let summary = change.summary
    guard isCurrent, summary.id > requests.query.after else { return requests.cache.refresh(summary) }
    if !requests.query.sort.isArrival {
      requests.cache.refresh(summary)
      requests.isStale = true
      return
    }
    if change.matches {
      requests.insert(summary, isSeen: requests.follows)
    } else {
      requests.cache.refresh(summary)
      requests.leave(summary.id)
    }
  }

  private mutating func announceHeld(_ summary: ExchangeSummary) {
    guard overlays.isEmpty || isOffering else { return }
    let isSelected = tab == .requests && requests.selectedID == summary.id
    let ways: [(ConsoleCommand, String)] =
      isSelected
      ? [(.held(.editHeld), "edits it"), (.held(.continueHeld), "lets it go on")]
      : [(.requests(.nextHeld), "goes there")]
    let hints = ways.compactMap { command, what in
      keys.bindings.first { $0.command == command && !$0.keys.isEmpty }.map { "\($0.keyLabel) \(what)" }
    }
    say(
      .warning,
      (["Held: \(summary.method) \(summary.host)\(summary.path)"] + hints).joined(separator: "  "))
    toast?.isAboutHeld = true
  }

  mutating func take(_ summaries: [ExchangeSummary]) {
    for summary in summaries {
      requests.cache.put(summary)
      requests.asked.remove(summary.id)
      newest = max(newest, summary.id)
      _ = held.note(summary)
    }
    if requests.hunt != nil { huntOn() }
    refreshRequestMenu()
  }

  /// Rows whose exchanges are no longer recorded.
  mutating func takeAway(_ ids: [Int64]) {
    for id in ids {
      requests.asked.remove(id)
      requests.leave(id)
    }
    if requests.hunt != nil { huntOn() }
  }

  mutating func retire(_ count: Int, below id: Int64) {
    recorded = max(0, recorded - count)
    guard requests.order.rises else { return }
    let kept = requests.marks.filter { $0 < id && requests.order.index(of: $0) != nil }
    let gone = requests.order.removeBelow(id)
    for id in kept { requests.order.insert(id) }
    requests.scroll.selected = max(0, requests.scroll.selected - gone + kept.count)
    requests.scroll.top = max(0, requests.scroll.top - gone + kept.count)
  }

  mutating func take(_ batch: IDBatch) {
    guard batch.token == requests.query.token else { return }
    if let failure = batch.failure { say(.error, failure) }
    requests.take(batch)
    if batch.isLast { noteSearchTime() }
    // Those that fall or rise have their highest at an end; of those that are sorted all are known already.
    newest = max(newest, batch.ids.first ?? 0, batch.ids.last ?? 0)
  }

  /// Starts the search for what the filter, the sorting and the clearing say.
  mutating func runQuery() {
    requests.query.token = newToken()
    if requests.query.filter != requests.bar.applied { requests.wants = [:] }
    requests.query.filter = requests.bar.applied
    requests.incoming = RowOrder([], rising: requests.query.sort.isArrival)
    requests.isSearching = true
    requests.searchBegan = now
    requests.isStale = false
    requests.hunt = nil
    effects.append(.runQuery(requests.query))
  }

  /// A search that took long is not done again for ten times as long.
  private mutating func noteSearchTime() {
    let took = max(0, now.microseconds - requests.searchBegan.microseconds)
    requests.sortAgainAt = Timestamp(microseconds: now.microseconds + 10 * took)
  }

  /// Sorts again for rows that came since, as often as a list of that length can bear.
  mutating func rerunSorted() {
    guard !requests.query.sort.isArrival, !requests.isSearching, !requests.isPaused else { return }
    guard now.microseconds >= requests.sortAgainAt.microseconds else { return }
    runQuery()
  }

  /// The ids of the rows in sight.
  var visibleIDs: [Int64] {
    let count = requests.order.count
    let top = max(0, min(requests.scroll.top, count))
    let end = min(count, top + max(1, layout.rowsHeight))
    return (top..<end).map { requests.order[$0] }
  }

  /// Asks for the rows in sight that are not known, and some around them.
  mutating func loadVisible() {
    guard tab == .requests else { return }
    let count = requests.order.count
    let height = max(1, layout.rowsHeight)
    let top = max(0, min(requests.scroll.top, count))
    let seen = top..<min(count, top + height)
    guard seen.contains(where: { isMissing(requests.order[$0]) }) else { return }
    let around = max(0, top - height)..<min(count, top + 2 * height)
    ask(for: around.map { requests.order[$0] })
  }

  mutating func ask(for ids: [Int64]) {
    let missing = ids.filter(isMissing)
    guard !missing.isEmpty else { return }
    if requests.asked.count > 10_000 { requests.asked = [] }
    requests.asked.formUnion(missing)
    effects.append(.loadSummaries(missing))
  }

  private func isMissing(_ id: Int64) -> Bool {
    requests.cache[id] == nil && !requests.asked.contains(id)
  }

  var selectedSummary: ExchangeSummary? {
    requests.selectedID.flatMap { requests.cache[$0] }
  }

  /// Tells the runtime which exchange is open, when that has changed.
  mutating func watchSelected() {
    let wanted = detail.isOpen ? requests.selectedID : nil
    if wanted != detail.id {
      detail.show(wanted)
      effects.append(.watchExchange(wanted))
    }
    if detail.tab == .timing, let id = detail.wantsRetries() { effects.append(.loadRetries(id)) }
  }

  mutating func take(retries: [ExchangeSummary], of id: Int64) {
    guard id == detail.id else { return }
    detail.retries = retries
    detail.retime()
  }
}

extension RequestsState {
  /// A row that fits came or changed.
  mutating func insert(_ summary: ExchangeSummary, isSeen: Bool) {
    if incoming != nil {
      incoming?.insert(summary.id)
      cache.put(summary)
      return
    }
    if paused != nil, summary.id > order.last ?? 0 {
      if paused?.last != summary.id { paused?.append(summary.id) }
      return cache.refresh(summary)
    }
    guard let place = order.insert(summary.id) else { return cache.refresh(summary) }
    if isSeen || place < scroll.top + 200 { cache.put(summary) }
    if keepsToNewest {
      scroll.selected = order.count - 1
    } else if place <= scroll.selected, order.count > 1 {
      scroll.selected += 1
      if place < scroll.top { scroll.top += 1 }
    }
  }

  /// A row fits no longer.
  mutating func leave(_ id: Int64) {
    incoming?.remove(id)
    guard !isPaused, let place = order.remove(id) else { return }
    if place < scroll.selected { scroll.selected -= 1 }
    if place < scroll.top { scroll.top -= 1 }
    if keepsToNewest { scroll.selected = order.count - 1 }
  }

  mutating func take(_ batch: IDBatch) {
    if let fresh = incoming {
      let chosen = selectedID
      order = fresh
      incoming = nil
      add(batch.ids)
      if goesToTop { scroll = ListScroll() } else { scroll.selected = place(of: chosen) }
      goesToTop = false
    } else {
      let added = add(batch.ids)
      if query.sort.isArrival {
        scroll.selected += added
        scroll.top += added
      }
    }
    if keepsToNewest, query.sort.isArrival { scroll.selected = order.count - 1 }
    if batch.isLast { isSearching = false }
  }

  @discardableResult
  private mutating func add(_ ids: [Int64]) -> Int {
    guard query.sort.isArrival else {
      // All of them come at once: nothing is copied, however many they are.
      if order.isEmpty { order = RowOrder(ids, rising: false) } else { order.append(contentsOf: ids) }
      return 0
    }
    return order.addOlder(ids)
  }

  /// Where the row is now that was selected before; the next one where it has gone.
  private func place(of id: Int64?) -> Int {
    guard let id else { return query.sort.isArrival ? order.count - 1 : 0 }
    if let place = order.index(of: id) { return place }
    return query.sort.isArrival ? min(order.count - 1, order.lowerBound(id)) : 0
  }

  /// Shows what came while the list was kept still.
  mutating func resume() {
    for id in paused ?? [] { order.insert(id) }
    paused = nil
    if follows { scroll.selected = order.count - 1 }
  }
}
