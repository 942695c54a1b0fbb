import PatchbayWire

/// The linked processes, and those that were.
struct ProcessesState: Sendable {
  var links: [LinkRow] = []
  var scroll = ListScroll()

  var linked: Int { links.reduce(0) { $0 + ($1.ended == nil ? 1 : 0) } }
  var selected: LinkRow? { links.indices.contains(scroll.selected) ? links[scroll.selected] : nil }

  mutating func setDegree(_ degree: HookSettings.Degree, of instance: UInt64) {
    for place in links.indices where links[place].instance == instance { links[place].degree = degree }
  }

  mutating func take(_ rows: [LinkRow]) {
    let chosen = selected?.instance
    links = rows.sorted { ($0.ended == nil ? 0 : 1, $0.since) < ($1.ended == nil ? 0 : 1, $1.since) }
    if let chosen, let place = links.firstIndex(where: { $0.instance == chosen }) { scroll.selected = place }
  }
}
