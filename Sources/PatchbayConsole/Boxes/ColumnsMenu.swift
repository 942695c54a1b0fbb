import PatchbayGrid
import PatchbayInspect

/// Which columns the list of requests has, and how wide they are.
struct ColumnsMenu: ChoiceBox {
  private(set) var menu: Menu<RequestColumn>

  init(_ items: [Menu<RequestColumn>.Item], selected: Int) {
    menu = Menu(
      title: "Columns", items: items, selected: selected, note: "space shows or hides · < > width · del: as they fit")
  }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    switch menu.handle(event, context) {
    case .chosen(let item): change(item.choice, .toggle, &out)
    case .dismissed: out.close()
    case .other(let key): adjust(key, &out)
    case .moved, .nothing: break
    }
  }

  private func adjust(_ key: Key, _ out: inout Outcomes) {
    guard let column = menu.chosen?.choice else { return }
    switch key {
    case .space: change(column, .toggle, &out)
    case Key(">"), .right, Key("+"), Key("l"): change(column, .resize(by: 1), &out)
    case Key("<"), .left, Key("-"), Key("h"): change(column, .resize(by: -1), &out)
    case Key(.delete), .backspace: change(column, .reset, &out)
    default: break
    }
  }

  private func change(_ column: RequestColumn, _ change: RequestsMessage.ColumnChange, _ out: inout Outcomes) {
    out.add(.requests(.changeColumn(column, change, selected: menu.selected)))
  }
}

/// Recorded requests to look at; their rows are filled in as they become known.
struct RequestsMenu: ChoiceBox {
  private(set) var menu: Menu<Int64>

  init(_ ids: [Int64], title: String, note: String, known: [ExchangeSummary]) {
    menu = Menu(title: title, items: ids.map { .init(nil, "\($0)", $0) }, note: note)
    fill(known)
  }

  mutating func update(_ event: ConsoleEvent, _ context: ConsoleContext, _ out: inout Outcomes) {
    if case .summaries(let summaries) = event { return fill(summaries) }
    switch menu.handle(event, context) {
    case .chosen, .dismissed: out.close()
    case .moved, .other, .nothing: break
    }
  }

  private mutating func fill(_ summaries: [ExchangeSummary]) {
    for summary in summaries {
      guard let place = menu.items.firstIndex(where: { $0.choice == summary.id }) else { continue }
      let look = OutcomeLook(summary)
      menu.items[place].label = "\(summary.id)  \(summary.method) \(summary.host)\(summary.path)"
      menu.items[place].detail = "\(look.sign) \(look.text)"
    }
  }
}
