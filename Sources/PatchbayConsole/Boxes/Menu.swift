import PatchbayGrid

/// A list of things to choose from, with a key each where there is one. What a choice does is its owner's business.
struct Menu<Choice: Sendable>: Sendable {
  struct Item: Sendable {
    var key: Key?
    var label: String
    var detail: String
    /// Whether it is in force; nil where that makes no sense.
    var isOn: Bool?
    /// In the place of the detail: text in colours of its own.
    var swatch: [Span] = []
    var choice: Choice
    /// The menu stays open when it is chosen.
    var staysOpen: Bool

    init(
      _ key: String? = nil, _ label: String, detail: String = "", isOn: Bool? = nil, _ choice: Choice,
      staysOpen: Bool = false
    ) {
      self.key = key.flatMap { Key(parsing: $0) }
      self.label = label
      self.detail = detail
      self.isOn = isOn
      self.choice = choice
      self.staysOpen = staysOpen
    }
  }

  /// What input meant.
  enum Answer: Sendable {
    case chosen(Item)
    /// Another item is selected.
    case moved
    /// Esc, or a click beside it.
    case dismissed
    /// A key that means nothing in a menu.
    case other(Key)
    case nothing
  }

  var title: String
  var items: [Item]
  var selected = 0
  /// What the other keys do.
  var note = ""
  /// Sentences above the items, wrapped.
  var text: [String] = []
  /// Stands at the foot of the screen, and only its own keys are for it.
  var isOffer = false
  /// Letters are typed into it: its owner gets them.
  var takesText = false

  var chosen: Item? { items.indices.contains(selected) ? items[selected] : nil }

  mutating func handle(_ event: ConsoleEvent, _ context: ConsoleContext) -> Answer {
    switch event {
    case .input(.key(let key)): handle(key, context)
    case .input(.mouse(let event)): handle(event, context)
    default: .nothing
    }
  }

  private mutating func handle(_ key: Key, _ context: ConsoleContext) -> Answer {
    if let place = items.firstIndex(where: { $0.key == key }) {
      selected = place
      return .chosen(items[place])
    }
    guard !isOffer else { return .other(key) }
    let page = max(1, context.size.height - 8)
    if takesText, case .character = key.code, key.modifiers.isEmpty { return .other(key) }
    switch key {
    case .escape, Key("q"), .control("c"): return .dismissed
    case .enter: return chosen.map { .chosen($0) } ?? .dismissed
    case .down, Key("j"): move(by: 1)
    case .up, Key("k"): move(by: -1)
    case Key(.pageDown): move(by: page)
    case Key(.pageUp): move(by: -page)
    case Key(.home), Key("g"): move(by: -items.count)
    case Key(.end), Key("G"): move(by: items.count)
    default: return .other(key)
    }
    return .moved
  }

  private mutating func handle(_ event: MouseEvent, _ context: ConsoleContext) -> Answer {
    switch event.kind {
    case .press(.left):
      let area = itemsArea(context)
      guard area.contains(event.position) else {
        return area.inset(horizontal: -1, vertical: -1).contains(event.position) ? .nothing : .dismissed
      }
      selected = window(context).top + event.position.y - area.y
      return chosen.map { .chosen($0) } ?? .dismissed
    case .wheelDown, .wheelUp:
      move(by: event.kind == .wheelDown ? 1 : -1)
      return .nothing
    default: return .nothing
    }
  }

  private mutating func move(by step: Int) {
    guard !items.isEmpty else { return }
    selected = max(0, min(items.count - 1, selected + step))
  }
}

// MARK: Drawing

extension Menu {
  /// How many items can be seen, and the first of them.
  private func window(_ context: ConsoleContext) -> (top: Int, rows: Int) {
    let around = 6 + textLines(context).count + (note.isEmpty ? 0 : 1)
    let rows = max(1, min(items.count, context.size.height - around))
    return (max(0, min(items.count - rows, selected - rows / 2)), rows)
  }

  /// Where the items stand on the screen.
  private func itemsArea(_ context: ConsoleContext) -> Rect {
    let area = area(context)
    return Rect(
      x: area.x + 1, y: area.y + 1 + textLines(context).count, width: area.width - 2, height: window(context).rows)
  }

  /// In the middle; an offer stands at the right, above the sentence about what was done.
  private func area(_ context: ConsoleContext) -> Rect {
    let (width, height) = size(context)
    let screen = context.size
    let area = context.popupArea(width: width, height: height)
    guard isOffer else { return area }
    return Rect(
      x: screen.width - area.width - 1, y: max(1, screen.height - area.height - max(1, context.noticeRows)),
      width: area.width, height: area.height)
  }

  /// The sentences above the items as they are wrapped, and an empty line below them.
  private func textLines(_ context: ConsoleContext) -> [String] {
    guard !text.isEmpty else { return [] }
    let lines = text.flatMap { wrapped(shown($0), toWidth: max(20, min(72, context.size.width - 8))) }
    return lines.prefix(max(1, context.size.height / 2)) + [""]
  }

  private var widestKey: Int { items.map { $0.key.map { textWidth(Binding.label($0)) } ?? 0 }.max() ?? 0 }

  private func size(_ context: ConsoleContext) -> (Int, Int) {
    let screen = context.size
    let labels = items.map { textWidth($0.label) }.max() ?? 0
    let details =
      items.map { item in
        item.swatch.isEmpty
          ? min(max(40, screen.width / 3), textWidth(item.detail)) : item.swatch.reduce(0) { $0 + textWidth($1.text) }
      }.max() ?? 0
    let signs = items.contains { $0.isOn != nil } ? 2 : 0
    let keys = widestKey > 0 ? widestKey + 1 : 0
    // More room makes it easier to read; an offer stays out of the way.
    let roomy = isOffer || screen.width < 100 ? 0 : min(100, screen.width * 2 / 5)
    let width = max(labels + (details > 0 ? details + 3 : 0) + signs + keys + 6, textWidth(title) + 8)
    let text = textLines(context)
    let widest = text.map { textWidth($0) + 4 }.max() ?? 0
    let rows = window(context).rows + text.count
    return (max(width, widest, textWidth(note) + 6, 30, roomy), rows + 2 + (note.isEmpty ? 0 : 1))
  }

  func draw(on grid: inout Grid, _ context: ConsoleContext) {
    let theme = context.theme
    let text = textLines(context)
    grid.drawFrame(area(context), title: title, theme) { grid in
      for (row, line) in text.enumerated() {
        grid.put(line, at: Point(x: 1, y: row), style: theme[.text, on: .popup], maxWidth: grid.width - 2)
      }
      let window = window(context)
      grid.within(Rect(x: 0, y: text.count, width: grid.width, height: window.rows)) { grid in
        drawItems(window, theme, &grid)
      }
      guard !note.isEmpty else { return }
      let below = items.count - window.top - window.rows
      let more =
        below > 0 ? "↓ \(Wording.count(below)) more" : window.top > 0 ? "↑ \(Wording.count(window.top)) more" : ""
      let room = grid.width - 2 - (more.isEmpty ? 0 : textWidth(more) + 2)
      let foot = Point(x: 1, y: grid.height - 1)
      grid.put(shown(note), at: foot, style: theme[.dim, on: .popup], maxWidth: room)
      grid.put(more, at: Point(x: grid.width - textWidth(more) - 1, y: foot.y), style: theme[.key, on: .popup])
    }
  }

  private func drawItems(_ window: (top: Int, rows: Int), _ theme: Theme, _ grid: inout Grid) {
    let keys = widestKey
    let signs = items.contains { $0.isOn != nil }
    for row in 0..<min(window.rows, items.count - window.top) {
      let item = items[window.top + row]
      let isSelected = window.top + row == selected && !isOffer
      let ground: ThemeRole = isSelected ? .selection : .popup
      grid.fill(Rect(x: 0, y: row, width: grid.width, height: 1), style: theme[ground])
      var x = 1
      if keys > 0 {
        grid.put(item.key.map(Binding.label) ?? "", at: Point(x: x, y: row), style: theme[.key, on: ground].bold)
        x += keys + 2
      }
      if signs {
        grid.put(
          item.isOn == true ? "●" : "·", at: Point(x: x, y: row),
          style: theme[item.isOn == true ? .good : .dim, on: ground])
        x += 2
      }
      draw(item, in: Rect(x: x, y: row, width: grid.width - x - 2, height: 1), ground, theme, &grid)
    }
    grid.drawScrollbar(theme, top: window.top, count: items.count, on: .popup)
  }

  /// A short detail, such as a time, is kept where the label has to be cut.
  private func draw(_ item: Item, in area: Rect, _ ground: ThemeRole, _ theme: Theme, _ grid: inout Grid) {
    let swatch = item.swatch.reduce(0) { $0 + textWidth($1.text) }
    let label = shown(item.label)
    var detail = shown(item.detail)
    var kept = swatch > 0 ? swatch : textWidth(detail)
    let room = area.width - min(textWidth(label), max(area.width / 2, area.width - 14)) - 2
    if swatch == 0, kept > room {
      detail = room > 4 ? truncated(detail, toWidth: room) : ""
      kept = textWidth(detail)
    }
    grid.put(
      label, at: area.origin, style: theme[.text, on: ground], maxWidth: max(4, area.width - (kept > 0 ? kept + 2 : 0)))
    if swatch > 0 {
      grid.put(spans: item.swatch, at: Point(x: area.maxX - swatch, y: area.y))
    } else {
      grid.put(detail, at: Point(x: area.maxX - kept, y: area.y), style: theme[.dim, on: ground])
    }
  }
}

extension ConsoleContext {
  /// A box of that size in the middle of the screen, its frame included.
  func popupArea(width: Int, height: Int) -> Rect {
    body.centered(width: min(width, size.width - 2), height: min(height, size.height - 2))
  }
}
