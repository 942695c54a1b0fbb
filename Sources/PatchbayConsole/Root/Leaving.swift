import PatchbayGrid

/// The questions before something ends.
enum Leaving {
  /// `ctrl-c`: asks whom to stop where a command runs, and leaves otherwise.
  static func interrupt(isRunning: Bool, _ context: ConsoleContext, _ out: inout Outcomes) {
    guard case .run(let command) = context.setup.mode, isRunning else {
      return askToQuit(isRunning: false, context, &out)
    }
    let menu = Menu<[Outcome]>(
      title: "Stop what?",
      items: [
        .init("c", "The command: interrupt it", detail: command, [.effect(.interruptCommand)]),
        .init("q", "Patchbay: leave", [.effect(.quit)]),
        .init("esc", "Nothing", []),
      ], note: "ctrl-c again interrupts the command")
    out.open(MenuBox(menu, onInterrupt: [.effect(.interruptCommand)]))
  }

  /// Leaving takes a question only where it would end or release something. The key that asked is no answer: pressed
  /// twice by habit, `q` leaves all as it was.
  static func askToQuit(isRunning: Bool, _ context: ConsoleContext, _ out: inout Outcomes) {
    // The demo's stub file goes with the demo: there is nothing to be lost.
    let edited = context.setup.mode == .demo ? 0 : context.stubs.board.entries.filter(\.edited).count
    let held = context.held.count
    var reasons: [String] = []
    if case .run(let command) = context.setup.mode, isRunning { reasons.append("ends \(command)") }
    if edited > 0 { reasons.append("\(Wording.count(edited, "stub")) changed here and not written") }
    if held > 0 { reasons.append("\(Wording.count(held, "request")) held, to be released") }
    guard !reasons.isEmpty else { return out.perform(.quit) }
    var menu = Menu<[Outcome]>(
      title: "Leave?",
      items: [
        .init("y", "Leave", detail: reasons.joined(separator: "; "), [.effect(.quit)]), .init("esc", "Stay", []),
      ])
    if edited > 0 {
      menu.items.insert(.init("w", "Write the stubs, then leave", [.effect(.writeStubs), .effect(.quit)]), at: 1)
    }
    out.open(MenuBox(menu))
  }
}
