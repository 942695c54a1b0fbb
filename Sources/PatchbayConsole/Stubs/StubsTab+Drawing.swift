import PatchbayGrid
import PatchbayStubs

extension StubsTab {
  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    let layout = layout(in: area, context)
    let on = board.stubsInForce.filter(\.enabled).count
    let edited = entries.filter(\.edited).count
    var left: [PageLine.Piece] = [.init("First match wins.", .dim)]
    // What is said first counts most where there is little room.
    for scenario in board.stubs.scenarios.reversed() {
      let states = states(ofScenario: scenario.name).map { shown($0) }.joined(separator: " or ")
      left.insert(.init("\(shown(scenario.name)): \(states)  ", .key), at: 0)
    }
    if edited > 0 { left.insert(.init("\(Wording.count(edited)) changed here, w writes.  ", .warning), at: 0) }
    if let kept = kept.first {
      left.insert(.init("B brings back \(Wording.count(kept.names.count)) of an earlier console.  ", .warning), at: 0)
    }
    for set in board.sets.reversed() where board.pausedSets.contains(set) {
      left.insert(.init("\(shown(StubWords.set(set))) is off, o turns it on.  ", .warning), at: 0)
    }
    if board.isPaused { left.insert(.init("All stubs are off, 0 turns them on.  ", .warning), at: 0) }
    if !marked.isEmpty {
      left.insert(.init("\(Wording.count(marked.count)) marked, space switches them.  ", .key), at: 0)
    }
    if !filter.isEmpty {
      left.insert(
        .init("/ \(shown(filter)): \(Wording.count(rows.count)) of \(Wording.count(entries.count)).  ", .key), at: 0)
    }
    let right = "\(Wording.count(on)) of \(Wording.count(entries.count)) on · revision \(board.revision)"
    grid.drawBreadcrumb(left, right, in: layout.bar, context)
    guard !entries.isEmpty else {
      let lines = [
        PageLine("There are no stubs.", .text), PageLine([]),
        .hint("a", "adds one"), .hint("1 s", "makes one of a request, with its real answer"),
        .hint("1 x", "makes a request's endpoint fail"), PageLine([]),
        PageLine([.init("patchbay … --stubs FILE", .string), .init(" reads them from a file", .dim)]),
      ]
      return grid.within(layout.rows) { $0.drawNotice(lines, context.theme) }
    }
    guard !rows.isEmpty else {
      let lines = [
        PageLine("No stub has “\(shown(filter))”.", .text), PageLine([]), .hint("esc", "lists all again"),
        .hint("/", "changes the filter"),
      ]
      return grid.within(layout.rows) { $0.drawNotice(lines, context.theme) }
    }
    table(width: layout.columns.width).draw(on: &grid, in: layout, scroll, count: rows.count, context.theme) {
      cells(of: entries[rows[$0]], rows[$0])
    }
    drawDetail(&grid, layout, context)
  }

  func table(width: Int) -> TableView {
    let seen = entries.prefix(200)
    func widest(_ text: (StubBoard.Entry) -> String) -> Int { seen.map { textWidth(shown(text($0))) }.max() ?? 0 }
    let name = widest { PercentText.shown($0.stub.name) }
    let limits = widest { self.limits(of: $0.stub) }
    let origin = widest { StubWords.origin($0) }
    return TableView(
      [
        TableView.Column(title: "#", width: 3, alignsRight: true, rank: 5),
        TableView.Column(title: "on", width: 3, least: 2),
        TableView.Column(
          title: "name", width: max(12, min(name, width / 5)), least: 10, flexes: true, want: name),
        TableView.Column(
          title: "when", width: 18, least: 8, flexes: true, share: 3,
          want: widest { PercentText.shown(StubWords.pattern($0.stub.when)) }),
        TableView.Column(
          title: "then", width: 14, least: 8, flexes: true, share: 2, want: widest { StubWords.action($0.stub.then) }),
        TableView.Column(title: "limits", width: max(6, min(18, limits)), rank: 6, isEmpty: limits == 0),
        TableView.Column(title: "hits", width: 6, alignsRight: true, rank: 3),
        TableView.Column(title: "from", width: max(6, min(24, origin)), rank: 4),
      ], width: width)
  }

  private func cells(of entry: StubBoard.Entry, _ place: Int) -> [TableView.Cell] {
    let stub = entry.stub
    // Its own switch is shown while all are off, dimmed: it is what comes back.
    let isOn = stub.enabled && !board.isPaused(entry)
    let isUsedUp = isUsedUp(stub)
    let taker = isUsedUp ? nil : unreached[place]
    // One that takes no request any more does not look as if it did.
    let works = isOn && !isUsedUp && taker == nil
    let text: ThemeRole = works ? .text : .dim
    let when = taker.map { "never reached: \($0 + 1) answers first" } ?? StubWords.pattern(stub.when)
    let hits = snapshot.hits[stub.name]
    let step = hits?.nextStep.map { " (\($0 + 1))" } ?? ""
    return [
      TableView.Cell("\(place + 1)", .dim),
      TableView.Cell([
        .init(stub.enabled ? works || !isOn ? "●" : "◌" : "○", works ? .good : .dim),
        .init(marked.contains(stub.name) ? "◆" : "", .key),
      ]),
      TableView.Cell(PercentText.shown(stub.name), works ? .stub : .dim),
      TableView.Cell(PercentText.shown(when), taker == nil ? text : .warning),
      TableView.Cell(shown(StubWords.action(stub.then)), works ? StubWords.role(stub.then) : .dim),
      TableView.Cell(limits(of: stub), .dim),
      TableView.Cell((hits.map { Wording.count($0.hits) } ?? "0") + step, (hits?.hits ?? 0) > 0 ? .text : .dim),
      TableView.Cell(shown(StubWords.origin(entry)), entry.edited ? .warning : .dim),
    ]
  }

  /// Whether every process that asked has had as many as the stub was made for.
  func isUsedUp(_ stub: Stub) -> Bool { stub.enabled && snapshot.hits.isUsedUp(stub) }

  /// Such as `3 times`; `3 of 3, used up` when it has taken them.
  private func limits(of stub: Stub) -> String {
    guard isUsedUp(stub), let times = stub.times else { return StubWords.limits(stub) }
    return "\(times) of \(times), used up"
  }
}
