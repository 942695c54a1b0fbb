import PatchbayGrid
import PatchbayStubs

/// What of the header fits a width: whole parts or nothing of them, the modes before anything else.
struct Header {
  /// How much of the tabs is shown, the most first.
  private enum Tabs: Int, CaseIterable {
    case brandAndNames, names, shortNames, numbers

    var hasBrand: Bool { self == .brandAndNames }
  }

  private var tabs: Tabs
  private var places: [(tab: Tab, x: Int, label: String)]
  /// What is said at the right.
  private var pieces: [PageLine.Piece] = []

  private let active: Tab
  private static let separator = PageLine.Piece(" · ", .tab)

  /// - Parameter linked: how many programs are; nil where a file is browsed and none can be.
  init(width: Int, active: Tab, modes: [HeaderMode], linked: Int?, recorded: Int, rate: RateMeter) {
    self.active = active
    let widest: Tabs = width >= 70 ? .brandAndNames : width >= 60 ? .names : .shortNames
    tabs = widest
    places = Header.places(widest, active: active, width: width)
    func room() -> Int { width - 2 - (places.last.map { $0.x + textWidth($0.label) } ?? 0) }
    var badges = Header.badges(modes.map(\.text))
    search: for tabs in Tabs.allCases[widest.rawValue...] {
      self.tabs = tabs
      places = Header.places(tabs, active: active, width: width)
      // The program's name goes before a word of a mode does.
      for texts in tabs.hasBrand ? [modes.map(\.text)] : [modes.map(\.text), modes.map(\.short)] {
        badges = Header.badges(texts)
        if Header.width(badges) <= room() { break search }
      }
    }
    // A screen too narrow for all of them has the gravest.
    var count = modes.count
    while count > 1, Header.width(badges) > room() {
      count -= 1
      badges = Header.badges(modes.prefix(count).map(\.short))
    }
    pieces = badges
    for form in Header.forms(linked: linked, recorded: recorded, rate: rate) {
      let parts = (badges.isEmpty ? [] : [badges]) + form
      let all = Array(parts.joined(separator: [Header.separator]))
      if Header.width(all) <= room() {
        pieces = all
        break
      }
    }
  }

  /// What is said beside the modes, from the most to the least.
  private static func forms(linked: Int?, recorded: Int, rate: RateMeter) -> [[[PageLine.Piece]]] {
    let count = [PageLine.Piece(Wording.count(recorded, "request"), .header)]
    guard let linked else { return [[count]] }
    let link = [PageLine.Piece("\(Wording.count(linked)) linked", linked == 0 ? .warning : .header)]
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

  /// The tab whose label stands at a column.
  func tab(at x: Int) -> Tab? {
    places.last { x >= $0.x }.flatMap { x < $0.x + textWidth($0.label) ? $0.tab : nil }
  }

  /// The middle of the label of a tab.
  func column(of tab: Tab) -> Int? { places.first { $0.tab == tab }.map { $0.x + textWidth($0.label) / 2 } }

  func draw(on grid: inout Grid, in area: Rect, _ theme: Theme) {
    grid.within(area) { grid in
      grid.fill(style: theme[.header])
      if tabs.hasBrand { grid.put("patchbay", at: Point(x: 1, y: 0), style: theme[.brand]) }
      for place in places {
        grid.put(place.label, at: Point(x: place.x, y: 0), style: theme[place.tab == active ? .tabActive : .tab])
      }
      let width = pieces.reduce(0) { $0 + textWidth($1.text) }
      let spans = pieces.map { Span($0.text, $0.role == .badge ? theme[.badge] : theme[$0.role, on: .header]) }
      grid.put(spans: spans, at: Point(x: grid.width - width - 1, y: 0))
    }
  }
}

/// What a person must not overlook: it changes what becomes of requests, or of what is shown of them.
struct HeaderMode: Equatable {
  /// As it is said where there is room, and in as few cells as can be.
  var text: String
  var short: String

  /// The most grave first.
  static func all(_ context: ConsoleContext, isPaused: Bool) -> [HeaderMode] {
    var modes: [HeaderMode] = []
    if let file = context.setup.openedFile {
      modes.append(HeaderMode(text: "READ-ONLY \(truncated(shown(file), toWidth: 40))", short: "READ-ONLY"))
    }
    if let fault = faultForEverything(context) {
      modes.append(HeaderMode(text: "✗ EVERYTHING: \(fault.title)", short: "✗ ALL"))
    }
    if let point = context.stubs.holdAll {
      modes.append(
        HeaderMode(text: "HOLDING \(point == .request ? "ALL" : "ALL \(point.rawValue)")", short: "HOLD ALL"))
    }
    if context.stubs.board.isPaused { modes.append(HeaderMode(text: "STUBS OFF", short: "STUBS OFF")) }
    if !context.held.isEmpty {
      let text = "\(Wording.count(context.held.count)) held"
      modes.append(HeaderMode(text: text, short: text))
    }
    if isPaused { modes.append(HeaderMode(text: "PAUSED", short: "PAUSED")) }
    if context.stubs.unmatched != .pass {
      let what = context.stubs.unmatched.rawValue
      modes.append(HeaderMode(text: "unmatched: \(what)", short: "else \(what)"))
    }
    return modes
  }

  /// The airplane switch, where it is on.
  private static func faultForEverything(_ context: ConsoleContext) -> FaultPreset? {
    context.stubs.board.stubsInForce.lazy
      .filter { $0.enabled && $0.when == RequestPattern() && !context.isUsedUp($0, in: nil) }
      .compactMap { FaultPreset.of($0.then) }.first
  }
}

/// The screens of the console.
package enum Tab: Int, CaseIterable, Sendable {
  case requests, stubs, traffic, processes, output

  var title: String {
    switch self {
    case .requests: "Requests"
    case .stubs: "Stubs"
    case .traffic: "Traffic"
    case .processes: "Processes"
    case .output: "Output"
    }
  }

  /// The tab so many places further, round and round.
  func next(by step: Int) -> Tab {
    let count = Tab.allCases.count
    return Tab.allCases[(rawValue + step + count) % count]
  }
}
