import PatchbayGrid

extension ConsoleState {
  /// The bindings that the footer offers here and now, the most useful first.
  var footerBindings: [Binding] {
    let rows: [Binding]
    switch overlays.last {
    case .stubForm, .exchangeForm: rows = keys.bindings.filter { $0.context == .form }
    case .none: rows = keys.active(in: contexts)
    case .menu(let menu) where menu.isOffer && overlays.count == 1: rows = keys.active(in: contexts)
    default: rows = []
    }
    var seen: Set<String> = []
    return rows.filter {
      $0.hint != nil && !$0.keys.isEmpty && seen.insert($0.command.name).inserted && isPossible($0.command)
    }
    .enumerated().sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }.map(\.element)
  }

  private func hint(of binding: Binding) -> String {
    guard binding.command == .form(.save), case .exchangeForm(let form) = overlays.last else {
      return binding.hint ?? ""
    }
    return form.verb
  }

  /// Whether something is selected that a command could be about.
  private var hasSelection: Bool {
    switch tab {
    case .requests: requests.selectedID != nil
    case .stubs: !stubs.board.entries.isEmpty
    case .traffic: traffic.selected != nil
    case .processes: !processes.links.isEmpty
    case .output: true
    }
  }

  /// Whether a command would do something now.
  private func isPossible(_ command: ConsoleCommand) -> Bool {
    switch command {
    case .requests(let command): isPossible(command)
    case .stubs(let command): isPossible(command)
    case .traffic(let command): isPossible(command)
    case .processes: hasSelection
    case .output(.sendInput): output.ended == nil
    case .detail(.nextMatch), .output(.nextMatch): detail.page.search.count > 0
    case .global(.releaseAll): held.ids.count > 1
    case .global(.undo): log.canUndo
    case .global(.redo): false
    case .form(.showMatches): hasStubForm
    default: true
    }
  }

  private func isPossible(_ command: RequestsCommand) -> Bool {
    switch command {
    case .open, .stubFromRequest, .faults, .hold, .replay, .copy, .mark, .delete: hasSelection
    case .editStub: selectedSummary?.stub != nil
    case .sort, .reverseSort, .pause, .clear, .switchPane: !requests.order.isEmpty
    case .compare: requests.marks.count == 2 || selectedSummary?.replayOf != nil
    case .nextHeld: !held.isEmpty
    default: true
    }
  }

  private func isPossible(_ command: StubsCommand) -> Bool {
    switch command {
    case .addStub, .bringBackStubs: true
    case .writeStubs: stubs.board.entries.contains(where: \.edited)
    default: hasSelection
    }
  }

  private func isPossible(_ command: TrafficCommand) -> Bool {
    switch command {
    case .open: hasSelection
    case .sort, .reverseSort: !traffic.rows.isEmpty
    case .groupTraffic, .filter: true
    }
  }

  func drawFooter(_ grid: inout Grid, _ area: Rect) {
    grid.within(area) { grid in
      grid.fill(style: theme[.footer])
      if case .prompt(let prompt) = overlays.last { return drawPrompt(prompt, &grid) }
      let hints =
        requests.bar.isOpen && overlays.isEmpty
        ? FooterHint.filter
        : overlayHints
          ?? footerBindings.map {
            FooterHint($0.keyLabel, hint(of: $0))
          }
      let isPlain = overlays.isEmpty && !requests.bar.isOpen
      let room = grid.width - toastWidth
      let last = isPlain && toastWidth == 0 ? helpHint : nil
      let reserve = last.map { $0.width + 2 } ?? 0
      var x = 1
      for hint in hints where hint != last {
        guard x + hint.width <= room - reserve - 1 else { continue }
        x += draw(hint, at: x, &grid) + 2
      }
      if let last, grid.width > last.width + 2 { _ = draw(last, at: grid.width - last.width - 1, &grid) }
    }
  }

  /// Where all keys are to be found, always at the same place; nil where a person took the key away.
  private var helpHint: FooterHint? {
    keys.bindings.first { $0.command == .global(.help) && !$0.keys.isEmpty }.map {
      FooterHint($0.keyLabel, hint(of: $0))
    }
  }

  private func draw(_ hint: FooterHint, at x: Int, _ grid: inout Grid) -> Int {
    grid.put(
      spans: [Span(hint.key, theme[.footerKey]), Span(" \(hint.text)", theme[.footer])], at: Point(x: x, y: 0))
  }

  private var overlayHints: [FooterHint]? {
    switch overlays.last {
    case .menu(let menu) where menu.isOffer: nil
    case .menu(let menu):
      menu.fault.map { $0.reach != .held } == true
        ? FooterHint.faults : [FooterHint("↑↓", "choose"), FooterHint("enter", "take"), FooterHint("esc", "close")]
    case .help: [FooterHint("type", "to search"), FooterHint("↑↓", "scroll"), FooterHint("esc", "close")]
    case .palette: [FooterHint("type", "to find"), FooterHint("enter", "run"), FooterHint("esc", "close")]
    case .compare:
      [
        FooterHint("↑↓", "scroll"), FooterHint("n N", "next difference, before"), FooterHint("d", "only differences"),
        FooterHint("← →", "long values"), FooterHint("esc", "close"),
      ]
    default: nil
    }
  }

  private func drawPrompt(_ prompt: Prompt, _ grid: inout Grid) {
    grid.fill(style: theme[.input])
    let x = 1 + grid.put("\(prompt.label) ", at: Point(x: 1, y: 0), style: theme[.key, on: .input].bold)
    let said = truncated(shown(prompt.note), toWidth: max(0, (grid.width - x) / 2))
    let note = textWidth(said)
    let area = Rect(x: x, y: 0, width: max(1, grid.width - x - note - 2), height: 1)
    drawField(prompt.editor, &grid, area, ground: .input)
    if prompt.editor.isEmpty {
      grid.put(prompt.placeholder, at: area.origin, style: theme[.placeholder], maxWidth: area.width)
    }
    grid.put(said, at: Point(x: grid.width - note - 1, y: 0), style: theme[.dim, on: .input])
  }
}

/// A key and what it does, at the foot.
struct FooterHint: Equatable {
  var key: String
  var text: String

  init(_ key: String, _ text: String) {
    self.key = key
    self.text = text
  }

  var width: Int { textWidth(key) + 1 + textWidth(text) }

  static let filter = [
    FooterHint("enter", "keep"), FooterHint("tab", "complete"), FooterHint("↑↓", "earlier ones"),
    FooterHint("esc", "as before"),
  ]
  static let faults = [
    FooterHint("letter", "on/off"), FooterHint("tab", "for whom"), FooterHint("+ -", "how many"),
    FooterHint("%", "share"), FooterHint("esc", "close"),
  ]
}
