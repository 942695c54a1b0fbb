import CNcurses
import Foundation
import PatchbayGrid

/// The terminal, through ncurses: takes grids and shows what changed. There is one, on the main actor.
///
/// It is put back as it was found by `close()`, at exit and in a crash; after SIGKILL by who holds the other end of
/// `reportState(to:)`.
/// Standard error would be lost in the alternate screen: send it to a file with `sendErrors(to:)`.
@MainActor
package final class Terminal {
  /// The descriptor that keys are read from: standard input, or `/dev/tty` if that is no terminal.
  package let keyboard: Int32
  /// How many colours are in use; with `.none` a selection needs the `reverse` attribute to be seen.
  package let colorDepth: ColorDepth
  package private(set) var size: Size
  /// Whether another program, or the shell, has the terminal now.
  package private(set) var isAway = false
  package private(set) var usesMouse: Bool

  private var pairs: ColorPairs
  /// What the screen shows; nil if all of it has to be drawn.
  private var shown: Grid?
  private var cells: [patchbay_cell] = []
  private var title: String?
  private var pictures = TerminalPictures()
  private let opened = DispatchTime.now()
  private var isOpen = true
  private var oldActions: [(signal: Int32, action: sigaction)]
  private let output: Int32
  private let ownsKeyboard: Bool
  private let insertsCorner: Bool
  private static var isTaken = false

  /// Opens the terminal of standard output.
  ///
  /// - Throws: `TerminalError`; nothing has been written to the terminal then.
  package init(_ options: TerminalOptions = TerminalOptions()) throws(TerminalError) {
    guard !Terminal.isTaken else { throw .alreadyOpen }
    let output = STDOUT_FILENO
    guard isatty(output) == 1 else { throw .outputIsNotATerminal }
    let type = try TerminalType.choose(
      output: output, prefersTrueColor: options.prefersTrueColor && options.colorLimit == .trueColor)
    defer { type.made?.remove() }
    let isInput = isatty(STDIN_FILENO) == 1
    let keyboard = isInput ? STDIN_FILENO : Foundation.open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard keyboard >= 0 else { throw .noKeyboard }
    guard patchbay_signal_pipe() >= 0 else {
      if !isInput { Foundation.close(keyboard) }
      throw .tooManyFiles
    }
    _ = patchbay_locale_rescue()
    let oldActions = SignalSources.noteAll()
    guard patchbay_terminal_open(type.name, output, keyboard) == Int32(PATCHBAY_TERMINAL_OK) else {
      SignalSources.restore(oldActions)
      if !isInput { Foundation.close(keyboard) }
      throw .cannotOpen(type.description)
    }
    patchbay_terminal_guard()
    self.output = output
    self.keyboard = keyboard
    self.oldActions = oldActions
    ownsKeyboard = !isInput
    insertsCorner = patchbay_terminal_inserts_corner()
    pairs = ColorPairs(limit: options.colorLimit)
    colorDepth = pairs.depth
    usesMouse = options.usesMouse
    size = Terminal.currentSize(output)
    Terminal.isTaken = true
    patchbay_terminal_set_undo(TerminalModes.off + TerminalModes.titleOff)
    patchbay_terminal_resize(Int32(size.height), Int32(size.width))
    write(TerminalModes.titleOn + TerminalModes.on(mouse: usesMouse))
    // Nobody waits for the answer.
    if options.showsPictures, let question = pictures.learn(from: ProcessInfo.processInfo.environment) {
      write(question)
    }
  }

  /// Looks whether there is a terminal that can show a screen, and changes nothing.
  package static func check() throws(TerminalError) {
    guard isatty(STDOUT_FILENO) == 1 else { throw .outputIsNotATerminal }
    try checkType()
  }

  /// Looks whether a terminal of the type that `TERM` names can show a screen, terminal or not.
  package static func checkType(
    _ type: String = ProcessInfo.processInfo.environment["TERM"] ?? ""
  ) throws(TerminalError) {
    _ = try TerminalType.choose(type, output: STDOUT_FILENO, prefersTrueColor: false)
  }

  /// Whether `COLORTERM` can be true of a terminal of that type: never of a vt100 or a Linux console.
  package static func mayHaveTrueColor(_ type: String) -> Bool { !TerminalType.isColourless(type) }

  /// Shows a grid: only what changed since the last one is sent. One of another size is cut off or leaves the
  /// rest blank.
  package func present(_ grid: Grid) {
    guard isOpen, !isAway else { return }
    let grid = withSafeCorner(grid)
    let removal = pictures.want(grid.picture) { area in
      GridDiff.runs(from: shown, to: grid).contains { run in
        area.y..<area.maxY ~= run.row && run.columns.overlaps(area.x..<area.maxX)
      }
    }
    perform(removal)
    pairs.hasOverflowed = false
    draw(grid)
    if pairs.hasOverflowed {
      pairs.forgetAll()
      shown = nil
      draw(grid)
    }
    let cursor = grid.cursor.flatMap { Rect(size).contains($0) ? $0 : nil }
    patchbay_terminal_update(Int32(cursor?.y ?? -1), Int32(cursor?.x ?? -1))
    shown = grid
  }

  /// The next `present` draws everything again, as after ctrl-l.
  package func redrawAll() {
    perform(pictures.remove())
    shown = nil
    patchbay_terminal_redraw()
  }

  /// Asks the kernel for the size (on SIGWINCH) and returns it; the next `present` draws everything.
  @discardableResult
  package func updateSize() -> Size {
    let new = Terminal.currentSize(output)
    perform(pictures.remove())
    size = new
    if isOpen, !isAway {
      shown = nil
      patchbay_terminal_resize(Int32(new.height), Int32(new.width))
    }
    return new
  }

  package func setMouse(_ isOn: Bool) {
    guard isOn != usesMouse else { return }
    usesMouse = isOn
    write(isOn ? TerminalModes.mouseOn : TerminalModes.mouseOff)
  }

  package func bell() {
    write("\u{7}")
  }

  /// Sets the window's title; controls in it are shown as signs.
  package func setTitle(_ title: String) {
    guard title != self.title else { return }
    self.title = title
    write(TerminalModes.title(title))
  }

  /// Copies text to the person's clipboard by OSC 52, through tmux too. Terminals may cut or refuse it in silence.
  package func copy(_ text: String) {
    let environment = ProcessInfo.processInfo.environment
    write(
      TerminalModes.copy(
        text, throughTmux: environment["TMUX"] != nil,
        throughScreen: environment["TMUX"] == nil && environment["STY"] != nil))
  }

  /// Whether a terminal of this kind may take text for the clipboard; those that surely do not would show nothing.
  package var takesClipboard: Bool {
    Self.takesClipboard(type: ProcessInfo.processInfo.environment["TERM"] ?? "")
  }

  nonisolated static func takesClipboard(type: String) -> Bool {
    let kind = type.split(separator: "-").first.map(String.init) ?? ""
    return !["linux", "ansi", "cons25", "sun", "cygwin"].contains(kind) && !kind.hasPrefix("vt")
  }

  /// The longest text in bytes that terminals take; tmux and xterm drop longer ones in silence.
  package static let clipboardLimit = 700_000

  /// Appends what is written to standard error to a file (made with mode 0600) until the terminal is closed; in a
  /// crash it is the old one again, so that the backtrace is seen.
  package func sendErrors(to path: String) throws(TerminalError) {
    let file = Foundation.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let failure = file < 0 ? errno : patchbay_terminal_redirect_errors(file)
    if file >= 0 { Foundation.close(file) }
    guard failure == 0 else { throw .cannotRedirect(path, reason: String(cString: strerror(failure))) }
  }

  /// What puts the terminal back from outside: what to write to it, the settings as they are now and those that were
  /// found, as `stty -g` prints them.
  package struct Undo: Sendable {
    package var terminal: Int32
    package var bytes, ours, found: String
  }

  /// nil where it is not known.
  package var undo: Undo? {
    let empty = [CChar](repeating: 0, count: 1_024)
    var (bytes, ours, found) = (empty, empty, empty)
    guard isOpen, patchbay_terminal_undo(&bytes, &ours, &found, empty.count) else { return nil }
    let texts = [bytes, ours, found].map { text in
      String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return Undo(terminal: output, bytes: texts[0], ours: texts[1], found: texts[2])
  }

  /// From now on a line on that socket, `1` or `0`, says whether the terminal needs to be put back when we are killed.
  package func reportState(to leash: Int32) { patchbay_terminal_set_leash(leash) }

  /// Puts the terminal back. Does nothing the second time.
  ///
  /// - Parameter quiet: signals that go on doing nothing by themselves, because this process puts its things away and
  ///   ends.
  package func close(ignoring quiet: Set<Int32> = []) {
    guard isOpen else { return }
    giveUpPictures()
    write(TerminalModes.off + TerminalModes.titleOff)
    isOpen = false
    patchbay_terminal_close()
    SignalSources.restore(oldActions, but: quiet)
    if ownsKeyboard { Foundation.close(keyboard) }
    Terminal.isTaken = false
  }

  /// Where ncurses would destroy a wide character just before the bottom right corner, `…` stands in its place.
  private func withSafeCorner(_ grid: Grid) -> Grid {
    let half = Point(x: size.width - 2, y: size.height - 1)
    guard insertsCorner, let cell = grid[half], cell.isContinuation else { return grid }
    var grid = grid
    grid.put("…", at: half.moved(x: -1), style: cell.style)
    return grid
  }

  private func draw(_ grid: Grid) {
    for run in GridDiff.runs(from: shown, to: grid) where run.row < size.height {
      cells.removeAll(keepingCapacity: true)
      pairs.append(grid.runCells(run, width: size.width), to: &cells)
      patchbay_terminal_put(Int32(run.row), Int32(run.columns.lowerBound), cells, Int32(cells.count))
    }
  }

  private func write(_ text: String) {
    guard isOpen, !isAway else { return }
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { patchbay_terminal_write($0.baseAddress, $0.count) }
    }
  }

  private static func currentSize(_ output: Int32) -> Size {
    var rows: Int32 = 24
    var columns: Int32 = 80
    _ = patchbay_terminal_size(output, &rows, &columns)
    return Size(width: Int(columns), height: Int(rows))
  }
}

extension Terminal {
  /// Gives the screen to another program: modes off, the normal screen, the window's title and the settings as they were
  /// found.
  package func leave() {
    guard isOpen, !isAway else { return }
    giveUpPictures()
    write(TerminalModes.off + TerminalModes.titleOff)
    patchbay_terminal_leave()
    isAway = true
  }

  /// Takes the screen again after `leave()`; the next `present` draws everything.
  package func enter() {
    guard isOpen, isAway else { return }
    isAway = false
    patchbay_terminal_enter()
    write(TerminalModes.titleOn + TerminalModes.on(mouse: usesMouse) + (title.map(TerminalModes.title) ?? ""))
    updateSize()
  }

  /// Stops the process as ctrl-z does and returns when it goes on, on the screen again. While another program has
  /// the terminal it only stops. Returns false, and does nothing, where no shell would take over.
  @discardableResult
  package func suspend() -> Bool {
    guard patchbay_has_job_control() else { return false }
    let wasOurs = isOpen && !isAway
    if wasOurs { leave() }
    patchbay_stop_self()
    if wasOurs { enter() }
    return true
  }

  /// After a stop that was not ours (SIGCONT after SIGSTOP): the shell has changed the settings and the screen.
  package func continued() {
    guard isOpen, !isAway else { return }
    patchbay_terminal_enter()
    write(TerminalModes.on(mouse: usesMouse))
    updateSize()
  }
}

// MARK: Pictures

extension Terminal {
  /// The pictures that it shows, as far as it has said so.
  package var pictureFormats: Set<Picture.Format> { pictures.formats }

  /// The picture of the last grid that is to be sent with `showPicture()` when nothing is more urgent.
  package var duePicture: PlacedPicture? { pictures.due }

  /// Sends the picture that is due; it goes away when a grid without it is presented.
  package func showPicture() {
    guard isOpen, !isAway, let bytes = pictures.show(cell: cellSize) else { return }
    // Lines that are scrolled by the terminal would take it with them.
    patchbay_terminal_scrolls(false)
    write(bytes)
  }

  package func answered(_ answer: TerminalAnswer) { pictures.answered(answer) }

  private func perform(_ removal: TerminalPictures.Removal?) {
    guard let removal else { return }
    patchbay_terminal_scrolls(true)
    switch removal {
    case .send(let bytes): write(bytes)
    case .redraw:
      shown = nil
      patchbay_terminal_redraw()
    }
  }

  /// Nothing of them stays behind. An answer that is under way when the terminal is given back would be typed into the
  /// shell; one that has not come after a second does not come.
  private func giveUpPictures() {
    perform(pictures.remove())
    guard pictures.isAnswerDue, !isAway else { return }
    pictures.noLongerDue()
    var poller = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
    guard DispatchTime.now() < opened + .seconds(1), poll(&poller, 1, 50) > 0 else { return }
    tcflush(keyboard, TCIFLUSH)
  }

  /// In pixels; where the terminal does not say, as in most fonts.
  private var cellSize: Size {
    var window = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0,
      window.ws_xpixel >= window.ws_col, window.ws_ypixel >= window.ws_row
    else { return Size(width: 8, height: 16) }
    return Size(width: Int(window.ws_xpixel / window.ws_col), height: Int(window.ws_ypixel / window.ws_row))
  }
}
