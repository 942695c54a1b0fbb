import PatchbayGrid

/// Shows each theme as one passes it.
struct ThemePicker: ChoiceBox {
  private(set) var menu: Menu<String>
  /// To go back to.
  private let before: String

  init(_ names: [String], current: String) {
    before = current
    menu = Menu(
      title: "Theme", items: names.map { .init(nil, $0, isOn: $0 == current, $0) },
      selected: names.firstIndex(of: current) ?? 0, note: "enter keeps it · esc goes back")
  }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    if case .swatches(let themes) = event { return fill(themes, room: max(20, min(90, context.size.width - 40))) }
    switch menu.handle(event, context) {
    case .chosen(let item):
      out.close()
      var view = context.view
      view.theme = item.choice
      out.perform(.useTheme(item.choice))
      out.add(.view(view))
    case .moved:
      if let item = menu.chosen, item.choice != context.theme.name { out.perform(.useTheme(item.choice)) }
    case .dismissed:
      out.close()
      if before != context.theme.name { out.perform(.useTheme(before)) }
    case .other, .nothing: break
    }
  }

  /// Beside each name some words in the colours of its theme.
  private mutating func fill(_ themes: [String: Theme], room: Int) {
    for place in menu.items.indices {
      guard let theme = themes[menu.items[place].choice] else { continue }
      menu.items[place].swatch = theme.swatch(room: room)
    }
  }
}

extension Theme {
  /// Outcomes, a selection, a stub and JSON, as they look in the theme; as many of them as have room.
  func swatch(room: Int) -> [Span] {
    let groups: [[(String, ThemeRole)]] = [
      [("✓ 200", .success)], [("! 404", .clientError)], [("✗ 503", .serverError)], [(" chosen ", .selection)],
      [("‖ held", .held)], [("◆ stub", .stub)], [("→ 301", .redirect)],
      [("\"key\"", .key), (": ", .punctuation), ("\"文字\"", .string)], [("12", .number)], [("true", .literal)],
      [("dim", .dim)],
    ]
    var spans: [Span] = [Span(" ", self[.text])]
    var width = 1
    for group in groups {
      let more = group.reduce(1) { $0 + textWidth($1.0) }
      guard width + more <= room else { break }
      spans += group.map { Span($0.0, self[$0.1]) } + [Span(" ", self[.text])]
      width += more
    }
    return spans
  }
}
