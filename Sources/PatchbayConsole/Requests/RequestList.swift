import PatchbayGrid
import PatchbayInspect
import PatchbayWire

/// Which requests are listed, in which order, and where one is. Live changes cost the same however many there are.
struct RequestList: Sendable {
  private(set) var query = ExchangeQuery(token: 0)
  private(set) var order = RowOrder()
  /// The rows of a new query while its first batch is awaited; the old ones are shown until then.
  private var incoming: RowOrder?
  /// More batches will come.
  private(set) var isSearching = false
  private var searchBegan = Timestamp(microseconds: 0)
  private(set) var cache = SummaryCache()
  /// Summaries that were asked for.
  private var asked: Set<Int64> = []
  private(set) var scroll = ListScroll()
  /// The selection stays on the newest.
  private(set) var follows = true
  /// Which rows were selected while the list followed the newest, and since when; the last of them is now.
  private var dwelt: [(id: Int64, since: Timestamp)] = []
  /// The person has gone to the selected row: it is meant at once.
  private var isChosen = false
  /// A menu or a form about the selected request is open: the selection stays on it meanwhile.
  private var isPinned = false
  /// Live rows that wait while the list is kept still; nil when it is not.
  private(set) var paused: Set<Int64>?
  /// Rows that fit no longer since the list is kept still.
  private var leaving: Set<Int64> = []
  /// Marked in this session or seen with a mark, in that order.
  private(set) var marks: [Int64] = []
  /// Rows that came while sorted, to be put into their places.
  private(set) var isStale = false
  /// Not before then, for it took long the last time.
  private var sortAgainAt = Timestamp(microseconds: 0)
  /// The first row is to be selected when the next rows come.
  private var goesToTop = false
  /// The runs of the history, whose heads part the rows.
  private var runs = RunMarks()
  /// The failed row that is looked for needs summaries that are on their way.
  private var hunt: Hunt?

  private struct Hunt: Sendable, Equatable {
    var step: Int
    /// The row to go on with, wherever it stands by then.
    var next: Int64
  }

  var selectedID: Int64? {
    scroll.selected >= 0 && scroll.selected < order.count ? order[scroll.selected] : nil
  }

  var selected: ExchangeSummary? { selectedID.flatMap { cache[$0] } }

  private var keepsToNewest: Bool { follows && !isPinned }
  var isPaused: Bool { paused != nil }
  var isAtEnd: Bool { scroll.selected >= order.count - 1 }

  // MARK: Queries

  /// Starts the search for what the filter, the sorting and the clearing say.
  mutating func search(_ filter: String, at now: Timestamp, _ out: inout Outcomes) {
    query.token = out.newToken()
    query.filter = filter
    incoming = RowOrder([], rising: query.sort.isArrival)
    isSearching = true
    searchBegan = now
    isStale = false
    hunt = nil
    // What waits or would leave by the filter before is found by the search or not.
    if isPaused { pause() }
    out.perform(.runQuery(query))
  }

  /// - Parameter goesToTop: one wants to see what comes first, not the row that was selected.
  mutating func sort(by order: SortOrder, goesToTop: Bool) {
    query.sort = order
    follows = order.isArrival
    self.goesToTop = goesToTop
  }

  mutating func clear(upTo id: Int64) {
    query.after = id
    follows = query.sort.isArrival
  }

  mutating func received(_ batch: IDBatch, at now: Timestamp) {
    if let fresh = incoming {
      let chosen = selectedID
      order = fresh
      incoming = nil
      add(batch.ids)
      if goesToTop { scroll = ListScroll() } else { scroll.selected = place(of: chosen) }
      goesToTop = false
    } else {
      let chosen = selectedID
      add(batch.ids)
      if query.sort.isArrival, chosen != nil {
        let before = scroll.selected
        scroll.selected = place(of: chosen)
        scroll.top += scroll.selected - before
      }
    }
    if keepsToNewest, query.sort.isArrival { scroll.selected = order.count - 1 }
    guard batch.isLast else { return }
    isSearching = false
    // A search that took long is not done again for ten times as long.
    let took = max(0, now.microseconds - searchBegan.microseconds)
    sortAgainAt = Timestamp(microseconds: now.microseconds + 10 * took)
  }

  private mutating func add(_ ids: [Int64]) {
    if query.sort.isArrival { return order.addOlder(ids) }
    // All of them come at once: nothing is copied, however many they are.
    if order.isEmpty { order = RowOrder(ids, rising: false) } else { order.append(contentsOf: ids) }
  }

  /// Where the row is now that was selected before; the next one where it has gone.
  private func place(of id: Int64?) -> Int {
    guard let id else { return query.sort.isArrival ? order.count - 1 : 0 }
    if let place = order.index(of: id) { return place }
    return query.sort.isArrival ? min(order.count - 1, order.lowerBound(id)) : 0
  }

  /// Whether rows that came since may be sorted in now: as often as a list of that length can bear.
  func sortsAgain(at now: Timestamp) -> Bool {
    isStale && !query.sort.isArrival && !isSearching && !isPaused && now.microseconds >= sortAgainAt.microseconds
  }

  /// Whether the search goes on for so long that it is said.
  func isSearchingLong(at now: Timestamp) -> Bool { isSearching && now.microseconds >= searchSaidAt }
  private var searchSaidAt: Int64 { searchBegan.microseconds + 150_000 }

  /// When something that is shown of the list changes by itself.
  func nextTick(at now: Timestamp) -> Int64? {
    let second = now.microseconds / 1_000_000 * 1_000_000
    let said = isSearching && order.isEmpty && !isSearchingLong(at: now) ? searchSaidAt : nil
    let sorted = isStale && !isPaused ? max(second + 1_000_000, sortAgainAt.microseconds) : nil
    return [said, sorted].compactMap { $0 }.min()
  }

  // MARK: Live changes

  mutating func place(_ change: ExchangeChange, isCurrent: Bool) {
    var summary = change.summary
    // Its program does not know what the person has put to it.
    if let known = cache[summary.id] {
      summary.marked = known.marked
      summary.tags = known.tags
      summary.note = known.note
    }
    guard isCurrent, summary.id > query.after else { return cache.refresh(summary) }
    if !query.sort.isArrival {
      cache.refresh(summary)
      isStale = true
    } else if change.matches {
      insert(summary)
    } else {
      cache.refresh(summary)
      leave(summary.id)
    }
  }

  /// A row that fits came or changed.
  private mutating func insert(_ summary: ExchangeSummary) {
    if incoming != nil {
      incoming?.insert(summary.id)
      cache.put(summary)
      return
    }
    leaving.remove(summary.id)
    if paused != nil, summary.id > order.last ?? 0 {
      paused?.insert(summary.id)
      return cache.refresh(summary)
    }
    guard let place = order.insert(summary.id) else { return cache.refresh(summary) }
    if follows || place < scroll.top + 200 { cache.put(summary) }
    if keepsToNewest {
      scroll.selected = order.count - 1
    } else if place <= scroll.selected, order.count > 1 {
      scroll.selected += 1
      if place < scroll.top { scroll.top += 1 }
    }
  }

  /// A row fits no longer. A list that is kept still shows it until it goes on.
  mutating func leave(_ id: Int64) {
    incoming?.remove(id)
    if isPaused {
      if paused?.remove(id) == nil { leaving.insert(id) }
    } else {
      remove(id)
    }
  }

  private mutating func remove(_ id: Int64) {
    guard let place = order.remove(id) else { return }
    if place < scroll.selected { scroll.selected -= 1 }
    if place < scroll.top { scroll.top -= 1 }
    if keepsToNewest { scroll.selected = order.count - 1 }
  }

  /// An exchange is no longer recorded.
  mutating func forget(_ id: Int64) {
    asked.remove(id)
    incoming?.remove(id)
    paused?.remove(id)
    remove(id)
  }

  /// Those below that id have left the history, but for the marked ones.
  mutating func retire(below id: Int64) {
    guard order.rises else { return }
    if let waiting = paused { paused = waiting.filter { $0 >= id || marks.contains($0) } }
    let kept = marks.filter { $0 < id && order.index(of: $0) != nil }
    let gone = order.removeBelow(id)
    for id in kept { order.insert(id) }
    scroll.selected = max(0, scroll.selected - gone + kept.count)
    scroll.top = max(0, scroll.top - gone + kept.count)
  }

  mutating func pause() {
    paused = []
    leaving = []
  }

  /// Shows what came while the list was kept still.
  mutating func resume() {
    for id in (paused ?? []).sorted() { order.insert(id) }
    paused = nil
    for id in leaving { remove(id) }
    if follows { scroll.selected = order.count - 1 }
  }

  mutating func follow() {
    follows = true
    isChosen = true
    scroll.selected = order.count - 1
  }

  /// The selection stays where it is.
  mutating func stay() { follows = false }

  // MARK: Moving

  mutating func select(_ place: Int) {
    follows = false
    scroll.selected = place
  }

  /// Moves the selection. With an open request it does not follow, unless the end is asked for: the request stays under
  /// the eyes of who reads it.
  ///
  /// - Returns: whether it went to the end, and so would follow.
  mutating func move(by step: Int, isOpen: Bool) -> Bool {
    // Coming to the newest row is not yet asking for newer ones: a step beyond it is, and so is the key for the end.
    let wasAtEnd = isAtEnd
    isChosen = true
    scroll.move(by: step, count: order.count)
    let goesToEnd = step > 0 && query.sort.isArrival && (wasAtEnd || step >= order.count)
    follows = goesToEnd && (!isOpen || step >= order.count)
    return goesToEnd
  }

  /// Moves what is seen; at the end the selection follows, unless a request is open.
  mutating func wheel(by step: Int, height: Int, isOpen: Bool) {
    scroll.scroll(by: step, count: order.count, height: height)
    let last = order.count - 1
    follows = query.sort.isArrival && !isOpen && step > 0 && scroll.top + height > last
    isChosen = follows
    if follows { scroll.selected = last }
  }

  /// Selects the row under the pointer. Returns false where there is none.
  mutating func press(_ point: Point, in rows: Rect) -> Bool {
    let lines = lines(height: rows.height)
    let line = point.y - rows.y
    guard rows.contains(point), lines.indices.contains(line), case .request(let place) = lines[line] else {
      return false
    }
    scroll.selected = place
    isChosen = true
    follows = query.sort.isArrival && isAtEnd
    return true
  }

  /// After every event: the selection in the list and in sight.
  ///
  /// - Parameter isPinned: a menu or a form about the selected request is open.
  mutating func settle(height: Int, isPinned: Bool, at now: Timestamp) {
    self.isPinned = isPinned
    scroll.settle(count: order.count, height: height)
    noteSelected(at: now)
    guard showsRuns else { return }
    // The heads of runs take lines, too.
    while scroll.top < scroll.selected, !lines(height: height).contains(.request(scroll.selected)) { scroll.top += 1 }
  }

  // MARK: Runs

  mutating func received(_ runs: [RunRow]) { self.runs = RunMarks(runs) }

  /// Whether the rows are of several runs, and stand in the order in which they came.
  private var showsRuns: Bool {
    guard query.sort.isArrival, let first = order.first, let last = order.last else { return false }
    return runs.part(first, last)
  }

  /// What stands in so many lines from the first row in sight on.
  func lines(height: Int) -> [ListLine] {
    let parts = showsRuns
    var lines: [ListLine] = []
    var place = max(0, scroll.top)
    while lines.count < height, place < order.count {
      let id = order[place]
      if parts, place == 0 || runs.part(order[place - 1], id), let run = runs.run(of: id) { lines.append(.run(run)) }
      if lines.count < height { lines.append(.request(place)) }
      place += 1
    }
    return lines
  }

  // MARK: What was read

  /// How long a row is seen at least before a key for it is pressed, in microseconds: nobody reacts more quickly. The
  /// selection rides on the newest row: one that came in less than that before the key was not what it was meant for.
  private static let dwell: Int64 = 200_000

  private mutating func noteSelected(at now: Timestamp) {
    guard let id = selectedID else { return }
    if isChosen { dwelt = [(id, Timestamp(microseconds: now.microseconds - Self.dwell))] }
    isChosen = false
    guard dwelt.last?.id != id else { return }
    dwelt.append((id, now))
    while dwelt.count > 1, dwelt[1].since.microseconds <= now.microseconds - Self.dwell { dwelt.removeFirst() }
    if dwelt.count > 256 { dwelt.removeFirst(dwelt.count - 256) }
  }

  /// Selects the row that was under the cursor when the person made up their mind; the one that is, where it has been
  /// for a while or no other was before, and one that is held, which is announced. The list goes on following.
  ///
  /// - Returns: where the selection was, to be put back if the key is not about a row; nil where it stays.
  mutating func selectRead(at now: Timestamp) -> Int? {
    guard keepsToNewest, query.sort.isArrival, selected?.isHeld != true,
      let read = dwelt.last(where: { $0.since.microseconds <= now.microseconds - Self.dwell }),
      read.id != selectedID, let place = order.index(of: read.id)
    else { return nil }
    defer { scroll.selected = place }
    return scroll.selected
  }

  mutating func selectAgain(_ place: Int) { scroll.selected = place }

  // MARK: Summaries

  mutating func received(_ summary: ExchangeSummary) {
    cache.put(summary)
    asked.remove(summary.id)
    if summary.marked, !isMarked(summary.id) { marks.append(summary.id) }
  }

  /// The ids of so many rows from the first in sight on.
  func visibleIDs(height: Int) -> [Int64] {
    let top = max(0, min(scroll.top, order.count))
    let end = min(order.count, top + max(1, height))
    return (top..<end).map { order[$0] }
  }

  /// Asks for the rows in sight that are not known, and some around them.
  mutating func loadVisible(height: Int, _ out: inout Outcomes) {
    let count = order.count
    let height = max(1, height)
    let top = max(0, min(scroll.top, count))
    let seen = top..<min(count, top + height)
    guard seen.contains(where: { isMissing(order[$0]) }) else { return }
    let around = max(0, top - height)..<min(count, top + 2 * height)
    ask(for: around.map { order[$0] }, &out)
  }

  mutating func ask(for ids: [Int64], _ out: inout Outcomes) {
    let missing = ids.filter(isMissing)
    guard !missing.isEmpty else { return }
    if asked.count > 10_000 { asked = [] }
    asked.formUnion(missing)
    out.perform(.loadSummaries(missing))
  }

  private func isMissing(_ id: Int64) -> Bool { cache[id] == nil && !asked.contains(id) }

  // MARK: Marks

  func isMarked(_ id: Int64) -> Bool { marks.contains(id) }

  mutating func setMarks(_ ids: [Int64], _ on: Bool) {
    marks.removeAll { ids.contains($0) }
    if on { marks += ids }
    for id in ids { cache.change(id) { $0.marked = on } }
  }

  mutating func setRemarks(_ remarks: [Int64: Remark]) {
    for (id, remark) in remarks {
      cache.change(id) {
        $0.tags = remark.tags
        $0.note = remark.note
      }
    }
  }

  mutating func dropMarks(_ gone: Set<Int64>) { marks.removeAll { gone.contains($0) } }

  /// What was deleted is there again, with its marks.
  mutating func bringBackMarks(of ids: [Int64]) {
    marks += ids.filter { cache[$0]?.marked == true && !isMarked($0) }
  }

  /// The marked requests, or the selected one where none is marked.
  var marksOrSelected: [Int64] {
    if !marks.isEmpty { return marks.sorted() }
    return selectedID.map { [$0] } ?? []
  }

  // MARK: Looking for a failed row

  mutating func hunt(_ step: Int, _ out: inout Outcomes) {
    hunt(step, from: scroll.selected + step, &out)
  }

  /// Looks on when rows have come that were asked for.
  mutating func huntOn(_ out: inout Outcomes) {
    guard let hunt else { return }
    var place = order.index(of: hunt.next)
    if place == nil, order.rises {
      // It has gone meanwhile: the one beyond it.
      place = order.lowerBound(hunt.next) - (hunt.step > 0 ? 0 : 1)
    }
    self.hunt(hunt.step, from: place ?? scroll.selected + hunt.step, &out)
  }

  /// Looks through rows that are known; asks for more where they are not.
  private mutating func hunt(_ step: Int, from place: Int, _ out: inout Outcomes) {
    var place = place
    while place >= 0, place < order.count {
      guard let summary = cache[order[place]] else {
        hunt = Hunt(step: step, next: order[place])
        let end = max(0, min(order.count, place + step * 400))
        return ask(for: (min(place, end)..<max(place + 1, end)).map { order[$0] }, &out)
      }
      if summary.isBad {
        hunt = nil
        follows = false
        scroll.selected = place
        return
      }
      place += step
    }
    hunt = nil
    out.say(.info, step > 0 ? "No failed request further down." : "No failed request further up.")
  }
}
