import PatchbayGrid
import PatchbayInspect
import PatchbayWire

extension ConsoleState {
  mutating func run(_ command: RequestsCommand) {
    switch command {
    case .open: openDetail()
    case .close: closeDetail()
    case .switchPane: if detail.isOpen { detail.hasFocus.toggle() } else { openDetail() }
    case .filter: openFilter()
    case .clearFilter: applyFilter("")
    case .nextFailed: hunt(1)
    case .previousFailed: hunt(-1)
    case .nextHeld: goToHeld()
    case .mark: toggleMark()
    case .unmarkAll: unmarkAll()
    case .sort: openSortMenu()
    case .reverseSort: sort(by: SortOrder(requests.query.sort.column, descending: !requests.query.sort.descending))
    case .columns: openColumnsMenu()
    case .follow: toggleFollow()
    case .pause: togglePause()
    case .clear: clearList()
    case .delete: deleteSelected()
    case .splitDirection: toggleSplit()
    case .growList: resizeList(5)
    case .shrinkList: resizeList(-5)
    case .stubFromRequest: fetchMarked(for: .stubs)
    case .sequenceFromMarked: fetchMarked(for: .sequence)
    case .faults: openFaults(scope: .endpoint)
    case .editStub: editAnsweringStub(externally: false)
    case .editExternally: editAnsweringStub(externally: true)
    case .hold: toggleHold()
    case .replay: replaySelected()
    case .replayEdited: fetchSelected(for: .replay)
    case .copy: openCopyMenu()
    case .compare: compareMarked()
    case .nextDetailTab: showDetailTab(1)
    case .previousDetailTab: showDetailTab(-1)
    case .exportRequests: openExport()
    case .importRequests: openPrompt(.importFile, text: "")
    case .releaseFiltered: release(heldInSight)
    }
  }

  private mutating func openDetail() {
    guard requests.selectedID != nil else { return }
    if detail.isOpen { detail.hasFocus = true } else { detail.resumesFollowing = requests.follows }
    detail.isOpen = true
    requests.follows = false
  }

  private mutating func closeDetail() {
    if detail.hasKeys, !detail.page.search.text.isEmpty {
      detail.page.search = PageSearch()
    } else if detail.isOpen {
      detail.isOpen = false
      detail.hasFocus = false
      if detail.resumesFollowing, !requests.isPaused { follow() }
      detail.resumesFollowing = false
    } else if !requests.bar.applied.isEmpty {
      applyFilter("")
    }
  }

  // MARK: Marks

  private mutating func toggleMark() {
    guard let id = requests.selectedID else { return }
    mark([id], !isMarked(id))
    moveInRequests(1)
  }

  private mutating func unmarkAll() {
    guard !requests.marks.isEmpty else { return say(.info, "Nothing is marked.") }
    mark(requests.marks, false)
  }

  func isMarked(_ id: Int64) -> Bool { requests.cache[id]?.marked ?? requests.marks.contains(id) }

  private mutating func mark(_ ids: [Int64], _ on: Bool) {
    let title = "\(on ? "Marked" : "Took the mark from") \(words(for: ids))"
    log.add(UndoLog.Step(title: title, at: now, change: .marks(ids, on: on)))
    setMarks(ids, on)
  }

  /// Such as `GET /v1/users` for one, `3 requests` for more.
  private func words(for ids: [Int64]) -> String {
    guard ids.count == 1, let summary = requests.cache[ids[0]] else { return Wording.count(ids.count, "request") }
    return "\(summary.method) \(summary.path)"
  }

  mutating func setMarks(_ ids: [Int64], _ on: Bool) {
    requests.marks.removeAll { ids.contains($0) }
    if on { requests.marks += ids }
    for id in ids { requests.cache.change(id) { $0.marked = on } }
    effects.append(.setMarked(ids, on))
  }

  // MARK: What is shown

  private mutating func toggleFollow() {
    if requests.follows {
      requests.follows = false
      return say(.info, "Staying here.")
    }
    if !requests.query.sort.isArrival { sort(by: .arrival) }
    follow()
  }

  private mutating func follow() {
    requests.follows = true
    requests.scroll.selected = requests.order.count - 1
  }

  private mutating func togglePause() {
    if requests.isPaused { requests.resume() } else { requests.paused = [] }
  }

  private mutating func clearList() {
    guard newest > requests.query.after else { return say(.info, "There is nothing to clear.") }
    let change = UndoLog.Change.cleared(from: requests.query.after, to: newest)
    log.add(UndoLog.Step(title: "Cleared the list", at: now, change: change))
    say(.good, "Cleared the list; the requests stay in the history.", undoable: true)
    clear(upTo: newest)
  }

  mutating func clear(upTo id: Int64) {
    requests.query.after = id
    requests.follows = requests.query.sort.isArrival
    runQuery()
  }

  private mutating func deleteSelected() {
    let ids = marksOrSelected
    guard !ids.isEmpty else { return }
    let title = "Deleted \(words(for: ids))"
    log.add(UndoLog.Step(title: title, at: now, change: .deleted(ids)))
    say(.good, "\(title).", undoable: true)
    setDeleted(ids, true)
  }

  mutating func setDeleted(_ ids: [Int64], _ on: Bool) {
    effects.append(.setDeleted(ids, on))
    if on {
      let gone = Set(ids)
      requests.marks.removeAll { gone.contains($0) }
      // One search is quicker than many rows that go one by one.
      if ids.count > 1_000 { runQuery() } else { for id in ids { requests.leave(id) } }
      recorded = max(0, recorded - ids.count)
    } else {
      recorded += ids.count
      runQuery()
    }
  }

  /// The marked requests, or the selected one where none is marked.
  var marksOrSelected: [Int64] {
    if !requests.marks.isEmpty { return requests.marks.sorted() }
    return requests.selectedID.map { [$0] } ?? []
  }

  private mutating func toggleSplit() {
    guard detail.isOpen || requests.selectedID != nil else { return say(.info, "There is no request to open.") }
    view.detailBeside = !layout.isBeside
    if !detail.isOpen { openDetail() }
    if view.detailBeside == true, !layout.isBeside {
      say(.info, "From \(Layout.narrowestBeside) columns on, list and detail stand side by side.")
    }
    saveView()
  }

  mutating func resizeList(_ step: Int) {
    view.listShare = max(15, min(85, view.listShare + step))
    saveView()
  }

  // MARK: Jumping

  /// To the held request after the selected one, round and round.
  private mutating func goToHeld() {
    let places = held.ids.compactMap { requests.order.index(of: $0) }.sorted()
    guard let place = places.first(where: { $0 > requests.scroll.selected }) ?? places.first else {
      let why = requests.isPaused ? "What is held came after the pause; p shows it." : "The filter hides what is held."
      return say(.info, held.isEmpty ? "Nothing is held." : why)
    }
    requests.follows = false
    requests.scroll.selected = place
  }

  private mutating func hunt(_ step: Int) {
    requests.hunt = RequestsState.Hunt(from: requests.scroll.selected + step, step: step)
    huntOn()
  }

  /// Looks on for a failed row, through rows that are known; asks for more where they are not.
  mutating func huntOn() {
    guard let hunt = requests.hunt else { return }
    var place = hunt.from
    while place >= 0, place < requests.order.count {
      let id = requests.order[place]
      guard let summary = requests.cache[id] else {
        requests.hunt?.from = place
        let end = max(0, min(requests.order.count, place + hunt.step * 400))
        return ask(for: (min(place, end)..<max(place + 1, end)).map { requests.order[$0] })
      }
      if OutcomeLook.isFailed(summary) {
        requests.hunt = nil
        requests.follows = false
        requests.scroll.selected = place
        return
      }
      place += hunt.step
    }
    requests.hunt = nil
    say(.info, hunt.step > 0 ? "No failed request further down." : "No failed request further up.")
  }
}
