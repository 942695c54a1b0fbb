import PatchbayGrid

/// What of the header fits a width: whole parts or nothing of them, the modes before anything else.
struct HeaderFit {
  /// How much of the tabs is shown, the most first.
  enum Tabs: Int, CaseIterable {
    case brandAndNames, names, shortNames, numbers

    var hasBrand: Bool { self == .brandAndNames }
  }

  var tabs: Tabs
  var places: [(tab: Tab, x: Int, label: String)]
  /// What is said at the right.
  var pieces: [PageLine.Piece] = []

  private static let separator = PageLine.Piece(" · ", .tab)

  init(width: Int, active: Tab, modes: [HeaderMode], linked: Int, recorded: Int, rate: RateMeter) {
    let widest: Tabs = width >= 70 ? .brandAndNames : width >= 60 ? .names : .shortNames
    tabs = widest
    places = HeaderFit.places(widest, active: active, width: width)
    func room() -> Int { width - 2 - (places.last.map { $0.x + textWidth($0.label) } ?? 0) }
    var badges = HeaderFit.badges(modes.map(\.text))
    search: for tabs in Tabs.allCases[widest.rawValue...] {
      self.tabs = tabs
      places = HeaderFit.places(tabs, active: active, width: width)
      // The program's name goes before a word of a mode does.
      for texts in tabs.hasBrand ? [modes.map(\.text)] : [modes.map(\.text), modes.map(\.short)] {
        badges = HeaderFit.badges(texts)
        if HeaderFit.width(badges) <= room() { break search }
      }
    }
    // A screen too narrow for all of them has the gravest.
    var count = modes.count
    while count > 1, HeaderFit.width(badges) > room() {
      count -= 1
      badges = HeaderFit.badges(modes.prefix(count).map(\.short))
    }
    pieces = badges
    for form in HeaderFit.forms(linked: linked, recorded: recorded, rate: rate) {
      let parts = (badges.isEmpty ? [] : [badges]) + form
      let all = Array(parts.joined(separator: [HeaderFit.separator]))
      if HeaderFit.width(all) <= room() {
        pieces = all
        break
      }
    }
  }

  /// What is said beside the modes, from the most to the least.
  private static func forms(linked: Int, recorded: Int, rate: RateMeter) -> [[[PageLine.Piece]]] {
    let link = [PageLine.Piece("\(Wording.count(linked)) linked", linked == 0 ? .warning : .header)]
    let count = [PageLine.Piece(Wording.count(recorded, "request"), .header)]
    let number = recorded > 0 ? [[PageLine.Piece(Wording.count(recorded), .header)]] : []
    let spark = PageLine.Piece(rate.sparkline(width: 12), .spark)
    guard !rate.isIdle, !spark.text.isEmpty else { return [[link, count], [link] + number, [link]] }
    let speed = PageLine.Piece(rateText(rate.perSecond), .header)
    return [
      [link, count, [spark, .init(" ", .header), speed]], [link, count, [speed]], [link] + number + [[speed]],
      [link] + number, [link],
    ]
  }

  private static func rateText(_ rate: Double) -> String {
    rate >= 10 ? "\(Wording.count(Int(rate.rounded())))/s" : "\((rate * 10).rounded() / 10)/s"
  }

  private static func badges(_ texts: [String]) -> [PageLine.Piece] {
    Array(texts.map { [PageLine.Piece(" \($0) ", .badge)] }.joined(separator: [PageLine.Piece(" ", .header)]))
  }

  private static func width(_ pieces: [PageLine.Piece]) -> Int { pieces.reduce(0) { $0 + textWidth($1.text) } }

  private static func places(_ tabs: Tabs, active: Tab, width: Int) -> [(tab: Tab, x: Int, label: String)] {
    let gap = tabs.hasBrand && width >= 110 ? 2 : 0
    var x = tabs.hasBrand ? 11 : 1
    return Tab.allCases.map { tab in
      let name: String =
        switch tabs {
        case .brandAndNames, .names: " \(tab.title)"
        case .shortNames: " \(tab == active ? tab.title : String(tab.title.prefix(4)))"
        case .numbers: tab == active ? " \(tab.title)" : ""
        }
      let label = " \(tab.rawValue + 1)\(name) "
      defer { x += textWidth(label) + gap }
      return (tab, x, label)
    }
  }
}
