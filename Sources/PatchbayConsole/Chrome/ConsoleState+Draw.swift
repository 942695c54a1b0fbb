import PatchbayGrid

extension ConsoleState {
  /// The whole screen as it is now.
  package func draw() -> ConsoleFrame {
    var grid = Grid(size, style: theme[.text])
    guard size.width >= Layout.minimum.width, size.height >= Layout.minimum.height else {
      drawTooSmall(&grid)
      return ConsoleFrame(grid: grid, mouse: view.mouse, title: title)
    }
    drawHeader(&grid, Rect(x: 0, y: 0, width: size.width, height: 1))
    if case .compare(let page) = overlays.first {
      drawCompare(page, &grid, body)
    } else if case .stubForm(let form) = overlays.first {
      drawStubForm(form, &grid, body)
    } else if case .exchangeForm(let form) = overlays.first {
      drawExchangeForm(form, &grid, body)
    } else {
      drawTab(&grid)
    }
    drawFooter(&grid, Rect(x: 0, y: size.height - 1, width: size.width, height: 1))
    drawToast(&grid)
    for overlay in overlays { drawBox(overlay, &grid) }
    return ConsoleFrame(grid: grid, mouse: view.mouse, title: title)
  }

  /// Everything between header and footer.
  var body: Rect {
    Rect(x: 0, y: 1, width: size.width, height: max(0, size.height - 2))
  }

  private func drawTab(_ grid: inout Grid) {
    switch tab {
    case .requests: drawRequests(&grid)
    case .stubs: drawStubs(&grid)
    case .traffic: drawTraffic(&grid)
    case .processes: drawProcesses(&grid)
    case .output: drawOutput(&grid)
    }
  }

  private var title: String {
    let mark = held.isEmpty ? "" : "(\(Wording.count(held.count)) held) "
    switch setup.mode {
    case .run(let command): return "\(mark)patchbay · \(shown(command))"
    case .listen: return "\(mark)patchbay"
    case .demo: return "\(mark)patchbay demo"
    }
  }

  private func drawTooSmall(_ grid: inout Grid) {
    let needed = "\(Layout.minimum.width)×\(Layout.minimum.height)"
    let sentence = "Patchbay needs \(needed); this is \(size.width)×\(size.height). q leaves."
    for (row, line) in wrapped(sentence, toWidth: max(1, size.width)).enumerated() where row < size.height {
      grid.put(line, at: Point(x: 0, y: row), style: theme[.text])
    }
  }

  /// A sentence at the right of the foot, with what takes it back: nothing that is listed lies below it.
  private func drawToast(_ grid: inout Grid) {
    guard let toast, size.height > 4 else { return }
    let lines = toastLines
    let role: ThemeRole =
      switch toast.notice.kind {
      case .error: .toastError
      case .warning: .badge
      case .info, .good: .toast
      }
    let style = theme[role]
    let width = toastWidth
    for (row, line) in lines.enumerated() {
      let y = toastBottom - lines.count + 1 + row
      grid.fill(Rect(x: size.width - width, y: y, width: width, height: 1), style: style)
      grid.put(line, at: Point(x: size.width - width, y: y), style: style)
    }
  }

  /// The row of its last line: the foot, unless something is typed there.
  var toastBottom: Int {
    if case .prompt = overlays.last { return size.height - 2 }
    return size.height - 1
  }

  /// Columns that it takes; 0 where there is none.
  var toastWidth: Int { toastLines.map { textWidth($0) }.max() ?? 0 }

  /// The sentence as it is wrapped, at most three lines.
  var toastLines: [String] {
    guard let toast else { return [] }
    let undo = toast.undoable ? "  u undoes" : ""
    let sign =
      switch toast.notice.kind {
      case .error, .warning: "!"
      case .good: "✓"
      case .info: "·"
      }
    let text = " \(sign) \(shown(toast.notice.text))\(undo) "
    return wrapped(text, toWidth: max(10, min(size.width - 2, 90))).suffix(3)
  }
}
