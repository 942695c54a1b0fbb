import PatchbayGrid
import PatchbayInspect

/// Which columns of the request list are shown at a width, and where.
struct ColumnLayout: Equatable {
  struct Place: Equatable {
    var column: RequestColumn
    var x: Int
    var width: Int
  }

  /// Columns left of the first one: mark, selection, sign and a gap.
  static let gutter = 4
  /// Below this width columns are cut shorter.
  static let narrow = 112
  /// Below this one shorter still.
  static let tiny = 60

  var places: [Place] = []
  private var measures: [RequestColumn: ColumnMeasure] = [:]
  private let gap: Int

  /// - Parameters:
  ///   - chosen: by the person; empty takes those that fit.
  ///   - widths: by the person, who saw a list of `widthsFor` columns. In one as wide others give way to them, in a
  ///     narrower one they take no more than their turn.
  ///   - wants: how wide what is seen of a column is at most, where that is known.
  ///   - digits: of the highest id.
  ///   - showsProcess: whether more than one process is or was linked.
  ///   - hasOneHost: whether all that was seen is of one host, whose name is left out where there is little room.
  ///   - sorted: always shown, wide enough for its arrow.
  init(
    width: Int, chosen: [RequestColumn], widths: [RequestColumn: Int], widthsFor: Int = 0,
    wants: [RequestColumn: Int] = [:], digits: Int, showsProcess: Bool, hasOneHost: Bool = false,
    sorted: RequestColumn? = nil
  ) {
    gap = width < ColumnLayout.narrow ? 1 : 2
    var room = width - ColumnLayout.gutter - 1
    for column in RequestColumn.allCases {
      measures[column] = ColumnMeasure(
        column, width: width, digits: digits, own: widths[column], want: wants[column], isSorted: column == sorted)
    }
    var taken: [RequestColumn: Int] = [:]
    let hidesHost = hasOneHost && chosen.isEmpty && width < ColumnLayout.narrow && sorted != .host
    for column in ColumnLayout.order(width: width, chosen: chosen, showsProcess: showsProcess, sorted: sorted)
    where column != .host || !hidesHost {
      guard let measure = measures[column] else { continue }
      let need = measure.least + (taken.isEmpty ? 0 : gap)
      guard need <= room else { continue }
      taken[column] = measure.least
      room -= need
    }
    func grow(_ column: RequestColumn, to limit: Int) {
      guard let now = taken[column] else { return }
      let more = max(0, min(room, limit - now))
      taken[column] = now + more
      room -= more
    }
    func shrink(_ column: RequestColumn, to limit: Int) {
      guard let now = taken[column], now > limit else { return }
      taken[column] = limit
      room += now - limit
    }
    // What has more room than it fills gives the rest away.
    for (column, measure) in measures where measure.own == nil { shrink(column, to: measure.content) }
    for column in ColumnLayout.worth where width >= widthsFor {
      guard let own = measures[column]?.own, let now = taken[column] else { continue }
      for (other, measure) in measures.sorted(by: { $0.key.rawValue < $1.key.rawValue })
      where measure.own == nil && room < own - now {
        shrink(other, to: max(measure.floor, (taken[other] ?? 0) - (own - now - room)))
      }
      grow(column, to: own)
    }
    for (column, limit) in ColumnLayout.steps {
      guard let measure = measures[column] else { continue }
      grow(column, to: min(limit, measure.own ?? measure.most))
    }
    for column in ColumnLayout.worth { measures[column]?.own.map { grow(column, to: $0) } }
    let last = [RequestColumn.path, .by, .host].first { taken[$0] != nil && measures[$0]?.own == nil }
    if let last, room > 0 { grow(last, to: .max) }
    var x = ColumnLayout.gutter
    for column in RequestColumn.allCases {
      guard let width = taken[column] else { continue }
      places.append(Place(column: column, x: x, width: width))
      x += width + gap
    }
  }

  /// How far columns grow beyond their least, in turn.
  private static let steps: [(RequestColumn, Int)] = [
    (.path, 19), (.host, 16), (.by, 16), (.path, 26), (.host, 26), (.by, 20), (.path, 44), (.timeline, 40),
    (.host, 30), (.status, 14), (.process, 20), (.path, 80), (.host, 60), (.by, 40), (.status, 30), (.process, 40),
    (.path, 400), (.host, 200), (.by, 200), (.timeline, 60),
  ]

  /// The columns in the order in which they are given room where all are wanted.
  static let worth = preference(width: 200, showsProcess: true)

  private static func preference(width: Int, showsProcess: Bool) -> [RequestColumn] {
    var order: [RequestColumn] = [.method, .status, .path, .by, .startedAt, .host, .duration, .number, .size]
    if showsProcess { order.insert(.process, at: width < ColumnLayout.narrow ? 8 : 6) }
    if !showsProcess, width >= 110 { order.append(.process) }
    if width >= 130 { order.append(.type) }
    if width >= 150 { order.append(.timeline) }
    return order
  }

  /// Where the chosen ones do not all fit, the least telling go first; the one that is sorted by never does.
  private static func order(
    width: Int, chosen: [RequestColumn], showsProcess: Bool, sorted: RequestColumn?
  ) -> [RequestColumn] {
    let order =
      chosen.isEmpty ? preference(width: width, showsProcess: showsProcess) : worth.filter(chosen.contains)
    guard let sorted else { return order }
    let first = [RequestColumn.path, .status].filter { order.contains($0) && $0 != sorted } + [sorted]
    return first + order.filter { !first.contains($0) }
  }
}

extension ColumnLayout {
  /// The column whose right edge, or the gap after it, is at that place of the heads.
  func edge(at x: Int) -> Place? {
    guard let next = places.firstIndex(where: { $0.x > x }) ?? (places.isEmpty ? nil : places.count) else { return nil }
    guard next > 0, x >= places[next - 1].x + places[next - 1].width else { return nil }
    return places[next - 1]
  }

  /// How wide a column can be made while nothing left of it moves and nothing right of it is left out.
  func widest(_ column: RequestColumn, screen: Int) -> Int {
    guard let index = places.firstIndex(where: { $0.column == column }), let last = places.last else { return 0 }
    let slack = screen - 1 - last.x - last.width
    return places[(index + 1)...].reduce(places[index].width + max(0, slack)) { sum, place in
      sum + max(0, place.width - (measures[place.column]?.floor ?? place.width))
    }
  }
}

// MARK: The columns of the list

extension RequestsTab {
  func columns(_ layout: Layout, _ context: ConsoleContext) -> ColumnLayout {
    let sort = list.query.sort
    return columns(layout, context.view, context, sorted: sort.isArrival ? nil : sort.column)
  }

  /// - Parameter sorted: the column that must be there.
  private func columns(
    _ layout: Layout, _ view: ViewSettings, _ context: ConsoleContext, sorted: RequestColumn?
  ) -> ColumnLayout {
    ColumnLayout(
      width: layout.columns.width, chosen: view.columns, widths: view.widths, widthsFor: view.widthsFor,
      wants: wants.widths, digits: String(recorded.newest).count,
      showsProcess: Set(context.links.map(\.process.pid)).count > 1, hasOneHost: wants.hasOneHost, sorted: sorted)
  }

  /// The columns that the person chose, else those that fit, without the one that is there only because it is sorted by.
  private func shownColumns(_ layout: Layout, _ context: ConsoleContext) -> [RequestColumn] {
    context.view.columns.isEmpty
      ? columns(layout, context.view, context, sorted: nil).places.map(\.column) : context.view.columns
  }

  func columnsMenu(selected: Int, in area: Rect, _ context: ConsoleContext) -> ColumnsMenu {
    let layout = layout(in: area, context)
    let shown = shownColumns(layout, context)
    let places = columns(layout, context).places
    let items = RequestColumn.allCases.map { column in
      let place = places.first { $0.column == column }
      let width = context.view.widths[column].map { "\($0) wide" } ?? place.map { "\($0.width)" }
      let isLeftOut = shown.contains(column) && place == nil
      return Menu<RequestColumn>.Item(
        nil, column.title, detail: isLeftOut ? "no room" : width ?? "", isOn: shown.contains(column), column,
        staysOpen: true)
    }
    return ColumnsMenu(items, selected: selected)
  }

  /// What was chosen in the menu, which is opened anew with what came of it.
  func changeColumn(
    _ column: RequestColumn, _ change: RequestsMessage.ColumnChange, selected: Int, in area: Rect,
    _ context: ConsoleContext, _ out: inout Outcomes
  ) {
    let layout = layout(in: area, context)
    var context = context
    switch change {
    case .toggle:
      var shown = shownColumns(layout, context)
      if let place = shown.firstIndex(of: column) {
        if shown.count > 1 { shown.remove(at: place) }
      } else {
        shown.append(column)
      }
      if shown != shownColumns(layout, context) {
        context.view.columns = RequestColumn.allCases.filter { shown.contains($0) }
        out.add(.view(context.view))
      }
    case .resize(let step):
      if let place = columns(layout, context).places.first(where: { $0.column == column }) {
        setWidth(of: column, to: place.width + step, layout, &context.view, context)
        out.add(.view(context.view))
      } else {
        out.say(.info, "The column \(column.title) is not shown, so its width cannot be seen.")
      }
    case .reset:
      context.view.columns = []
      context.view.widths = [:]
      context.view.widthsFor = 0
      out.add(.view(context.view))
    }
    out.add(.replace(columnsMenu(selected: selected, in: area, context)))
  }

  /// The columns in sight are the chosen ones from then on: none comes or goes because another one changed.
  private func setWidth(
    of column: RequestColumn, to width: Int, _ layout: Layout, _ view: inout ViewSettings, _ context: ConsoleContext
  ) {
    view.columns = shownColumns(layout, context)
    view.widthsFor = layout.columns.width
    view.widths[column] = max(ColumnMeasure.narrowest(column), min(200, width))
  }

  /// Puts the right edge of a column at a place; what is left of the column stays where it is.
  func setEdge(
    of column: RequestColumn, to x: Int, _ layout: Layout, _ view: inout ViewSettings, _ context: ConsoleContext
  ) {
    let before = columns(layout, context)
    guard let index = before.places.firstIndex(where: { $0.column == column }) else { return }
    let place = before.places[index]
    let width = min(x - place.x, before.widest(column, screen: layout.columns.width))
    setWidth(of: column, to: width, layout, &view, context)
    func moved() -> ColumnLayout.Place? {
      let sort = list.query.sort
      let now = columns(layout, view, context, sorted: sort.isArrival ? nil : sort.column).places
      return before.places[..<index].first { left in
        view.widths[left.column] != left.width
          && now.first(where: { $0.column == left.column })?.width != left.width
      }
    }
    while let left = moved() { view.widths[left.column] = left.width }
  }
}

/// How wide the rows that were seen would like their columns. Columns only grow by it, so that nothing sways while rows
/// come and go.
struct ColumnWants: Sendable {
  private(set) var widths: [RequestColumn: Int] = [:]
  /// Up to two of the hosts that were seen.
  private var hosts: Set<String> = []
  /// All that was seen is of one host: where there is little room, its column says nothing.
  var hasOneHost: Bool { hosts.count == 1 }
  /// Those whose texts are of very different lengths.
  private static let measured: [RequestColumn] = [.process, .status, .host, .path, .by]

  mutating func measure(_ rows: [ExchangeSummary], _ context: ConsoleContext) {
    for summary in rows {
      if hosts.count < 2 { hosts.insert(summary.authority) }
      for column in ColumnWants.measured {
        let cell = RequestCell(
          column, of: summary, width: .max, now: context.now, utcOffset: context.setup.utcOffset)
        let width = textWidth(cell.text)
        if width > widths[column] ?? 0 { widths[column] = width }
      }
    }
  }
}
