import PatchbayGrid

extension ConsoleState {
  /// The whole screen as it is now.
  package func draw() -> ConsoleFrame {
    var grid = Grid(size, style: theme[.text])
    guard size.fitsConsole else {
      grid.drawTooSmall(theme)
      return ConsoleFrame(grid: grid, mouse: view.mouse, title: title)
    }
    let context = context
    let body = context.body
    header.draw(on: &grid, in: Rect(x: 0, y: 0, width: size.width, height: 1), theme)
    if let screen = boxes.screen {
      screen.draw(on: &grid, in: body, context)
    } else {
      tabs.draw(on: &grid, in: body, context)
    }
    let foot = Rect(x: 0, y: size.height - 1, width: size.width, height: 1)
    let prompt = boxes.line
    if let prompt {
      prompt.draw(on: &grid, in: foot, context)
    } else {
      footer.draw(on: &grid, in: foot, theme)
    }
    if context.tourRows > 0 {
      tour.draw(on: &grid, in: Rect(x: 0, y: size.height - 2, width: size.width, height: 1), theme)
    }
    // The foot, unless something is typed there.
    toast?.draw(on: &grid, hasPrompt: prompt != nil, theme)
    for box in boxes.popups { box.draw(on: &grid, in: body, context) }
    // What lies over the page is to be read.
    let toastTop = toast?.rows(in: size, hasPrompt: prompt != nil).lowerBound ?? size.height
    if let picture = grid.picture, !boxes.popups.isEmpty || picture.area.maxY > toastTop { grid.removePicture() }
    return ConsoleFrame(grid: grid, mouse: view.mouse, title: title)
  }

  var header: Header {
    Header(
      width: size.width, active: tabs.shown, modes: HeaderMode.all(context, isPaused: tabs.requests.list.isPaused),
      linked: setup.openedFile == nil ? tabs.processes.linked : nil, recorded: tabs.requests.recorded.count, rate: rate)
  }

  private var title: String { setup.title(held: tabs.requests.recorded.held.count) }

  // MARK: The footer

  var footer: Footer {
    let isPlain = boxes.isEmpty && !tabs.requests.hasPrompt
    let used = size.height > 4 ? toast?.footWidth(in: size) ?? 0 : 0
    // Where all keys are to be found, always at the same place; nowhere where a person took the key away.
    let help = keys.bindings.first { $0.command == .global(.help) && !$0.keys.isEmpty }.map { FooterHint($0) }
    return Footer(
      footerHints(context), last: isPlain && used == 0 ? help : nil, width: size.width, reserving: used)
  }

  private func footerHints(_ context: ConsoleContext) -> [FooterHint] {
    switch context.topBox {
    case .form?, .popup?, .screen?, .line?: return boxes.last?.hints(context) ?? []
    case nil where tabs.requests.hasPrompt: return tabs.requests.promptHints
    case nil, .offer?:
      let taken = boxes.last?.takenKeys ?? []
      return FooterHint.all(
        keys.active(in: context.keyContexts).filter {
          isPossible($0.command) && ($0.keys.first.map { !taken.contains($0) } ?? true)
        })
    }
  }

  /// Whether a command would do something now.
  private func isPossible(_ command: ConsoleCommand) -> Bool {
    switch command {
    case .global(.undo): log.canUndo
    case .global(.redo): false
    case .output(.sendInput): setup.hasCommandInput && tabs.isPossible(command)
    default: tabs.isPossible(command)
    }
  }
}
