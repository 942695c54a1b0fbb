import CNcurses
import PatchbayGrid

extension Terminal {
  /// Gives the screen to another program: modes off, the normal screen, the settings as they were found.
  public func leave() {
    guard isOpen, !isAway else { return }
    write(TerminalModes.off)
    patchbay_terminal_leave()
    isAway = true
  }

  /// Takes the screen again after `leave()`; the next `present` draws everything.
  public func enter() {
    guard isOpen, isAway else { return }
    isAway = false
    patchbay_terminal_enter()
    write(TerminalModes.on(mouse: usesMouse))
    updateSize()
  }

  /// Stops the process as ctrl-z does and returns when it goes on, on the screen again. While another program has
  /// the terminal it only stops. Returns false, and does nothing, where no shell would take over.
  @discardableResult
  public func suspend() -> Bool {
    guard patchbay_has_job_control() else { return false }
    let wasOurs = isOpen && !isAway
    if wasOurs { leave() }
    patchbay_stop_self()
    if wasOurs { enter() }
    return true
  }

  /// After a stop that was not ours (SIGCONT after SIGSTOP): the shell has changed the settings and the screen.
  public func continued() {
    guard isOpen, !isAway else { return }
    patchbay_terminal_enter()
    write(TerminalModes.on(mouse: usesMouse))
    updateSize()
  }
}
