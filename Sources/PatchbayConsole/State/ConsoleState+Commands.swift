import PatchbayGrid
import PatchbayStubs

extension ConsoleState {
  /// Does what a key or the palette asked for.
  mutating func run(_ command: ConsoleCommand) {
    switch command {
    case .global(let command): run(command)
    case .move(let command): move(command)
    case .requests(let command): run(command)
    case .detail(let command): run(command)
    case .held(let command): run(command)
    case .stubs(let command): run(command)
    case .traffic(let command): run(command)
    case .processes(let command): run(command)
    case .output(let command): run(command)
    case .form: break
    }
  }

  private mutating func run(_ command: GlobalCommand) {
    switch command {
    case .quit: askToQuit()
    case .interrupt: interrupt()
    case .suspend: effects.append(.suspend)
    case .help: overlays.append(.help(HelpBox()))
    case .palette: overlays.append(.palette(PaletteBox()))
    case .showRequests: show(.requests)
    case .showStubs: show(.stubs)
    case .showTraffic: show(.traffic)
    case .showProcesses: show(.processes)
    case .showOutput: show(.output)
    case .nextTab: show(Tab(rawValue: (tab.rawValue + 1) % Tab.allCases.count) ?? .requests)
    case .previousTab:
      show(Tab(rawValue: (tab.rawValue + Tab.allCases.count - 1) % Tab.allCases.count) ?? .requests)
    case .undo: undo()
    case .redo: redo()
    case .undoList: openUndoList()
    case .themes: openThemes()
    case .toggleMouse:
      view.mouse.toggle()
      saveView()
      say(.info, view.mouse ? "The mouse is on." : "The mouse is off: the terminal selects text.")
    case .saveScreen: effects.append(.saveScreen)
    case .redraw: effects.append(.redraw)
    case .faultsForEverything: openFaults(scope: .everything)
    case .holdAll: toggleHoldAll()
    case .releaseAll: releaseAll()
    }
  }

  mutating func show(_ tab: Tab) {
    self.tab = tab
    requests.bar.isOpen = false
    if tab == .traffic { loadTraffic() }
  }

  mutating func saveView() { effects.append(.saveView(view)) }

  /// `ctrl-c`: asks whom to stop where a command runs, and leaves otherwise.
  private mutating func interrupt() {
    guard case .run(let command) = setup.mode, output.ended == nil else { return askToQuit() }
    var menu = Menu(
      title: "Stop what?",
      items: [
        Menu.Item("c", "The command: interrupt it", detail: command, .interruptCommand),
        Menu.Item("q", "Patchbay: leave", .quit),
        Menu.Item("esc", "Nothing", .stay),
      ])
    menu.note = "ctrl-c again interrupts the command"
    overlays.append(.menu(menu))
  }

  /// Leaving takes a question only where it would end or release something.
  private mutating func askToQuit() {
    // The demo's stub file goes with the demo: there is nothing to be lost.
    let edited = setup.mode == .demo ? 0 : stubs.board.entries.filter(\.edited).count
    guard edited > 0 || !held.isEmpty else {
      effects.append(.quit)
      return
    }
    var reasons: [String] = []
    if edited > 0 { reasons.append("\(Wording.count(edited, "stub")) changed here and not written") }
    if !held.isEmpty { reasons.append("\(Wording.count(held.count, "request")) held, to be released") }
    var menu = Menu(
      title: "Leave?",
      items: [
        Menu.Item("q", "Leave", detail: reasons.joined(separator: "; "), .quit),
        Menu.Item("esc", "Stay", .stay),
      ])
    if edited > 0 { menu.items.insert(Menu.Item("w", "Write the stubs, then leave", .save), at: 0) }
    overlays.append(.menu(menu))
  }
}
