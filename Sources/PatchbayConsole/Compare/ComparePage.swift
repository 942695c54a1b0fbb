import Foundation
import PatchbayStubs
import PatchbayWire

/// Two exchanges side by side. Making one of bodies of megabytes takes a while: away from the keys.
package struct ComparePage: Sendable {
  /// Number and outcome of either, above the columns.
  let titles: (left: String, right: String)
  private let all: [CompareRow]
  /// The rows in sight: all, or those that differ with their headings.
  private(set) var rows: [CompareRow]
  private(set) var showsOnlyDifferences = false
  var top = 0
  /// Letters that are scrolled off at the left of both sides.
  var left = 0

  /// How many rows differ: not counting those that are no outcome, such as number, duration and date.
  var differences: Int { all.count(where: \.differs) }

  /// Bodies up to this are compared at once.
  static let quickLimit = 256 << 10

  /// Whether it is better made away from the keys.
  static func isSlow(_ exchanges: [Exchange]) -> Bool {
    exchanges.contains { max($0.request.body?.count ?? 0, $0.response?.body?.count ?? 0) > quickLimit }
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
  mutating func toggleSame() {
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
  func next(from row: Int, step: Int) -> Int? {
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
