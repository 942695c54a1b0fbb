import PatchbayGrid
import PatchbayWire

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

/// A sentence that is shown for a while at the right of the foot, with what takes it back: nothing that is listed lies
/// below it.
struct Toast: Sendable, Equatable {
  private let notice: Notice
  /// Whether `u` takes back what it tells.
  private let undoable: Bool
  let expires: Timestamp
  /// It goes when nothing is held any more.
  let isAboutHeld: Bool

  init(_ notice: Notice, undoable: Bool, isAboutHeld: Bool, at now: Timestamp) {
    self.notice = notice
    self.undoable = undoable
    self.isAboutHeld = isAboutHeld
    let seconds: Int64 = notice.kind == .error || notice.kind == .warning ? 10 : 6
    expires = Timestamp(microseconds: now.microseconds + seconds * 1_000_000)
  }

  /// The sentence as it is wrapped, at most three lines.
  func lines(in size: Size) -> [String] {
    let undo = undoable ? "  u undoes" : ""
    let sign =
      switch notice.kind {
      case .error, .warning: "!"
      case .good: "✓"
      case .info: "·"
      }
    let text = " \(sign) \(shown(notice.text))\(undo) "
    let narrow = wrapped(text, toWidth: Toast.narrowWidth(in: size))
    guard narrow.count > Toast.lineLimit else { return narrow }
    // A long sentence takes whole lines, above the keys (see `rows`); one that is longer still ends with an ellipsis.
    let wide = wrapped(text, toWidth: max(10, size.width - 2))
    guard wide.count > Toast.lineLimit else { return wide }
    let last = truncated(wide[Toast.lineLimit - 1] + " …", toWidth: max(10, size.width - 2))
    return wide.prefix(Toast.lineLimit - 1) + [last]
  }

  private static let lineLimit = 3

  /// The rows that it takes. One so wide that no key would be left at its side stands above the foot, where the screen
  /// has room for that, and above a line in which something is typed.
  func rows(in size: Size, hasPrompt: Bool = false) -> Range<Int> {
    let lines = lines(in: size)
    let isWide = lines.contains { textWidth($0) > Toast.narrowWidth(in: size) } && Toast.takesRows(of: size)
    let end = size.height - (isWide || hasPrompt ? 1 : 0)
    return (end - lines.count)..<end
  }

  /// Columns that it takes of the foot.
  func footWidth(in size: Size) -> Int {
    rows(in: size).contains(size.height - 1) ? width(lines(in: size)) : 0
  }

  /// Whether what is listed makes room for a notice of several lines.
  static func takesRows(of size: Size) -> Bool { size.height > 12 }

  /// The keys at its left are wanted just now: some of the line is left to them.
  private static func narrowWidth(in size: Size) -> Int {
    max(10, max(min(40, size.width - 2), min(90, size.width - 30)))
  }

  private func width(_ lines: [String]) -> Int { lines.map { textWidth($0) }.max() ?? 0 }

  func draw(on grid: inout Grid, hasPrompt: Bool, _ theme: Theme) {
    guard grid.height > 4 else { return }
    let role: ThemeRole =
      switch notice.kind {
      case .error: .toastError
      case .warning: .badge
      case .info, .good: .toast
      }
    let size = Size(width: grid.width, height: grid.height)
    let lines = lines(in: size)
    let width = width(lines)
    for (y, line) in zip(rows(in: size, hasPrompt: hasPrompt), lines) {
      grid.fill(Rect(x: grid.width - width, y: y, width: width, height: 1), style: theme[role])
      grid.put(line, at: Point(x: grid.width - width, y: y), style: theme[role])
    }
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
