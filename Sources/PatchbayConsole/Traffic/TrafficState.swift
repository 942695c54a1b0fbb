import PatchbayInspect

/// Traffic by host or endpoint, as the runtime counted it.
struct TrafficState: Sendable {
  enum Grouping: Sendable { case host, endpoint }

  var rows: [TrafficStatistics] = []
  var grouping = Grouping.endpoint
  var sort = TrafficColumn.count
  var descending = true
  var scroll = ListScroll()
  /// Requests came since.
  var isStale = true
  /// The token of the answer that is awaited.
  var awaited: Int?

  var selected: TrafficStatistics? { rows.indices.contains(scroll.selected) ? rows[scroll.selected] : nil }

  mutating func sortRows() {
    let chosen = selected
    rows.sort { left, right in
      let order = sort.compare(left, right)
      if order == 0 { return left.place < right.place }
      return descending ? order > 0 : order < 0
    }
    if let chosen, let row = rows.firstIndex(where: { $0.place == chosen.place }) { scroll.selected = row }
  }
}

extension TrafficStatistics {
  /// What no other row has.
  fileprivate var place: (host: String, endpoint: String, method: String) { (host, endpoint ?? "", method ?? "") }
}
