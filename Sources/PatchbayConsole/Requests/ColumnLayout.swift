/// Which columns of the request list are shown at a width, and where.
struct ColumnLayout: Equatable {
  struct Place: Equatable {
    var column: RequestColumn
    var x: Int
    var width: Int
  }

  /// Columns left of the first one: mark and selection.
  static let gutter = 3
  /// Below this width columns are cut shorter.
  static let narrow = 112

  /// No column is made narrower by hand.
  static let narrowest = 3

  var places: [Place] = []

  private struct Measure {
    var least: Int
    var most: Int
  }

  /// - Parameters:
  ///   - digits: of the highest id.
  ///   - showsProcess: whether more than one process is or was linked.
  init(
    width: Int, chosen: [RequestColumn], widths: [RequestColumn: Int], digits: Int, showsProcess: Bool
  ) {
    let gap = width < ColumnLayout.narrow ? 1 : 2
    var room = width - ColumnLayout.gutter - 1
    var measures: [RequestColumn: Measure] = [:]
    for column in RequestColumn.allCases {
      var measure = ColumnLayout.measure(column, width: width, digits: digits)
      if let own = widths[column] { measure = Measure(least: own, most: own) }
      measures[column] = measure
    }
    var taken: [RequestColumn: Int] = [:]
    let order =
      chosen.isEmpty
      ? ColumnLayout.preference(width: width, showsProcess: showsProcess) : ColumnLayout.byWorth(chosen)
    for column in order {
      guard let measure = measures[column] else { continue }
      let need = measure.least + (taken.isEmpty ? 0 : gap)
      guard need <= room else { continue }
      taken[column] = measure.least
      room -= need
    }
    for (column, limit) in [
      (RequestColumn.path, 19), (.host, 16), (.by, 16), (.path, 26), (.host, 26), (.by, 20), (.path, 44),
      (.timeline, 40), (.host, 30),
    ] {
      guard let now = taken[column], widths[column] == nil else { continue }
      let more = max(0, min(room, min(limit, measures[column]?.most ?? limit) - now))
      taken[column] = now + more
      room -= more
    }
    if room > 0, let last = [RequestColumn.path, .by, .host].first(where: { taken[$0] != nil && widths[$0] == nil }) {
      taken[last]? += room
    }
    var x = ColumnLayout.gutter
    for column in RequestColumn.allCases {
      guard let width = taken[column] else { continue }
      places.append(Place(column: column, x: x, width: width))
      x += width + gap
    }
  }

  /// The columns in the order in which they are given room.
  private static func preference(width: Int, showsProcess: Bool) -> [RequestColumn] {
    var order: [RequestColumn] = [.method, .status, .path, .by, .startedAt, .host, .duration, .number, .size]
    if showsProcess { order.insert(.process, at: width < ColumnLayout.narrow ? 8 : 6) }
    if !showsProcess, width >= 110 { order.append(.process) }
    if width >= 130 { order.append(.type) }
    if width >= 150 { order.append(.timeline) }
    return order
  }

  /// Where the chosen ones do not all fit, the least telling go first.
  private static func byWorth(_ chosen: [RequestColumn]) -> [RequestColumn] {
    let all = preference(width: 200, showsProcess: true)
    return all.filter(chosen.contains) + chosen.filter { !all.contains($0) }
  }

  private static func measure(_ column: RequestColumn, width: Int, digits: Int) -> Measure {
    switch column {
    case .number: Measure(least: max(4, digits), most: max(4, digits))
    case .startedAt: Measure(least: width < narrow ? 8 : 12, most: 12)
    case .process: Measure(least: width < narrow ? 9 : 14, most: 14)
    case .method: Measure(least: 6, most: 7)
    case .status: Measure(least: 11, most: 14)
    case .host: Measure(least: width < narrow ? 10 : 15, most: 30)
    case .path: Measure(least: 14, most: 400)
    case .type: Measure(least: 9, most: 9)
    case .size: Measure(least: 7, most: 8)
    case .duration: Measure(least: 7, most: 7)
    case .by: Measure(least: width < narrow ? 10 : 14, most: 26)
    case .timeline: Measure(least: 20, most: 60)
    }
  }
}

extension ColumnLayout {
  /// The column whose right edge, or the gap after it, is at that place of the heads.
  func edge(at x: Int) -> Place? {
    guard let next = places.firstIndex(where: { $0.x > x }) ?? (places.isEmpty ? nil : places.count) else { return nil }
    guard next > 0, x >= places[next - 1].x + places[next - 1].width else { return nil }
    return places[next - 1]
  }
}

extension ConsoleState {
  var columnLayout: ColumnLayout {
    ColumnLayout(
      width: layout.columns.width, chosen: view.columns, widths: view.widths, digits: String(newest).count,
      showsProcess: Set(processes.links.map(\.process.pid)).count > 1)
  }
}
