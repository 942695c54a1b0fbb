import PatchbayGrid
import PatchbayInspect

extension ConsoleState {
  mutating func openSortMenu() {
    let items = RequestColumn.allCases.filter { $0 != .timeline }.enumerated().map { place, column in
      let current = requests.query.sort
      let arrow = current.column == column ? (current.descending ? "↓" : "↑") : ""
      return Menu.Item(
        place < 9 ? String(place + 1) : nil, column == .number ? "order of arrival" : column.title, detail: arrow,
        .sort(column))
    }
    overlays.append(.menu(Menu(title: "Sort by", items: items, note: "O turns the order round")))
  }

  /// Sorts by a column; by the same one again turns the order round.
  mutating func sort(by column: RequestColumn) {
    let current = requests.query.sort
    let numeric = column == .size || column == .duration
    sort(by: SortOrder(column, descending: current.column == column ? !current.descending : numeric))
  }

  mutating func sort(by order: SortOrder) {
    let before = requests.query.sort
    guard order != before else { return }
    let title = order.isArrival ? "Sorted by arrival" : "Sorted by \(order.column.title)"
    log.add(UndoLog.Step(title: title, at: now, change: .sorted(from: before, to: order)))
    setSort(order)
  }

  mutating func setSort(_ order: SortOrder) {
    requests.query.sort = order
    requests.follows = order.isArrival
    // The open request stays open, wherever it comes to stand; else one wants to see what comes first.
    requests.goesToTop = !order.isArrival && !detail.isOpen
    runQuery()
  }

  mutating func openColumnsMenu() {
    overlays.append(.menu(columnsMenu(selected: 0)))
  }

  func columnsMenu(selected: Int) -> Menu {
    let shown = shownColumns
    let places = columnLayout.places
    let items = RequestColumn.allCases.map { column in
      let place = places.first { $0.column == column }
      let width = view.widths[column].map { "\($0) wide" } ?? place.map { "\($0.width)" }
      let isLeftOut = shown.contains(column) && place == nil
      return Menu.Item(
        nil, column.title, detail: isLeftOut ? "no room" : width ?? "", isOn: shown.contains(column), .column(column))
    }
    var menu = Menu(title: "Columns", items: items, selected: selected)
    menu.stays = true
    menu.note = "space shows or hides · < > width · del: as they fit"
    return menu
  }

  /// The keys of the columns' menu that are about widths.
  mutating func adjust(_ column: RequestColumn, by key: Key, in menu: Menu) {
    switch key {
    case Key(">"), .right, Key("+"), Key("l"): resize(column, by: 1)
    case Key("<"), .left, Key("-"), Key("h"): resize(column, by: -1)
    case Key(.delete), .backspace:
      view.columns = []
      view.widths = [:]
      view.widthsFor = 0
      saveView()
    default: return
    }
    replaceTop(.menu(columnsMenu(selected: menu.selected)))
  }

  private mutating func resize(_ column: RequestColumn, by step: Int) {
    guard let place = columnLayout.places.first(where: { $0.column == column }) else {
      return say(.info, "The column \(column.title) is not shown, so its width cannot be seen.")
    }
    setWidth(of: column, to: place.width + step)
    saveView()
  }

  /// The columns in sight are the chosen ones from then on: none comes or goes because another one changed.
  mutating func setWidth(of column: RequestColumn, to width: Int) {
    view.columns = shownColumns
    view.widthsFor = layout.columns.width
    view.widths[column] = max(ColumnMeasure.narrowest(column), min(200, width))
  }

  /// Puts the right edge of a column at a place; what is left of the column stays where it is.
  mutating func drag(_ column: RequestColumn, to x: Int) {
    let before = columnLayout
    guard let index = before.places.firstIndex(where: { $0.column == column }) else { return }
    let place = before.places[index]
    setWidth(of: column, to: min(x - place.x, before.widest(column, screen: layout.columns.width)))
    func moved() -> ColumnLayout.Place? {
      let now = columnLayout.places
      return before.places[..<index].first { left in
        view.widths[left.column] != left.width
          && now.first(where: { $0.column == left.column })?.width != left.width
      }
    }
    while let left = moved() { view.widths[left.column] = left.width }
  }

  /// The columns that the person chose, else those that fit.
  var shownColumns: [RequestColumn] {
    view.columns.isEmpty ? usualColumns : view.columns
  }

  /// Those that fit, without the one that is there only because it is sorted by.
  private var usualColumns: [RequestColumn] {
    columnLayout(sorted: nil).places.map(\.column)
  }

  mutating func toggleColumn(_ column: RequestColumn) {
    var shown = shownColumns
    if let place = shown.firstIndex(of: column) {
      guard shown.count > 1 else { return }
      shown.remove(at: place)
    } else {
      shown.append(column)
    }
    view.columns = RequestColumn.allCases.filter { shown.contains($0) }
    saveView()
  }
}
