import PatchbayGrid
import PatchbayInspect

/// All keys, by context, narrowed by what is typed.
struct HelpBox: Box {
  private enum Row: Sendable, Equatable {
    case heading(String)
    case binding(keys: String, help: String, command: String)
    case blank
  }

  private var search = TextEditor("", singleLine: true)
  private var top = 0

  var place: BoxPlace { .popup }
  var takesText: Bool { true }

  func hints(_ context: ConsoleContext) -> [FooterHint] {
    [FooterHint("type", "to search"), FooterHint("↑↓", "scroll"), FooterHint("esc", "close")]
  }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch event {
    case .input(.key(let key)): handle(key, context, &out)
    case .input(.paste(let text)):
      search.insert(text)
      top = 0
    case .input(.mouse(let event)):
      switch event.kind {
      case .press(.left): if !area(context).contains(event.position) { out.close() }
      case .wheelDown: handle(.down, context, &out)
      case .wheelUp: handle(.up, context, &out)
      default: break
      }
    default: break
    }
  }

  private mutating func handle(_ key: Key, _ context: ConsoleContext, _ out: inout Outcomes) {
    let page = page(context)
    switch key {
    case .escape, .control("c"), Key(.function(1)): return out.close()
    case Key("q") where search.isEmpty, Key("?") where search.isEmpty: return out.close()
    case .down: top += 1
    case .up: top -= 1
    case Key(.pageDown), .control("d"): top += page.rows
    case Key(.pageUp): top -= page.rows
    case .enter: break
    default: if search.handle(key) { top = 0 }
    }
    top = max(0, min(top, rows(context).count - page.rows * page.columns))
  }

  private func rows(_ context: ConsoleContext) -> [Row] {
    let words = search.text.lowercased().split(separator: " ")
    var rows: [Row] = []
    let first = context.keyContexts
    for place in first + KeyContext.allCases.filter({ !first.contains($0) }) {
      let fitting = context.keys.bindings.filter { $0.context == place }.map { binding -> Row in
        let keys = binding.keys.map(Binding.label).joined(separator: " ")
        return .binding(keys: keys.isEmpty ? "—" : keys, help: binding.help, command: binding.command.name)
      }.filter { row in
        guard case .binding(let keys, let help, let command) = row else { return false }
        let text = "\(keys) \(help) \(command) \(place.title)".lowercased()
        return words.allSatisfy { text.contains($0) }
      }
      guard !fitting.isEmpty else { continue }
      if !rows.isEmpty { rows.append(.blank) }
      rows.append(.heading(place.title))
      rows += fitting
    }
    let language = Self.language.filter { row in
      guard case .binding(let example, let help, _) = row else { return false }
      let text = "\(example) \(help) filters".lowercased()
      return words.allSatisfy { text.contains($0) }
    }
    guard !language.isEmpty else { return rows }
    let part = [.heading("The filter language")] + language
    if rows.isEmpty { return part }
    // Who asks for it by name is not to look below all keys for it.
    let isNamed = words.contains { $0.count >= 3 && "filters".hasPrefix($0) || $0.contains(":") }
    return isNamed ? part + [.blank] + rows : rows + [.blank] + part
  }

  /// How filters are written: signs by example, then each key.
  private static let language: [Row] =
    [
      ("orders", "a word looks in the URL"), ("a b", "both must hold"), ("a | b", "one of them must hold"),
      ("-a", "must not hold"), ("(a | b) c", "groups"), ("\"two words\"", "quotes keep blanks"),
      ("path:/v1/*", "* is any text; without it a part is enough"), ("path:~^/v[12]", "~ is a regular expression"),
      ("status:5xx,404", "a list: one of them"),
    ].map { Row.binding(keys: $0, help: $1, command: "") }
    + FilterKey.allCases.map { key in
      let example = key.values.first.map { "\(key.rawValue):\($0)" } ?? "\(key.rawValue):"
      return Row.binding(keys: example.count <= 13 ? example : "\(key.rawValue):", help: key.help, command: "")
    }

  // MARK: Drawing

  /// Rows of a column, and how many columns stand side by side.
  private func page(_ context: ConsoleContext) -> (rows: Int, columns: Int) {
    (max(1, context.size.height - 8), context.size.width >= 160 ? 2 : 1)
  }

  private func area(_ context: ConsoleContext) -> Rect {
    let size = context.size
    let width = page(context).columns == 1 ? min(96, size.width - 4) : min(200, size.width - 8)
    return context.popupArea(width: width, height: size.height - 4)
  }

  func draw(on grid: inout Grid, in area: Rect, _ context: ConsoleContext) {
    let theme = context.theme
    let rows = rows(context)
    let (height, columns) = page(context)
    grid.drawFrame(self.area(context), title: "Keys", theme) { grid in
      let x = 1 + grid.put("find ", at: Point(x: 1, y: 0), style: theme[.key, on: .popup].bold)
      grid.drawSearch(search, hint: "a key, a word, a command's name", from: x, theme)
      grid.within(Rect(x: 0, y: 2, width: grid.width, height: grid.height - 2)) { grid in
        if rows.isEmpty { grid.put("Nothing matches.", at: Point(x: 1, y: 0), style: theme[.dim, on: .popup]) }
        let room = grid.width / columns
        for column in 0..<columns {
          let area = Rect(x: column * room, y: 0, width: room - (columns > 1 ? 2 : 0), height: height)
          let seen = rows.dropFirst(top + column * height).prefix(height)
          grid.within(area) { grid in
            for (y, row) in seen.enumerated() { draw(row, y, theme, &grid) }
          }
        }
        grid.drawScrollbar(theme, top: top, count: rows.count, seen: height * columns, on: .popup)
      }
    }
  }

  private func draw(_ row: Row, _ y: Int, _ theme: Theme, _ grid: inout Grid) {
    switch row {
    case .blank: break
    case .heading(let text): grid.put(text, at: Point(x: 1, y: y), style: theme[.popupTitle])
    case .binding(let keys, let help, let command):
      let name = textWidth(command)
      // It is for the config file only: the sentence comes first.
      let wide = grid.width >= 18 + textWidth(help) + name + 2
      grid.put(keys, at: Point(x: 2, y: y), style: theme[.key, on: .popup].bold, maxWidth: 13)
      grid.put(
        help, at: Point(x: 16, y: y), style: theme[.text, on: .popup], maxWidth: grid.width - 18 - (wide ? name + 2 : 0)
      )
      if wide { grid.put(command, at: Point(x: grid.width - name - 2, y: y), style: theme[.dim, on: .popup]) }
    }
  }
}
