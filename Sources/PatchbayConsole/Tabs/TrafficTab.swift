import PatchbayGrid
import PatchbayInspect

/// Traffic by host or endpoint, as the runtime counted it.
struct TrafficTab: Sendable {
  private enum Grouping: Sendable { case host, endpoint }

  private(set) var rows: [TrafficStatistics] = []
  private var grouping = Grouping.endpoint
  private(set) var sort = TrafficColumn.count
  private var descending = true
  private var scroll = ListScroll()
  /// Requests came since.
  private(set) var isStale = true
  /// The token of the answer that is awaited.
  private(set) var awaited: Int?

  var selected: TrafficStatistics? { rows.indices.contains(scroll.selected) ? rows[scroll.selected] : nil }

  // MARK: What it is told

  /// More was recorded than is counted here.
  mutating func noteChange(isShown: Bool) { if isShown || !rows.isEmpty { isStale = true } }

  mutating func shown(_ context: ConsoleContext, _ out: inout Outcomes) { load(context, &out) }

  mutating func tick(_ context: ConsoleContext, _ out: inout Outcomes) { if isStale { load(context, &out) } }

  private mutating func load(_ context: ConsoleContext, _ out: inout Outcomes) {
    guard awaited == nil else { return }
    let token = out.newToken()
    awaited = token
    isStale = false
    out.perform(.loadTraffic(token: token, filter: context.filter))
  }

  mutating func received(_ report: TrafficReport, token: Int) {
    guard awaited == token else { return }
    awaited = nil
    let isFirst = rows.isEmpty
    rows = grouping == .host ? report.hosts : report.endpoints
    sortRows()
    if isFirst { scroll = ListScroll() }
  }

  mutating func run(_ command: TrafficCommand, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch command {
    case .open: open(&out)
    case .groupTraffic:
      grouping = grouping == .host ? .endpoint : .host
      scroll = ListScroll()
      load(context, &out)
    case .sort:
      let all = TrafficColumn.allCases
      sort(by: all[((all.firstIndex(of: sort) ?? 0) + 1) % all.count])
    case .reverseSort:
      descending.toggle()
      sortRows()
    case .filter:
      out.add(.show(.requests))
      out.add(.requests(.openFilter))
    }
  }

  func isPossible(_ command: TrafficCommand) -> Bool {
    switch command {
    case .open: selected != nil
    case .sort, .reverseSort: !rows.isEmpty
    case .groupTraffic, .filter: true
    }
  }

  private func open(_ out: inout Outcomes) {
    guard let row = selected else { return }
    var filter = "host:\(FilterWord.containing(row.host))"
    if let path = row.endpoint { filter += " path:\(FilterWord.whole(path))" }
    if let method = row.method { filter += " method:\(method)" }
    out.add(.show(.requests))
    out.add(.requests(.applyFilter(filter)))
  }

  private mutating func sort(by column: TrafficColumn) {
    if sort == column { descending.toggle() } else { descending = column != .name }
    sort = column
    sortRows()
  }

  private mutating func sortRows() {
    let chosen = selected
    rows.sort { left, right in
      let order = sort.compare(left, right)
      if order == 0 { return left.place < right.place }
      return descending ? order > 0 : order < 0
    }
    if let chosen, let row = rows.firstIndex(where: { $0.place == chosen.place }) { scroll.selected = row }
  }

  mutating func move(by step: Int) { scroll.move(by: step, count: rows.count) }

  mutating func pointer(_ pointer: Pointer, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    let layout = Layout(in: area)
    switch pointer {
    case .press(let point, _) where layout.columns.contains(point):
      if let column = column(at: point.x, width: layout.columns.width) { sort(by: column) }
    case .press(let point, let isDouble):
      guard scroll.press(point, in: layout.rows, count: rows.count) else { return }
      if isDouble { open(&out) }
    case .wheel(let step, _): scroll.scroll(by: step, count: rows.count, height: layout.rows.height)
    case .drag, .release: break
    }
  }

  mutating func settle(in area: Rect) { scroll.settle(count: rows.count, height: Layout(in: area).rows.height) }
}

// MARK: Drawing

extension TrafficTab {
  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    let layout = Layout(in: area)
    let byHost = grouping == .host
    let filter = context.filter
    let left: [PageLine.Piece] = [
      .init(byHost ? "By host" : "By endpoint", .text),
      .init(filter.isEmpty ? ", all recorded requests" : ", requests that fit \(filter)", .dim),
    ]
    let count = Wording.count(rows.count, byHost ? "host" : "endpoint")
    grid.drawBreadcrumb(left, count, isCut: true, in: layout.bar, context)
    guard !rows.isEmpty else {
      let lines =
        [
          PageLine(awaited != nil ? "Counting…" : "No requests to count.", .text), PageLine([]),
          PageLine("Hosts and endpoints are counted here, ids in paths taken as one.", .dim),
          PageLine([]), PageLine.hint("1", "goes to the requests"),
        ] + (filter.isEmpty ? [] : [PageLine.hint("/", "changes the filter")])
      return grid.within(layout.rows) { $0.drawNotice(lines, context.theme) }
    }
    let table = table(width: layout.columns.width)
    let first = min(scroll.top, rows.count)
    let seen = rows[first..<min(rows.count, first + layout.rows.height)]
    let names = EndpointText(seen, width: table.places.first?.width ?? 0)
    table.draw(on: &grid, in: layout, scroll, count: rows.count, context.theme) { cells(of: rows[$0], names) }
  }

  /// The columns, with the sorted one marked.
  private func table(width: Int) -> TableView {
    func column(_ column: TrafficColumn, _ width: Int, least: Int? = nil, rank: Int = 0) -> TableView.Column {
      TableView.Column(
        title: column == .name && grouping == .host ? "host" : column.title, width: width, least: least,
        alignsRight: column != .name, isSorted: sort == column, descending: descending,
        flexes: column == .name, rank: rank)
    }
    return TableView(
      [
        column(.name, 34, least: 10), column(.count, 8, least: 6), column(.errors, 8, least: 7),
        column(.sent, 8, rank: 8), column(.received, 8, rank: 5), column(.p50, 7, rank: 1), column(.p95, 7, rank: 2),
        column(.p99, 7, rank: 6),
        TableView.Column(title: "last 10 min", width: 20, rank: 7),
      ], width: width)
  }

  /// Which column stands at a place of the heads.
  private func column(at x: Int, width: Int) -> TrafficColumn? {
    table(width: width).column(at: x).flatMap {
      $0 < TrafficColumn.allCases.count ? TrafficColumn.allCases[$0] : nil
    }
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

extension TrafficStatistics {
  /// What no other row has.
  fileprivate var place: (host: String, endpoint: String, method: String) { (host, endpoint ?? "", method ?? "") }
}
