import PatchbayGrid
import PatchbayInspect
import PatchbayWire

extension ConsoleState {
  mutating func compareMarked() {
    if requests.marks.count == 2 { return effects.append(.fetch(requests.marks.sorted(), for: .compare)) }
    // Without two marks: a request that was sent again, with the one that it repeats.
    if let summary = selectedSummary, let original = summary.replayOf {
      return effects.append(.fetch([original, summary.id], for: .compare))
    }
    if let pair = lastReplay, pair.original == requests.selectedID {
      return effects.append(.fetch([pair.original, pair.replay], for: .compare))
    }
    say(.info, "Mark two requests with m, then compare them (\(Wording.count(requests.marks.count)) marked).")
  }

  /// A request that was sent again from here has ended: it is compared with its original, and that is said.
  mutating func note(replay summary: ExchangeSummary) {
    guard let original = summary.replayOf, summary.phase == .ended, awaitedReplays.remove(original) != nil else {
      return
    }
    lastReplay = (original, summary.id)
    effects.append(.fetch([original, summary.id], for: .replayed))
  }

  /// Bodies of megabytes are compared away from the keys.
  mutating func compare(_ exchanges: [Exchange], for purpose: FetchPurpose) {
    guard ComparePage.isSlow(exchanges) else {
      return take(ComparePage(exchanges[0], exchanges[1]), of: exchanges, for: purpose)
    }
    if purpose == .compare { say(.info, "Comparing…") }
    effects.append(.compare(exchanges, for: purpose))
  }

  mutating func take(_ page: ComparePage, of exchanges: [Exchange], for purpose: FetchPurpose) {
    switch purpose {
    case .compare where overlays.isEmpty || isOffering:
      toast = nil
      overlays = [.compare(page)]
    case .replayed: tell(replayed: exchanges, page)
    default: break
    }
  }

  private mutating func tell(replayed exchanges: [Exchange], _ page: ComparePage) {
    let count = page.differences
    let outcome = OutcomeLook(exchanges[1].summary).text
    let verdict = count == 0 ? "answered the same" : "\(Wording.count(count, "difference")), D compares"
    say(
      count == 0 ? .good : .warning,
      "Request \(exchanges[0].id), sent again as \(exchanges[1].id)\(sender(exchanges)): \(outcome), \(verdict).")
  }

  /// Who has sent a request again, where it was not the process that it came from.
  private func sender(_ exchanges: [Exchange]) -> String {
    let (before, now) = (exchanges[0].process, exchanges[1].process)
    guard before != now else { return "" }
    let name = SafeText.line(before.name)
    return before.name == now.name ? " by \(name) \(now.pid)" : " by the console, for \(name) has gone"
  }
}

extension ConsoleState {
  mutating func handle(_ key: Key, in page: ComparePage) {
    var page = page
    let height = max(1, size.height - 4)
    switch key {
    case .escape, Key("q"), .control("c"): return closeTop()
    case .down, Key("j"): page.top += 1
    case .up, Key("k"): page.top -= 1
    case Key(.pageDown), .space: page.top += height
    case Key(.pageUp): page.top -= height
    case .right, Key("l"): page.left += 20
    case .left, Key("h"): page.left = max(0, page.left - 20)
    case Key("g"), Key(.home): page.top = 0
    case Key("G"), Key(.end): page.top = page.rows.count
    case Key("n"): page.top = page.next(from: page.top, step: 1) ?? page.top
    case Key("N"): page.top = page.next(from: page.top, step: -1) ?? page.top
    case Key("d"):
      page.toggleSame()
      page.top = 0
    default: return
    }
    page.top = max(0, min(page.top, page.rows.count - 1))
    replaceTop(.compare(page))
  }

  func drawCompare(_ page: ComparePage, _ grid: inout Grid, _ area: Rect) {
    let label = max(12, min(26, area.width / 4))
    let side = (area.width - label - 6) / 2
    let places = (left: label + 3, right: label + 5 + side)
    let head = area.splitTop(2)
    grid.within(head.top) { grid in
      let count = page.differences
      let text = count == 0 ? "They are the same." : "\(Wording.count(count, "difference")), marked ≠"
      grid.put("Compare", at: Point(x: 1, y: 0), style: theme[.text].bold)
      grid.put(text, at: Point(x: 10, y: 0), style: theme[count == 0 ? .good : .warning])
      for (title, x) in [(page.titles.left, places.left), (page.titles.right, places.right)] {
        grid.put(shown(title), at: Point(x: x, y: 1), style: theme[.columnHead], maxWidth: side)
      }
      grid.put("│", at: Point(x: places.right - 2, y: 1), style: theme[.line])
    }
    grid.within(head.rest) { grid in
      for (y, row) in page.rows.dropFirst(page.top).prefix(grid.height).enumerated() {
        switch row.kind {
        case .heading:
          grid.rule(at: Point(x: 0, y: y), width: grid.width, style: theme[.line])
          grid.put(" \(row.label) ", at: Point(x: 1, y: y), style: theme[.key])
        case .note:
          if row.differs { grid.put("≠", at: Point(x: 0, y: y), style: theme[.warning]) }
          grid.put(
            row.label, at: Point(x: 2, y: y), style: theme[row.differs ? .warning : .dim], maxWidth: grid.width - 3)
        case .pair:
          if row.differs { grid.put("≠", at: Point(x: 0, y: y), style: theme[.warning]) }
          grid.put(
            truncatedAtStart(shown(row.label), toWidth: label), at: Point(x: 2, y: y),
            style: theme[row.differs ? .key : .dim])
          let pair = CompareSpans(shown(row.left), shown(row.right), dropping: page.left, width: side)
          draw(pair.left, row.differs, at: Point(x: places.left, y: y), side, &grid)
          grid.put("│", at: Point(x: places.right - 2, y: y), style: theme[.line])
          draw(pair.right, row.differs, at: Point(x: places.right, y: y), side, &grid)
        }
      }
      drawScrollbar(&grid, top: page.top, count: page.rows.count)
    }
  }

  private func draw(_ parts: CompareSpans.Side, _ differs: Bool, at point: Point, _ width: Int, _ grid: inout Grid) {
    guard differs else {
      _ = grid.put(parts.same + parts.own + parts.rest, at: point, style: theme[.dim], maxWidth: width)
      return
    }
    grid.put(
      spans: [
        Span(parts.same, theme[.text]), Span(parts.own, theme[.warning].bold), Span(parts.rest, theme[.text]),
      ], at: point, maxWidth: width)
  }

  /// Of a path the end tells more than the beginning.
  private func truncatedAtStart(_ text: String, toWidth width: Int) -> String {
    guard textWidth(text) > width else { return text }
    var rest = Substring(text)
    while !rest.isEmpty, textWidth(rest) >= width { rest = rest.dropFirst() }
    return "…" + rest
  }
}
