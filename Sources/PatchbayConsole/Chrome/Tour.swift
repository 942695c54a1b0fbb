import PatchbayGrid

/// The first minute: one line above the footer that names the next key, until each was pressed. It takes no key itself,
/// and comes with the demo only, once.
struct Tour: Sendable {
  /// What is asked for, the next first.
  private(set) var step = 0
  private(set) var isOn: Bool

  /// What the tour looks at, after each event.
  struct Seen {
    var hasRequests: Bool
    var isOpen: Bool
    var detailTab: DetailTab
    var tab: Tab
    /// Stubs that are in force.
    var stubsOn: Int
    /// Those of them by which requests fail.
    var faultsOn: Int
    var filter: String
  }

  /// What was seen when it began.
  private var before: Seen?

  init(isOn: Bool) { self.isOn = isOn }

  private struct Step: Sendable {
    let text: String
    let isDone: @Sendable (Seen, _ before: Seen) -> Bool
  }

  private static let steps = [
    Step(text: "enter opens the selected request") { seen, _ in seen.isOpen },
    Step(text: "→ shows what was asked, when, and why it was answered so") { seen, _ in seen.detailTab != .response },
    Step(text: "x makes this endpoint fail: choose how") { seen, before in seen.faultsOn > before.faultsOn },
    Step(text: "the next request like it fails; u takes that back") { seen, before in seen.faultsOn <= before.faultsOn
    },
    Step(text: "2 shows the stubs: space turns one on") { seen, before in
      seen.tab == .stubs && seen.stubsOn > before.stubsOn
    },
    Step(text: "1 goes back; / and is:bad leave what failed, ? shows all keys") { seen, _ in !seen.filter.isEmpty },
  ]

  mutating func look(_ seen: Seen, _ view: ViewSettings, _ out: inout Outcomes) {
    guard isOn, seen.hasRequests else { return }
    let before = before ?? seen
    self.before = before
    while step < Self.steps.count, Self.steps[step].isDone(seen, before) { step += 1 }
    guard step == Self.steps.count else { return }
    end(view, &out)
    out.say(.good, "That was the tour. ? lists every key, : finds a command by its name.")
  }

  mutating func toggle(_ view: ViewSettings, _ out: inout Outcomes) {
    if isOn { end(view, &out) } else { self = Tour(isOn: true) }
  }

  /// It does not come again.
  private mutating func end(_ view: ViewSettings, _ out: inout Outcomes) {
    isOn = false
    var view = view
    view.tourDone = true
    out.add(.view(view))
  }

  func draw(on grid: inout Grid, in area: Rect, _ theme: Theme) {
    guard isOn, step < Self.steps.count else { return }
    grid.within(area) { grid in
      grid.fill(style: theme[.popup])
      let count = "tour \(step + 1)/\(Self.steps.count)"
      let x = 1 + grid.put(count, at: Point(x: 1, y: 0), style: theme[.key, on: .popup].bold) + 2
      let end = ": tour ends it"
      let fits = grid.width - x - textWidth(Self.steps[step].text) > textWidth(end) + 2
      grid.put(
        Self.steps[step].text, at: Point(x: x, y: 0), style: theme[.text, on: .popup], maxWidth: grid.width - x - 1)
      guard fits else { return }
      grid.put(end, at: Point(x: grid.width - textWidth(end) - 1, y: 0), style: theme[.dim, on: .popup])
    }
  }
}
