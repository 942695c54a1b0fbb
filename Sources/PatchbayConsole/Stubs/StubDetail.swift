import PatchbayGrid
import PatchbayInspect
import PatchbayStubs
import PatchbayWire

/// What the runtime says of one stub.
package struct StubDetail: Sendable, Equatable {
  /// The stub that it was asked for.
  package var stub: Stub
  /// As a stub file has it.
  package var yaml: String
  /// The last requests that it took, the newest first.
  package var last: [ExchangeSummary]

  /// So many of them are wanted.
  package static let lastCount = 5

  package init(stub: Stub, yaml: String, last: [ExchangeSummary]) {
    self.stub = stub
    self.yaml = yaml
    self.last = last
  }
}

extension StubDetail {
  /// What it took last.
  func hits(width: Int, _ context: ConsoleContext) -> [PageLine] {
    let times = last.map {
      Wording.moment($0.startedAt, now: context.now, utcOffset: context.setup.utcOffset, fraction: false)
    }
    let outcomes = last.map { OutcomeLook($0) }.map { (text: "\($0.sign) \($0.text)", role: $0.role) }
    let methods = last.map { shown($0.method) }
    func widest(_ texts: [String]) -> Int { texts.map { textWidth($0) }.max() ?? 0 }
    let number = widest(last.map { "#\($0.id)" })
    let (time, outcome, method) = (widest(times), widest(outcomes.map(\.text)), widest(methods))
    return last.enumerated().map { place, row in
      PageLine([
        .init(padded("#\(row.id)", toWidth: number, alignRight: true) + "  ", .dim),
        .init(padded(times[place], toWidth: time, alignRight: true) + "  ", .dim),
        .init(padded(outcomes[place].text, toWidth: outcome) + "  ", outcomes[place].role),
        .init(
          padded(methods[place], toWidth: method) + " ", DetailPages.isRead(row.method) ? .methodRead : .methodWrite),
        .init(PercentText.shown(row.path), .text),
      ])
    }
  }

  /// Its text, at most so many lines; what is left out is said in the last.
  func text(atMost count: Int) -> [PageLine] {
    let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).dropLast(yaml.hasSuffix("\n") ? 1 : 0)
    let isCut = lines.count > count
    var pieces = lines.prefix(isCut ? max(0, count - 1) : count).map(Self.line)
    if isCut {
      pieces.append(PageLine("… \(Wording.count(lines.count - pieces.count, "more line")): E shows all", .dim))
    }
    return pieces
  }

  /// A line of YAML, its key apart from its value.
  private static func line(_ text: Substring) -> PageLine {
    let body = text.drop { $0 == " " || $0 == "-" }
    let indent = String(text.prefix(text.count - body.count))
    guard let colon = body.firstIndex(of: ":"), body[..<colon].allSatisfy({ $0.isLetter || $0 == "-" || $0 == "_" })
    else {
      return PageLine([.init(indent, .dim), .init(shown(String(body)), .string)])
    }
    return PageLine([
      .init(indent, .dim), .init(shown(String(body[...colon])), .key),
      .init(shown(String(body[body.index(after: colon)...])), .string),
    ])
  }
}

extension StubsTab {
  // MARK: The detail of the selected stub

  /// Whether there is room for it below the list.
  func isDetailed(_ area: Rect) -> Bool { area.height >= 14 && !rows.isEmpty }

  /// The list has as much as it needs, and at most half; where it is wide the detail stands beside it.
  func layout(in area: Rect, _ context: ConsoleContext) -> Layout {
    guard isDetailed(area) else { return Layout(in: area) }
    var view = context.view
    view.detailBeside = nil
    let height = max(1, area.height - 1)
    let wanted = min(rows.count + 2, height / 2)
    view.listShare = area.width >= Layout.wide ? 60 : (wanted * 100 + height - 1) / height
    return Layout(in: area, showsDetail: true, view: view)
  }

  /// After every event: the selection in its rows, and the detail of the selected one asked for: when it is another, and
  /// once a second at most when it took more requests.
  mutating func settle(in area: Rect, isShown: Bool, _ context: ConsoleContext, _ out: inout Outcomes) {
    keepInSight(height: layout(in: area, context).rows.height)
    guard isShown, isDetailed(area), let stub = selected?.stub else { return }
    let hits = snapshot.hits[stub.name]?.hits ?? 0
    let isOther = detailed?.stub != stub
    guard isOther || (hits != detailed?.hits && context.now.microseconds >= askAgainAt) else { return }
    if detailed?.stub.name != stub.name { detail = nil }
    detailed = (stub, hits)
    askAgainAt = context.now.microseconds + 1_000_000
    out.perform(.loadStubDetail(stub, filter: "stub:\(FilterValue.whole(stub.name))"))
  }

  /// When the selected stub is to be asked for again, in microseconds; nil while nothing is new.
  func nextTick(in area: Rect) -> Int64? {
    guard isDetailed(area), let stub = selected?.stub, let detailed, detailed.stub == stub,
      (snapshot.hits[stub.name]?.hits ?? 0) != detailed.hits
    else { return nil }
    return askAgainAt
  }

  mutating func received(_ found: StubDetail) { if found.stub == detailed?.stub { detail = found } }

  func drawDetail(_ grid: inout Grid, _ layout: Layout, _ context: ConsoleContext) {
    guard layout.detail.height > 0, let place = selectedPlace else { return }
    let theme = context.theme
    if layout.isBeside {
      for y in layout.divider.y..<layout.divider.maxY {
        grid.put("│", at: Point(x: layout.divider.x, y: y), style: theme[.line])
      }
    }
    grid.rule(at: layout.detailHead.origin, width: layout.detailHead.width, style: theme[.line])
    grid.put(
      spans: [Span(" \(shown(PercentText.shown(entries[place].stub.name))) ", theme[.stub])],
      at: Point(x: layout.detailHead.x + 2, y: layout.detailHead.y), maxWidth: max(0, layout.detailHead.width - 4))
    let area = layout.detail.inset(horizontal: 1, vertical: 0)
    let lines = detailLines(of: place, in: area.size, context)
    grid.within(area) { grid in
      for (y, line) in lines.prefix(grid.height).enumerated() {
        grid.put(spans: line.pieces.map { Span($0.text, theme[$0.role]) }, at: Point(x: 0, y: y), maxWidth: grid.width)
      }
    }
  }

  private func detailLines(of place: Int, in size: Size, _ context: ConsoleContext) -> [PageLine] {
    let stub = entries[place].stub
    var lines = state(of: place)
    if case .sequence(let steps, let afterwards) = stub.then {
      lines += sequence(steps, afterwards, of: stub, atMost: max(1, size.height - lines.count - 1))
    }
    guard let detail else { return lines + [PageLine("Reading…", .waiting)] }
    let hits = detail.hits(width: size.width, context)
    // What it took last has a third of the room where there is little.
    let shownHits = hits.prefix(max(1, (size.height - lines.count) / 3))
    if !shownHits.isEmpty { lines += [PageLine("Took last", .dim)] + shownHits + [PageLine([])] }
    return lines + detail.text(atMost: max(0, size.height - lines.count))
  }

  /// Why it takes no request, where it does not.
  private func state(of place: Int) -> [PageLine] {
    let entry = entries[place]
    let stub = entry.stub
    var lines: [PageLine] = []
    if board.isPaused(entry) {
      let what = board.isPaused ? "All stubs are off: 0 turns them on." : "Its set is off: o turns it on."
      lines.append(PageLine(what, .warning))
    }
    if !stub.enabled {
      lines.append(PageLine("Off: space turns it on.", .dim))
    } else if isUsedUp(stub), let times = stub.times {
      lines.append(PageLine("Used up: it has taken \(times) of \(times). r begins again.", .warning))
    } else if let taker = unreached[place], entries.indices.contains(taker) {
      let name = shown(entries[taker].stub.name)
      lines.append(
        PageLine("Never reached: “\(name)”, number \(taker + 1), takes all that it could. K moves it up.", .warning))
    }
    return lines.isEmpty ? [] : lines + [PageLine([])]
  }

  /// The answers of a stub that gives several in turn, the next one marked.
  private func sequence(
    _ steps: [Action], _ afterwards: Action.Afterwards, of stub: Stub, atMost room: Int
  ) -> [PageLine] {
    let next = snapshot.hits[stub.name]?.nextStep.map(Int.init)
    let count = max(1, min(steps.count, room - 2))
    let top = max(0, min(steps.count - count, (next ?? 0) - count / 2))
    var lines = [PageLine("In turn", .dim)]
    for (place, step) in steps.enumerated().dropFirst(top).prefix(count) {
      let isNext = place == next
      lines.append(
        PageLine([
          .init(isNext ? "▸ " : "  ", .key), .init(DetailPages.right("\(place + 1)", toWidth: 3) + "  ", .dim),
          .init(shown(StubWords.action(step)), StubWords.role(step)), .init(isNext ? "   the next" : "", .dim),
        ]))
    }
    let more = count < steps.count ? "\(Wording.count(steps.count)) answers, " : ""
    return lines + [PageLine("       \(more)afterwards: \(afterwards.rawValue)", .dim), PageLine([])]
  }
}
