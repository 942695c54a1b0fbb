/// Traffic by host or endpoint, as the runtime counted it.
struct TrafficState: Sendable {
  enum Grouping: Sendable { case host, endpoint }

  var rows: [TrafficRow] = []
  var grouping = Grouping.endpoint
  var sort = TrafficColumn.count
  var descending = true
  var scroll = ListScroll()
  /// Requests came since.
  var isStale = true
  /// The token of the answer that is awaited.
  var awaited: Int?

  var selected: TrafficRow? { rows.indices.contains(scroll.selected) ? rows[scroll.selected] : nil }

  mutating func sortRows() {
    let chosen = selected.map { ($0.host, $0.path) }
    rows.sort { left, right in
      let order = sort.compare(left, right)
      if order == 0 { return (left.host, left.path ?? "") < (right.host, right.path ?? "") }
      return descending ? order > 0 : order < 0
    }
    if let chosen, let place = rows.firstIndex(where: { $0.host == chosen.0 && $0.path == chosen.1 }) {
      scroll.selected = place
    }
  }
}
