import PatchbayGrid
import PatchbayStubs

extension ConsoleState {
  /// The tabs with their places in the header.
  var tabPlaces: [(tab: Tab, x: Int, label: String)] {
    let gap = size.width >= 110 ? 2 : 0
    var x = size.width >= 70 ? 11 : 1
    return Tab.allCases.map { tab in
      let name = size.width >= 60 ? tab.title : String(tab.title.prefix(4))
      let label = " \(tab.rawValue + 1) \(name) "
      defer { x += textWidth(label) + gap }
      return (tab, x, label)
    }
  }

  func drawHeader(_ grid: inout Grid, _ area: Rect) {
    grid.within(area) { grid in
      grid.fill(style: theme[.header])
      if size.width >= 70 { grid.put("patchbay", at: Point(x: 1, y: 0), style: theme[.brand]) }
      var end = 0
      for place in tabPlaces {
        let style = theme[place.tab == tab ? .tabActive : .tab]
        end = place.x + grid.put(place.label, at: Point(x: place.x, y: 0), style: style)
      }
      let parts = headerParts(room: grid.width - end - 2)
      let width = parts.reduce(0) { $0 + textWidth($1.text) }
      let spans = parts.map { Span($0.text, $0.role == .badge ? theme[.badge] : theme[$0.role, on: .header]) }
      grid.put(spans: spans, at: Point(x: grid.width - width - 1, y: 0))
    }
  }

  /// The airplane switch, where it is on.
  private var faultForEverything: NamedFault? {
    stubs.board.entries.lazy.map(\.stub)
      .filter { $0.enabled && $0.when == RequestPattern() && !isUsedUp($0, for: nil) }
      .compactMap { stub in NamedFault.all.first { $0.action == stub.then } }.first
  }

  /// What is said at the right, from the most telling form to the shortest that fits.
  private func headerParts(room: Int) -> [PageLine.Piece] {
    let linked = PageLine.Piece("\(processes.linked) linked", processes.linked == 0 ? .warning : .header)
    let rateText =
      rate.perSecond >= 10 ? "\(Int(rate.perSecond.rounded()))/s" : "\((rate.perSecond * 10).rounded() / 10)/s"
    let rate =
      rate.isIdle ? [] : [PageLine.Piece(self.rate.sparkline(width: 12), .spark), .init(" \(rateText)", .header)]
    let count = PageLine.Piece(Wording.count(recorded, "request"), .header)
    var badges: [PageLine.Piece] = []
    if !held.isEmpty { badges.append(.init(" \(held.count) held ", .badge)) }
    if let point = stubs.holdAll {
      badges.append(.init(" HOLDING \(point == .request ? "ALL" : "ALL \(point.rawValue)") ", .badge))
    }
    if let fault = faultForEverything { badges.append(.init(" ✗ EVERYTHING: \(fault.title) ", .badge)) }
    if stubs.unmatched != .pass { badges.append(.init(" unmatched: \(stubs.unmatched.rawValue) ", .badge)) }
    let forms: [[[PageLine.Piece]]] = [
      badges.map { [$0] } + [[linked], [count], rate],
      badges.map { [$0] } + [[linked], [count], rate.isEmpty ? [] : [rate[1]]],
      badges.map { [$0] } + [[linked], recorded > 0 ? [.init(Wording.count(recorded), .header)] : []],
      badges.map { [$0] } + [[linked]],
      badges.map { [$0] },
      badges.isEmpty ? [] : [[badges[0]]],
    ]
    for form in forms {
      let parts = Array(form.filter { !$0.isEmpty }.joined(separator: [PageLine.Piece(" · ", .tab)]))
      if parts.reduce(0, { $0 + textWidth($1.text) }) <= room { return parts }
    }
    return []
  }
}
