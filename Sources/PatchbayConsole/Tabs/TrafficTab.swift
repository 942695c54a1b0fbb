import PatchbayGrid
import PatchbayInspect

/// Traffic by host or endpoint, as the runtime counted it.
struct TrafficTab: Sendable {
  private enum Grouping: Sendable {
    /// Hosts, each with its endpoints below it.
    case tree
    /// Endpoints of all hosts in one order.
    case endpoint
  }

  /// As they stand on the screen.
  private(set) var rows: [TrafficStatistics] = []
  private var report = TrafficReport()
  private var grouping = Grouping.tree
  /// Hosts whose endpoints are not shown.
  private var folded: Set<String> = []
  /// What is known of the selected row, and of which that is.
  private var detail: TrafficDetail?
  private var detailed: TrafficStatistics?
  /// What is counted anew has new details; those of before are shown until they are there.
  private var isDetailOld = false
  private var detailToken = 0
  /// Whether the person wants it; nil shows it where there is room.
  private var showsDetail: Bool?
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
    self.report = report
    isDetailOld = true
    arrange()
    if isFirst { scroll = ListScroll() }
  }

  mutating func run(_ command: TrafficCommand, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch command {
    case .open: open(context.filter, &out)
    case .groupTraffic:
      grouping = grouping == .tree ? .endpoint : .tree
      scroll = ListScroll()
      arrange()
    case .fold: fold()
    case .detail: showsDetail = !isDetailed(context.body)
    case .sort:
      let all = TrafficColumn.allCases
      sort(by: all[((all.firstIndex(of: sort) ?? 0) + 1) % all.count])
    case .reverseSort:
      descending.toggle()
      arrange()
    case .filter:
      out.add(.show(.requests))
      out.add(.requests(.openFilter))
    }
  }

  func isPossible(_ command: TrafficCommand) -> Bool {
    switch command {
    case .open, .detail: selected != nil
    case .sort, .reverseSort: !rows.isEmpty
    case .fold: isTree && selected != nil
    case .groupTraffic: report.hosts.count > 1
    case .filter: true
    }
  }

  private func open(_ filter: String, _ out: inout Outcomes) {
    guard let row = selected else { return }
    out.add(.show(.requests))
    out.add(.requests(.applyFilter(Filter.text(filter, and: condition(of: row)))))
  }

  private func condition(of row: TrafficStatistics) -> String {
    var words = ["host:\(FilterValue.containing(row.host))"]
    if let path = row.endpoint { words.append("path:\(FilterValue.whole(path))") }
    if let method = row.method { words.append("method:\(method)") }
    if let operation = row.operation {
      words.append("op:\(FilterValue.whole(operation))")
    } else if row.endpoint != nil, report.endpoints.contains(where: { $0.operation != nil && $0.hasPath(of: row) }) {
      words.append("-op:")
    }
    return words.joined(separator: " ")
  }

  private mutating func fold() {
    guard isTree, let row = selected else { return }
    if folded.remove(row.host) == nil { folded.insert(row.host) }
    arrange()
    if let place = rows.firstIndex(where: { $0.host == row.host && $0.endpoint == nil }) { scroll.selected = place }
  }

  /// Of one host alone nothing has to be told apart.
  private var isTree: Bool { grouping == .tree && report.hosts.count > 1 }

  private func isDetailed(_ area: Rect) -> Bool {
    showsDetail ?? (area.height >= Self.roomy || area.width >= Layout.wide)
  }

  /// From so many rows on the detail is shown without being asked for.
  private static let roomy = 28

  private mutating func sort(by column: TrafficColumn) {
    if sort == column { descending.toggle() } else { descending = column != .name }
    sort = column
    arrange()
  }

  /// Puts the rows in their order.
  private mutating func arrange() {
    let chosen = selected
    func sorted(_ rows: [TrafficStatistics]) -> [TrafficStatistics] {
      rows.sorted { left, right in
        let order = sort.compare(left, right)
        if order == 0 { return left.place < right.place }
        return descending ? order > 0 : order < 0
      }
    }
    if isTree {
      let endpoints = Dictionary(grouping: sorted(report.endpoints), by: \.host)
      rows = sorted(report.hosts).flatMap { [$0] + (folded.contains($0.host) ? [] : endpoints[$0.host] ?? []) }
    } else {
      rows = sorted(report.endpoints)
    }
    if let chosen, let row = rows.firstIndex(where: { $0.place == chosen.place }) { scroll.selected = row }
  }

  mutating func move(by step: Int) { scroll.move(by: step, count: rows.count) }

  mutating func pointer(_ pointer: Pointer, in area: Rect, _ context: ConsoleContext, _ out: inout Outcomes) {
    let layout = layout(in: area, context)
    switch pointer {
    case .press(let point, _) where layout.columns.contains(point):
      if let column = column(at: point.x, width: layout.columns.width) { sort(by: column) }
    case .press(let point, let isDouble):
      guard scroll.press(point, in: layout.rows, count: rows.count) else { return }
      if isDouble { open(context.filter, &out) }
    case .wheel(let step, _): scroll.scroll(by: step, count: rows.count, height: layout.rows.height)
    case .drag, .release: break
    }
  }

  /// After every event: the selection within the rows, and the detail of the selected one asked for.
  mutating func settle(in area: Rect, isShown: Bool, _ context: ConsoleContext, _ out: inout Outcomes) {
    scroll.settle(count: rows.count, height: layout(in: area, context).rows.height)
    guard isShown, isDetailed(area), let row = selected, row != detailed || isDetailOld else { return }
    if detailed?.place ?? ("", "", "", "") != row.place { detail = nil }
    detailed = row
    isDetailOld = false
    detailToken = out.newToken()
    let filter = Filter.text(context.filter, and: condition(of: row))
    out.perform(.loadTrafficDetail(token: detailToken, filter: filter))
  }

  mutating func received(_ detail: TrafficDetail, token: Int) { if token == detailToken { self.detail = detail } }

  func layout(in area: Rect, _ context: ConsoleContext) -> Layout {
    var view = context.view
    view.detailBeside = nil
    view.listShare = area.width >= Layout.wide ? 55 : 50
    return Layout(in: area, showsDetail: isDetailed(area) && !rows.isEmpty, view: view)
  }
}

// MARK: Drawing

extension TrafficTab {
  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    let layout = layout(in: area, context)
    let filter = context.filter
    let left: [PageLine.Piece] = [
      .init(isTree ? "By host and endpoint" : "By endpoint", .text),
      .init(filter.isEmpty ? ", all recorded requests" : ", requests that fit \(filter)", .dim),
    ]
    let count = Wording.count(report.endpoints.count, "endpoint")
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
    let names = EndpointText(seen, width: table.places.first?.width ?? 0, isTree: isTree, folded: folded)
    table.draw(on: &grid, in: layout, scroll, count: rows.count, context.theme) { cells(of: rows[$0], names) }
    drawDetail(&grid, layout, context)
  }

  private func drawDetail(_ grid: inout Grid, _ layout: Layout, _ context: ConsoleContext) {
    guard layout.detail.height > 0, let row = selected else { return }
    if layout.isBeside {
      for y in layout.divider.y..<layout.divider.maxY {
        grid.put("│", at: Point(x: layout.divider.x, y: y), style: context.theme[.line])
      }
    }
    grid.rule(at: layout.detailHead.origin, width: layout.detailHead.width, style: context.theme[.line])
    let title = " \(row.endpoint == nil ? "host" : "endpoint") "
    grid.put(title, at: Point(x: layout.detailHead.x + 2, y: layout.detailHead.y), style: context.theme[.dim])
    let area = layout.detail.inset(horizontal: 1, vertical: 0)
    let lines = detail.map { $0.lines(of: row, width: area.width, context) } ?? [PageLine("Reading…", .waiting)]
    grid.within(area) { grid in
      for (y, line) in lines.prefix(grid.height).enumerated() {
        let spans = line.pieces.map { Span($0.text, context.theme[$0.role]) }
        grid.put(spans: spans, at: Point(x: 0, y: y), maxWidth: grid.width)
      }
    }
  }

  /// The columns, with the sorted one marked.
  private func table(width: Int) -> TableView {
    func column(_ column: TrafficColumn, _ width: Int, least: Int? = nil, rank: Int = 0) -> TableView.Column {
      TableView.Column(
        title: column.title, width: width, least: least,
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

  /// A few errors are not as red as nothing but errors.
  private static func role(ofErrors row: TrafficStatistics) -> ThemeRole {
    switch row.errorRate {
    case 0: .dim
    case ..<0.05: .warning
    case ..<0.5: .clientError
    default: .failure
    }
  }

  private func cells(of row: TrafficStatistics, _ names: EndpointText) -> [TableView.Cell] {
    func time(_ value: Int64?) -> TableView.Cell {
      TableView.Cell(value.map(Wording.duration) ?? "—", (value ?? 0) >= 1_000_000 ? .warning : .text)
    }
    let bad = row.errors > 0
    return [
      TableView.Cell(names.pieces(row)), TableView.Cell(Wording.count(row.count)),
      TableView.Cell(bad ? "! \(Wording.percent(row.errorRate))" : "0 %", Self.role(ofErrors: row)),
      TableView.Cell(Wording.size(row.sent), .dim), TableView.Cell(Wording.size(row.received), .dim),
      time(row.p50), time(row.p95), time(row.p99), TableView.Cell(Spark.line(row.sparkline.map(Double.init)), .good),
    ]
  }
}

extension TrafficStatistics {
  /// What no other row has.
  fileprivate var place: (host: String, endpoint: String, method: String, operation: String) {
    (host, endpoint ?? "", method ?? "", operation ?? "")
  }

  fileprivate func hasPath(of other: TrafficStatistics) -> Bool {
    host == other.host && endpoint == other.endpoint && method == other.method
  }
}
