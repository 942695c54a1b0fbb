import PatchbayGrid

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
  ///   - sorted: always shown, wide enough for its arrow.
  init(
    width: Int, chosen: [RequestColumn], widths: [RequestColumn: Int], widthsFor: Int = 0,
    wants: [RequestColumn: Int] = [:], digits: Int, showsProcess: Bool, sorted: RequestColumn? = nil
  ) {
    gap = width < ColumnLayout.narrow ? 1 : 2
    var room = width - ColumnLayout.gutter - 1
    for column in RequestColumn.allCases {
      measures[column] = ColumnMeasure(
        column, width: width, digits: digits, own: widths[column], want: wants[column], isSorted: column == sorted)
    }
    var taken: [RequestColumn: Int] = [:]
    for column in ColumnLayout.order(width: width, chosen: chosen, showsProcess: showsProcess, sorted: sorted) {
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

extension ConsoleState {
  var columnLayout: ColumnLayout {
    let sort = requests.query.sort
    return columnLayout(sorted: sort.isArrival ? nil : sort.column)
  }

  /// - Parameter sorted: the column that must be there.
  func columnLayout(sorted: RequestColumn?) -> ColumnLayout {
    ColumnLayout(
      width: layout.columns.width, chosen: view.columns, widths: view.widths, widthsFor: view.widthsFor,
      wants: requests.wants, digits: String(newest).count,
      showsProcess: Set(processes.links.map(\.process.pid)).count > 1, sorted: sorted)
  }
}
