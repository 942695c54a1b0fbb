import PatchbayGrid

/// A key and what it does, at the foot.
struct FooterHint: Equatable {
  let key: String
  let text: String
  /// What a click on it is; nil where it stands for several keys.
  let pressed: Key?

  init(_ key: String, _ text: String) {
    self.key = key
    self.text = text
    pressed = Key(parsing: key)
  }

  /// - Parameter text: what the binding's hint says, unless said.
  init(_ binding: Binding, _ text: String? = nil) {
    key = binding.keyLabel
    self.text = text ?? binding.hint ?? ""
    pressed = binding.keys.first
  }

  fileprivate var width: Int { textWidth(key) + 1 + textWidth(text) }

  /// Those of bindings that have a hint and a key, the most useful first; a command once.
  static func all(_ bindings: [Binding]) -> [FooterHint] {
    var seen: Set<String> = []
    return bindings.filter { $0.hint != nil && !$0.keys.isEmpty && seen.insert($0.command.name).inserted }
      .enumerated().sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
      .map { FooterHint($0.element) }
  }

  static let filter = [
    FooterHint("enter", "keep"), FooterHint("tab", "complete"), FooterHint("↑↓", "earlier ones"),
    FooterHint("esc", "cancel"),
  ]

  static let menu = [FooterHint("↑↓", "move"), FooterHint("enter", "choose"), FooterHint("esc", "close")]

  fileprivate func draw(at x: Int, _ theme: Theme, _ grid: inout Grid) {
    grid.put(spans: [Span(key, theme[.footerKey]), Span(" \(text)", theme[.footer])], at: Point(x: x, y: 0))
  }
}

/// The foot of the screen: as many hints as fit, each at its place, where a click is as good as its key.
struct Footer {
  private var hints: [(x: Int, hint: FooterHint)] = []

  /// - Parameters:
  ///   - last: stands at the right whatever else fits.
  ///   - reserved: columns at the right that something else takes.
  init(_ all: [FooterHint], last: FooterHint?, width: Int, reserving reserved: Int) {
    let room = width - reserved - (last.map { $0.width + 2 } ?? 0)
    var x = 1
    for hint in all where hint != last && x + hint.width <= room - 1 {
      hints.append((x, hint))
      x += hint.width + 2
    }
    if let last, width > last.width + 2 { hints.append((width - last.width - 1, last)) }
  }

  func draw(on grid: inout Grid, in area: Rect, _ theme: Theme) {
    grid.within(area) { grid in
      grid.fill(style: theme[.footer])
      for (x, hint) in hints { hint.draw(at: x, theme, &grid) }
    }
  }

  /// The key of the hint at that column; nil beside them, and for one of several keys.
  func key(at column: Int) -> Key? {
    hints.first { ($0.x..<$0.x + $0.hint.width).contains(column) }?.hint.pressed
  }
}

/// Long work that goes on somewhere.
struct Work: Sendable, Equatable {
  let token: Int
  let title: String
  /// How far it is; nil where that is not known.
  let share: Double?

  /// What it is, how far it is, and how to stop it.
  var text: String {
    let share = share.map { share in
      let cells = Int((max(0, min(1, share)) * 10).rounded(.down))
      return " \(String(repeating: "▰", count: cells))\(String(repeating: "▱", count: 10 - cells)) "
        + Wording.percent(share)
    }
    return "\(shown(title))\(share ?? ""), esc stops"
  }
}

/// What takes long and goes on, the newest last.
struct WorkList: Sendable {
  private var works: [Work] = []

  /// What is shown, and stopped by esc.
  var newest: Work? { works.last }

  /// It began, or went on.
  mutating func note(_ work: Work) {
    if let place = works.firstIndex(where: { $0.token == work.token }) {
      works[place] = work
    } else {
      works.append(work)
    }
  }

  mutating func end(_ token: Int) { works.removeAll { $0.token == token } }
}
