import PatchbayGrid

extension ConsoleState {
  func drawHeader(_ grid: inout Grid, _ area: Rect) {
    grid.within(area) { grid in
      grid.fill(style: theme[.header])
      let header = header
      if header.tabs.hasBrand { grid.put("patchbay", at: Point(x: 1, y: 0), style: theme[.brand]) }
      for place in header.places {
        grid.put(place.label, at: Point(x: place.x, y: 0), style: theme[place.tab == tab ? .tabActive : .tab])
      }
      let width = header.pieces.reduce(0) { $0 + textWidth($1.text) }
      let spans = header.pieces.map { Span($0.text, $0.role == .badge ? theme[.badge] : theme[$0.role, on: .header]) }
      grid.put(spans: spans, at: Point(x: grid.width - width - 1, y: 0))
    }
  }

  /// The tabs with their places in the header.
  var tabPlaces: [(tab: Tab, x: Int, label: String)] { header.places }

  private var header: HeaderFit {
    HeaderFit(
      width: size.width, active: tab, modes: HeaderMode.all(of: self), linked: processes.linked, recorded: recorded,
      rate: rate)
  }
}
