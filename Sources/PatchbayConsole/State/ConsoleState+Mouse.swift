import PatchbayGrid
import PatchbayWire

extension ConsoleState {
  mutating func handle(_ event: MouseEvent) {
    guard view.mouse else { return }
    switch event.kind {
    case .press(.left): press(event.position)
    case .drag(.left): dragTo(event.position)
    case .release: endDrag()
    case .wheelDown: wheel(3, at: event.position)
    case .wheelUp: wheel(-3, at: event.position)
    default: break
    }
  }

  private mutating func press(_ point: Point) {
    let isDouble = lastClick.map { $0.at == point && now.microseconds - $0.when.microseconds < 400_000 } ?? false
    lastClick = isDouble ? nil : Click(at: point, when: now)
    if let top = overlays.last { return press(point, in: top) }
    if point.y == 0 {
      if let place = tabPlaces.last(where: { point.x >= $0.x }), point.x < place.x + textWidth(place.label) {
        show(place.tab)
      }
      return
    }
    switch tab {
    case .requests: pressInRequests(point, isDouble)
    case .traffic where layout.columns.contains(point):
      if let column = trafficColumn(at: point.x) { sortTraffic(by: column) }
    default: pressInTable(point, isDouble)
    }
  }

  private mutating func press(_ point: Point, in overlay: Overlay) {
    switch overlay {
    case .menu(var menu):
      let area = menuArea(menu)
      guard area.contains(point) else {
        if !area.inset(horizontal: -1, vertical: -1).contains(point) { handle(.escape, in: menu) }
        return
      }
      menu.selected = menuWindow(menu).top + point.y - area.y
      replaceTop(.menu(menu))
      choose(menu)
    case .stubForm(var form):
      press(point, in: &form.form)
      replaceTop(.stubForm(form))
    case .exchangeForm(var form):
      press(point, in: &form.form)
      replaceTop(.exchangeForm(form))
    case .help: if !helpArea.contains(point) { closeTop() }
    case .palette(let palette): press(point, in: palette)
    case .prompt, .compare: break
    }
  }

  /// A click on a command runs it, one beside the palette closes it.
  private mutating func press(_ point: Point, in palette: PaletteBox) {
    guard paletteArea.contains(point) else { return closeTop() }
    // Below the frame stand the line in which one types and an empty one.
    let list = paletteArea.inset(horizontal: 1, vertical: 1).splitTop(2).rest
    let count = palette.matches(paletteRows).count
    let place = palette.top(of: count, rows: max(1, list.height)) + point.y - list.y
    guard list.contains(point), place < count else { return }
    var chosen = palette
    chosen.selected = place
    handle(.enter, in: chosen)
  }

  private func press(_ point: Point, in form: inout Form) {
    let layout = formLayout(form, body)
    if layout.fields.contains(point) {
      let places = form.fields.indices.filter { !form.fields[$0].isText && !form.fields[$0].isHidden }
      let current = places.firstIndex(of: form.focus) ?? 0
      let top = max(0, min(places.count - layout.fields.height, current - layout.fields.height / 2))
      let row = top + point.y - layout.fields.y
      if places.indices.contains(row) { form.focus = places[row] }
    } else if let text = layout.texts.first(where: { $0.area.contains(point) || $0.head.contains(point) }) {
      form.focus = text.index
    }
  }

  private mutating func pressInRequests(_ point: Point, _ isDouble: Bool) {
    let layout = layout
    if layout.bar.contains(point) { return openFilter() }
    if layout.columns.contains(point) {
      if let place = columnLayout.edge(at: point.x) {
        drag = .column(place.column, grip: point.x - place.x - place.width)
        return
      }
      guard let place = columnLayout.places.last(where: { point.x >= $0.x }), place.column != .timeline else { return }
      return sort(by: place.column)
    }
    if layout.rows.contains(point) {
      let place = requests.scroll.top + point.y - layout.rows.y
      guard place < requests.order.count else { return }
      requests.scroll.selected = place
      requests.follows = requests.query.sort.isArrival && place == requests.order.count - 1
      detail.hasFocus = false
      if isDouble { detail.isOpen = true }
      if detail.isOpen {
        detail.resumesFollowing = requests.follows
        requests.follows = false
      }
      return
    }
    guard detail.isOpen else { return }
    if layout.detailHead.contains(point) {
      if let place = detailTabPlaces(layout).first(where: { point.x >= $0.x && point.x < $0.x + textWidth($0.label) }) {
        detail.tab = place.tab
        detail.hasFocus = true
      } else if !layout.isBeside {
        drag = .divider
      }
    } else if layout.divider.contains(point) {
      drag = .divider
    } else if layout.detail.contains(point) {
      detail.hasFocus = true
      pressInDetail(point, layout, isDouble)
    }
  }

  private mutating func pressInDetail(_ point: Point, _ layout: Layout, _ isDouble: Bool) {
    let room = detailGeometry
    var row = layout.detail.y - detail.page.topRow
    var number = detail.page.top
    while number < detail.page.count {
      row += detail.page.rows(of: number, in: room)
      if point.y < row { break }
      number += 1
    }
    guard number < detail.page.count else { return }
    detail.page.cursor = number
    if isDouble { detail.page.toggleFold() }
  }

  private mutating func pressInTable(_ point: Point, _ isDouble: Bool) {
    guard layout.rows.contains(point) else { return }
    let row = point.y - layout.rows.y
    switch tab {
    case .stubs:
      guard stubs.scroll.top + row < stubs.board.entries.count else { return }
      stubs.scroll.selected = stubs.scroll.top + row
      if isDouble { run(.stubs(.editStub)) } else if stubTable.column(at: point.x) == 1 { run(.stubs(.toggleStub)) }
    case .traffic:
      guard traffic.scroll.top + row < traffic.rows.count else { return }
      traffic.scroll.selected = traffic.scroll.top + row
      if isDouble { run(.traffic(.open)) }
    case .processes:
      guard processes.scroll.top + row < processes.links.count else { return }
      processes.scroll.selected = processes.scroll.top + row
      if isDouble { run(.processes(.open)) }
    case .requests, .output: break
    }
  }

  private mutating func dragTo(_ point: Point) {
    let layout = layout
    if case .column(let column, let grip) = drag { return drag(column, to: point.x - grip) }
    guard drag == .divider else { return }
    let share =
      layout.isBeside
      ? point.x * 100 / max(1, size.width) : (point.y - layout.columns.y) * 100 / max(1, size.height - 3)
    view.listShare = max(15, min(85, share))
  }

  private mutating func endDrag() {
    guard drag != nil else { return }
    drag = nil
    saveView()
  }

  /// The wheel moves what the pointer is over.
  private mutating func wheel(_ step: Int, at point: Point) {
    switch overlays.last {
    case .menu(var menu):
      menu.move(by: step.signum())
      return replaceTop(.menu(menu))
    case .help(let box): return handle(step > 0 ? .down : .up, in: box)
    case .compare(var page):
      page.top = max(0, min(page.rows.count - 1, page.top + step))
      return replaceTop(.compare(page))
    case .palette(let palette): return handle(step > 0 ? .down : .up, in: palette)
    case .stubForm, .exchangeForm, .prompt: return
    case nil: break
    }
    switch tab {
    case .requests where detail.isOpen && layout.detail.contains(point):
      detail.page.scroll(by: step, in: detailGeometry)
    case .requests:
      requests.scroll.scroll(by: step, count: requests.order.count, height: layout.rowsHeight)
      let last = requests.order.count - 1
      // An open request stays under the eyes of who reads it.
      requests.follows =
        requests.query.sort.isArrival && !detail.isOpen && step > 0 && requests.scroll.top + layout.rowsHeight > last
      if requests.follows { requests.scroll.selected = last }
    case .output:
      output.scroll.move(by: step, count: output.lines.count)
      output.follows = output.scroll.selected >= output.lines.count - 1
    case .stubs: stubs.scroll.scroll(by: step, count: stubs.board.entries.count, height: layout.tableHeight)
    case .traffic: traffic.scroll.scroll(by: step, count: traffic.rows.count, height: layout.tableHeight)
    case .processes: processes.scroll.scroll(by: step, count: processes.links.count, height: layout.tableHeight)
    }
  }
}
