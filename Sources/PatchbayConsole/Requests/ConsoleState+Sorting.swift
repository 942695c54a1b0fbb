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
    requests.query.sort = order
    requests.follows = order.isArrival
    if !order.isArrival { requests.scroll = ListScroll() }
    runQuery()
  }

  mutating func openColumnsMenu() {
    overlays.append(.menu(columnsMenu(selected: 0)))
  }

  func columnsMenu(selected: Int) -> Menu {
    let shown = shownColumns
    let items = RequestColumn.allCases.map {
      Menu.Item(nil, $0.title, isOn: shown.contains($0), .column($0))
    }
    var menu = Menu(title: "Columns", items: items, selected: selected)
    menu.stays = true
    menu.note = "space shows or hides · del: those that fit"
    return menu
  }

  /// The columns that the person chose, else those that fit.
  var shownColumns: [RequestColumn] {
    view.columns.isEmpty ? columnLayout.places.map(\.column) : view.columns
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
