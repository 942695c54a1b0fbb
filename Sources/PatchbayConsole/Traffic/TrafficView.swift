import PatchbayGrid
import PatchbayInspect

extension ConsoleState {
  func drawTraffic(_ grid: inout Grid) {
    let byHost = traffic.grouping == .host
    let filter = requests.bar.applied
    let left: [PageLine.Piece] = [
      .init(byHost ? "By host" : "By endpoint", .text),
      .init(filter.isEmpty ? ", all recorded requests" : ", requests that fit \(filter)", .dim),
    ]
    drawBreadcrumb(left, Wording.count(traffic.rows.count, byHost ? "host" : "endpoint"), isCut: true, &grid)
    guard !traffic.rows.isEmpty else {
      let waits = traffic.awaited != nil
      return drawEmpty(
        [
          PageLine(waits ? "Counting…" : "No requests to count.", .text), PageLine([]),
          PageLine("Hosts and endpoints are counted here, ids in paths taken as one.", .dim),
          PageLine([]), hint("1", "goes to the requests"),
        ] + (filter.isEmpty ? [] : [hint("/", "changes the filter")]), &grid)
    }
    let table = trafficTable
    grid.within(layout.columns) { table.drawHeads(&$0, theme: theme) }
    let first = min(traffic.scroll.top, traffic.rows.count)
    let seen = traffic.rows[first..<min(traffic.rows.count, first + layout.rows.height)]
    let names = EndpointText(seen, width: table.places.first?.width ?? 0)
    grid.within(layout.rows) { grid in
      for row in 0..<grid.height {
        let place = traffic.scroll.top + row
        guard place < traffic.rows.count else { break }
        table.draw(
          cells(of: traffic.rows[place], names), row: row, isSelected: place == traffic.scroll.selected, theme: theme,
          &grid)
      }
      drawScrollbar(&grid, top: traffic.scroll.top, count: traffic.rows.count)
    }
  }

  /// The columns, with the sorted one marked.
  var trafficTable: TableView {
    func column(_ column: TrafficColumn, _ width: Int, least: Int? = nil, rank: Int = 0) -> TableView.Column {
      TableView.Column(
        title: column == .name && traffic.grouping == .host ? "host" : column.title, width: width, least: least,
        alignsRight: column != .name, isSorted: traffic.sort == column, descending: traffic.descending,
        flexes: column == .name, rank: rank)
    }
    return TableView(
      [
        column(.name, 34, least: 10), column(.count, 8, least: 6), column(.errors, 8, least: 7),
        column(.sent, 8, rank: 8), column(.received, 8, rank: 5), column(.p50, 7, rank: 1), column(.p95, 7, rank: 2),
        column(.p99, 7, rank: 6),
        TableView.Column(title: "last 10 min", width: 20, rank: 7),
      ], width: layout.columns.width)
  }

  /// Which column stands at a place of the heads.
  func trafficColumn(at x: Int) -> TrafficColumn? {
    trafficTable.column(at: x).flatMap { $0 < TrafficColumn.allCases.count ? TrafficColumn.allCases[$0] : nil }
  }

  private func cells(of row: TrafficStatistics, _ names: EndpointText) -> [TableView.Cell] {
    func time(_ value: Int64?) -> TableView.Cell {
      TableView.Cell(value.map(Wording.duration) ?? "—", (value ?? 0) >= 1_000_000 ? .warning : .text)
    }
    let bad = row.errors > 0
    return [
      TableView.Cell(names.pieces(row)), TableView.Cell(Wording.count(row.count)),
      TableView.Cell(bad ? "! \(Wording.percent(row.errorRate))" : "0 %", bad ? .failure : .dim),
      TableView.Cell(Wording.size(row.sent), .dim), TableView.Cell(Wording.size(row.received), .dim),
      time(row.p50), time(row.p95), time(row.p99), TableView.Cell(Spark.line(row.sparkline.map(Double.init)), .good),
    ]
  }
}
