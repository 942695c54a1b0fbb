import PatchbayGrid

extension ConsoleState {
  mutating func openThemes() {
    guard !themeNames.isEmpty else { return say(.info, "There are no themes but the built-in one.") }
    let items = themeNames.map { name in
      Menu.Item(nil, name, isOn: name == theme.name, .theme(name))
    }
    var menu = Menu(title: "Theme", items: items, selected: themeNames.firstIndex(of: theme.name) ?? 0)
    menu.note = "enter keeps it · esc goes back"
    menu.themeBefore = theme.name
    overlays.append(.menu(menu))
    effects.append(.loadSwatches)
  }

  /// Beside each name some words in the colours of its theme.
  mutating func take(swatches: [String: Theme]) {
    guard case .menu(var menu) = overlays.last, menu.themeBefore != nil else { return }
    for place in menu.items.indices {
      guard case .theme(let name) = menu.items[place].action, let theme = swatches[name] else { continue }
      menu.items[place].swatch = theme.swatch(room: max(20, min(90, size.width - 40)))
    }
    replaceTop(.menu(menu))
  }

  /// The theme picker shows each theme as one passes it.
  mutating func preview(_ menu: Menu) {
    guard menu.themeBefore != nil, menu.items.indices.contains(menu.selected),
      case .theme(let name) = menu.items[menu.selected].action, name != theme.name
    else { return }
    effects.append(.useTheme(name))
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
