import Foundation
import PatchbayGrid
import PatchbayStubs
import PatchbayWire

/// Two exchanges side by side. Making one of bodies of megabytes takes a while: away from the keys.
package struct ComparePage: Sendable {
  /// Number and outcome of either, above the columns.
  private var titles: (left: String, right: String)
  private let all: [CompareRow]
  /// The rows in sight: all, or those that differ with their headings.
  private(set) var rows: [CompareRow]
  private var showsOnlyDifferences = false
  private var top = 0
  /// Letters that are scrolled off at the left of both sides.
  private var left = 0

  /// How many rows differ: not counting those that are no outcome, such as number, duration and date.
  var differences: Int { all.count(where: \.differs) }

  /// Bodies up to this are compared at once.
  static let quickLimit = 256 << 10

  /// Whether it is better made away from the keys.
  static func isSlow(_ exchanges: [Exchange]) -> Bool {
    exchanges.contains { max($0.request.body?.count ?? 0, $0.response?.body?.count ?? 0) > quickLimit }
  }

  /// What the program asked beside what went out in its place; nil where they are the same.
  init?(sentOf exchange: Exchange) {
    guard let sent = exchange.sent else { return nil }
    var other = exchange
    other.request = sent
    self.init(exchange, other)
    titles = ("\(exchange.id)  as the program asked", "\(exchange.id)  as it was sent")
  }

  package init(_ left: Exchange, _ right: Exchange) {
    func row(_ label: String, _ value: (Exchange) -> String) -> CompareRow {
      CompareRow(label, value(left), value(right))
    }
    func side(_ exchange: Exchange) -> (BodyRows.Side, BodyRows.Side) {
      (
        BodyRows.Side(exchange.request.body, exchange.request.headers, truncated: exchange.request.truncated),
        BodyRows.Side(
          exchange.response?.body, exchange.response?.headers ?? [], truncated: exchange.response?.truncated ?? false)
      )
    }
    let (one, other) = (side(left), side(right))
    let facts = [
      row("request") { "\($0.id)" }, row("process") { "\($0.process.name) \($0.process.pid)" },
      row("method") { $0.request.method }, row("url") { $0.request.url },
      row("status") { $0.response.map { "\($0.status) \(HTTPStatus.phrase($0.status))" } ?? "—" },
      row("error") { $0.error.map(DetailPages.sentence) ?? "—" },
      row("by") { $0.stub.map { "◆ \($0)" } ?? $0.by.rawValue },
      row("took") { $0.timing.end.map(Wording.duration) ?? "—" },
    ]
    // Where both have none there is nothing to be seen.
    let known = facts.filter { $0.left != "—" || $0.right != "—" }
    let sections = [
      ("Request headers", PairRows.headers(left.request.headers, right.request.headers)),
      ("Request body", BodyRows.rows(one.0, other.0)),
      ("Response headers", PairRows.headers(left.response?.headers ?? [], right.response?.headers ?? [])),
      ("Response body", BodyRows.rows(one.1, other.1)),
    ]
    var all = known + sections.filter { !$0.1.isEmpty }.flatMap { [.heading($0.0)] + $0.1 }
    for place in all.indices where ComparePage.isNoOutcome(all[place].label) { all[place].differs = false }
    self.all = all
    rows = all
    titles = (ComparePage.title(left), ComparePage.title(right))
  }

  private static func isNoOutcome(_ label: String) -> Bool {
    ["request", "process", "took"].contains(label) || label.caseInsensitiveEquals("date")
  }

  private static func title(_ exchange: Exchange) -> String {
    let outcome = OutcomeLook(exchange.summary)
    let origin = exchange.replayOf.map { ", \($0) sent again" } ?? ""
    return "\(exchange.id)\(origin)  \(outcome.sign) \(outcome.text)"
  }

  /// Shows only what differs, or all again.
  private mutating func toggleSame() {
    showsOnlyDifferences.toggle()
    guard showsOnlyDifferences else {
      rows = all
      return
    }
    var kept: [CompareRow] = []
    for row in all where row.differs || row.kind == .heading {
      if row.kind == .heading, kept.last?.kind == .heading { kept.removeLast() }
      kept.append(row)
    }
    if kept.last?.kind == .heading { kept.removeLast() }
    rows = kept
  }

  /// The next row that differs, from a row on; of those that follow each other the first.
  private func next(from row: Int, step: Int) -> Int? {
    var place = row + step
    while rows.indices.contains(place) {
      if rows[place].differs, place == 0 || !rows[place - 1].differs || showsOnlyDifferences { return place }
      place += step
    }
    return nil
  }
}

extension PairRows {
  static func headers(_ left: [HeaderField], _ right: [HeaderField]) -> [CompareRow] {
    rows(left, right) { $0.caseInsensitiveEquals($1) }
  }
}

extension ComparePage: Box {
  var place: BoxPlace { .screen }

  func hints(_ context: ConsoleContext) -> [FooterHint] {
    [
      FooterHint("↑↓", "scroll"), FooterHint("n/N", "next/previous difference"), FooterHint("d", "only differences"),
      FooterHint("← →", "long values"), FooterHint("esc", "close"),
    ]
  }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch event {
    case .input(.key(let key)): handle(key, height: max(1, context.size.height - 4), &out)
    case .input(.mouse(let event)):
      if case .wheelDown = event.kind { top += 3 }
      if case .wheelUp = event.kind { top -= 3 }
    default: return
    }
    top = max(0, min(top, rows.count - 1))
  }

  private mutating func handle(_ key: Key, height: Int, _ out: inout Outcomes) {
    switch key {
    case .escape, Key("q"), .control("c"): out.close()
    case .down, Key("j"): top += 1
    case .up, Key("k"): top -= 1
    case Key(.pageDown), .space: top += height
    case Key(.pageUp): top -= height
    case .right, Key("l"): left += 20
    case .left, Key("h"): left = max(0, left - 20)
    case Key("g"), Key(.home): top = 0
    case Key("G"), Key(.end): top = rows.count
    case Key("n"): top = next(from: top, step: 1) ?? top
    case Key("N"): top = next(from: top, step: -1) ?? top
    case Key("d"):
      toggleSame()
      top = 0
    default: break
    }
  }

  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    let theme = context.theme
    let label = max(12, min(26, area.width / 4))
    let side = (area.width - label - 6) / 2
    let places = (left: label + 3, right: label + 5 + side)
    let head = area.splitTop(2)
    grid.within(head.top) { grid in
      let count = differences
      let text = count == 0 ? "They are the same." : "\(Wording.count(count, "difference")), marked ≠"
      grid.put("Compare", at: Point(x: 1, y: 0), style: theme[.text].bold)
      grid.put(text, at: Point(x: 10, y: 0), style: theme[count == 0 ? .good : .warning])
      for (title, x) in [(titles.left, places.left), (titles.right, places.right)] {
        grid.put(shown(title), at: Point(x: x, y: 1), style: theme[.columnHead], maxWidth: side)
      }
      grid.put("│", at: Point(x: places.right - 2, y: 1), style: theme[.line])
    }
    grid.within(head.rest) { grid in
      for (y, row) in rows.dropFirst(top).prefix(grid.height).enumerated() {
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
          let pair = CompareSpans(shown(row.left), shown(row.right), dropping: self.left, width: side)
          draw(pair.left, row.differs, at: Point(x: places.left, y: y), side, theme, &grid)
          grid.put("│", at: Point(x: places.right - 2, y: y), style: theme[.line])
          draw(pair.right, row.differs, at: Point(x: places.right, y: y), side, theme, &grid)
        }
      }
      grid.drawScrollbar(theme, top: top, count: rows.count)
    }
  }

  private func draw(
    _ parts: CompareSpans.Side, _ differs: Bool, at point: Point, _ width: Int, _ theme: Theme, _ grid: inout Grid
  ) {
    guard differs else {
      _ = grid.put(parts.same + parts.own + parts.rest, at: point, style: theme[.dim], maxWidth: width)
      return
    }
    grid.put(
      spans: [
        Span(parts.same, theme[.text]), Span(parts.own, theme[.warning].bold), Span(parts.rest, theme[.text]),
      ], at: point, maxWidth: width)
  }
}
