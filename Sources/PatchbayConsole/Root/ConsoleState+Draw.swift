import PatchbayGrid

extension ConsoleState {
  /// The whole screen as it is now.
  package func draw() -> ConsoleFrame {
    var grid = Grid(size, style: theme[.text])
    guard size.fitsConsole else {
      drawTooSmall(&grid)
      return ConsoleFrame(grid: grid, mouse: view.mouse, title: title)
    }
    let context = context
    let body = context.body
    header.draw(on: &grid, in: Rect(x: 0, y: 0, width: size.width, height: 1), theme)
    if let box = boxes.first, box.place.isScreen {
      box.draw(on: &grid, in: body, context)
    } else {
      switch tab {
      case .requests: requests.draw(on: &grid, in: body, context)
      case .stubs: stubs.draw(on: &grid, in: body, context)
      case .traffic: traffic.draw(on: &grid, in: body, context)
      case .processes: processes.draw(on: &grid, in: body, context)
      case .output: output.draw(on: &grid, in: body, context)
      }
    }
    let foot = Rect(x: 0, y: size.height - 1, width: size.width, height: 1)
    let prompt = boxes.last.flatMap { $0.place == .line ? $0 : nil }
    if let prompt {
      prompt.draw(on: &grid, in: foot, context)
    } else {
      drawFooter(&grid, foot, context)
    }
    // The foot, unless something is typed there.
    toast?.draw(on: &grid, bottom: size.height - (prompt == nil ? 1 : 2), theme)
    for box in boxes where box.place == .popup || box.place == .offer { box.draw(on: &grid, in: body, context) }
    return ConsoleFrame(grid: grid, mouse: view.mouse, title: title)
  }

  var header: Header {
    Header(
      width: size.width, active: tab, modes: HeaderMode.all(context, isPaused: requests.list.isPaused),
      linked: processes.linked, recorded: requests.recorded.count, rate: rate)
  }

  private var title: String {
    let mark = requests.recorded.held.isEmpty ? "" : "(\(Wording.count(requests.recorded.held.count)) held) "
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

  // MARK: The footer

  private func drawFooter(_ grid: inout Grid, _ area: Rect, _ context: ConsoleContext) {
    let isPlain = boxes.isEmpty && !requests.bar.isOpen
    let used = size.height > 4 ? toast?.width(in: size) ?? 0 : 0
    // Where all keys are to be found, always at the same place; nowhere where a person took the key away.
    let help = keys.bindings.first { $0.command == .global(.help) && !$0.keys.isEmpty }.map { FooterHint($0) }
    FooterHint.draw(
      footerHints(context), last: isPlain && used == 0 ? help : nil, on: &grid, in: area, reserving: used, theme)
  }

  private func footerHints(_ context: ConsoleContext) -> [FooterHint] {
    switch context.topBox {
    case .form?, .popup?, .screen?, .line?: return boxes.last?.hints(context) ?? []
    case nil where requests.bar.isOpen: return FooterHint.filter
    case nil, .offer?: return FooterHint.all(keys.active(in: context.keyContexts).filter { isPossible($0.command) })
    }
  }

  /// Whether a command would do something now.
  private func isPossible(_ command: ConsoleCommand) -> Bool {
    switch command {
    case .requests(let command): requests.isPossible(command)
    case .detail(.nextMatch): requests.detail.hasMatches
    case .stubs(let command): stubs.isPossible(command)
    case .traffic(let command): traffic.isPossible(command)
    case .processes(let command): processes.isPossible(command)
    case .output(let command): output.isPossible(command)
    case .global(.releaseAll): requests.recorded.held.count > 1
    case .global(.undo): log.canUndo
    case .global(.redo): false
    case .global, .move, .detail, .held, .form: true
    }
  }
}

extension Size {
  var fitsConsole: Bool { width >= Layout.minimum.width && height >= Layout.minimum.height }
}
