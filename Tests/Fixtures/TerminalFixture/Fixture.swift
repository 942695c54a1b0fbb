import Foundation
import PatchbayGrid
import PatchbayTerminal

@MainActor
final class Fixture {
  private let terminal: Terminal
  private let signals = SignalSources()
  private var ended = 0
  private var input: TerminalInput?
  private var messages: [String] = []
  private var status = "ready"
  private var first = 0
  private var frames = 0
  private var firstGround = 0
  private var seed: UInt64 = 42
  private var random: Grid?
  private static let pieces = ["a", "b", " ", "日", "本", "ｱ", "e\u{301}", "か\u{3099}", "👍", "─", "█", "한", "⚠️", "0"]

  init() throws {
    let environment = ProcessInfo.processInfo.environment
    var options = TerminalOptions(environment: environment)
    options.showsPictures = environment["FIXTURE_PICTURES"] != nil
    terminal = try Terminal(options)
    if let number = environment["FIXTURE_SIGNAL"].flatMap(Int32.init) { kill(getpid(), number) }
    if let path = environment["FIXTURE_ERRORS"] { try terminal.sendErrors(to: path) }
    if let path = environment["FIXTURE_LEASH"] { reportState(to: path) }
  }

  /// To who listens there: three lines of what puts the terminal back, then whether that is needed.
  private func reportState(to path: String) {
    let leash = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(leash, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, let undo = terminal.undo else { return }
    let text = "\(undo.ours)\n\(undo.found)\n\(Data(undo.bytes.utf8).base64EncodedString())\n"
    _ = text.withCString { write(leash, $0, strlen($0)) }
    terminal.reportState(to: leash)
  }

  func start() {
    input = TerminalInput(
      descriptor: terminal.keyboard,
      onEvents: { [weak self] events in for event in events { self?.handle(event) } },
      onHangUp: { [weak self] in self?.quit(3) })
    signals.on(SIGTERM) { [weak self] in self?.quit(143) }
    signals.on(SIGHUP) { [weak self] in self?.quit(129) }
    for number in [SIGINT, SIGQUIT] { signals.on(number) { [weak self] in self?.show("interrupted") } }
    signals.on(SIGTSTP) { [weak self] in self?.suspend() }
    signals.on(SIGCONT) { [weak self] in self?.cameBack() }
    signals.on(SIGWINCH) { [weak self] in
      self?.terminal.updateSize()
      self?.draw()
    }
    terminal.setTitle("fixture")
    draw()
  }

  private func handle(_ event: InputEvent) {
    switch event {
    case .key(let key):
      show("key \(key)")
      press(key)
    case .mouse(let mouse): show("mouse \(name(mouse.kind)) \(mouse.position.x),\(mouse.position.y)")
    case .paste(let text): show("paste \(text.utf8.count) \(SafeText.line(text.prefix(20)))")
    case .focus(let isOn): show("focus \(isOn)")
    }
  }

  private func name(_ kind: MouseEvent.Kind) -> String {
    switch kind {
    case .press(let button): "press \(button)"
    case .release(let button): "release \(button.map { "\($0)" } ?? "?")"
    case .drag(let button): "drag \(button)"
    default: "\(kind)"
    }
  }

  private func press(_ key: Key) {
    switch key.description {
    case "q": quit(0)
    case "c": fatalError("crashed on purpose")
    case "a": abort()
    case "i": show("\(messages[messages.count + 1])")
    case "p": show("\(UnsafePointer<Int>(bitPattern: 64)?.pointee ?? 0)")
    case "o": show("\(overflow(1))")
    case "x": exit(9)
    case "z": suspend()
    case "e": edit(["/bin/sh", "-c", "echo in the editor; read line; echo read $line; exit 3"])
    case "g": edit(["/bin/sh", "-c", "trap '' INT QUIT; kill -INT 0; kill -QUIT 0; exit 4"])
    case "n": edit(["/nowhere/editor"])
    case "m":
      terminal.setMouse(!terminal.usesMouse)
      show("mouse is \(terminal.usesMouse)")
    case "y": terminal.copy("コピー")
    case "b": terminal.bell()
    case "w": FileHandle.standardError.write(Data("a warning\n".utf8))
    case "r": drawRandom()
    case "s":
      first += 1
      draw()
    case "ctrl-l": terminal.redrawAll()
    case "2": openAgain()
    case "t": for title in ["fixture", "another", "another"] { terminal.setTitle(title) }
    case "E": edit(["/bin/sh", "-c", "echo to the errors >&2; read line; exit 5"])
    case "v": drawPairs()
    case "h": drawHues()
    case "l": drawCorner()
    case "d": drawPicture()
    default: break
    }
  }

  /// Draws a frame of pieces at random places over the last one, and writes what should be seen into a file.
  private func drawRandom() {
    frames += 1
    if random == nil || random?.size != terminal.size { random = Grid(terminal.size) }
    guard var grid = random else { return }
    for _ in 0..<(frames % 7 == 0 ? 60 : 4) {
      let place = Point(x: next(grid.width + 6) - 3, y: 1 + next(grid.height - 1))
      let style = Style(
        foreground: .palette(UInt8(next(256))), background: next(3) == 0 ? .ansi(UInt8(next(8))) : .default)
      let text = (0..<next(14)).map { _ in Fixture.pieces[next(Fixture.pieces.count)] }.joined()
      grid.put(text, at: place, style: next(2) == 0 ? style.bold : style)
    }
    if frames % 11 == 0 { grid.fill(Rect(x: next(20), y: 3, width: 20, height: 3), style: .plain) }
    grid.fill(grid.bounds.splitTop(1).top, style: .plain)
    grid.put("frame \(frames)", at: .zero)
    random = grid
    var seen = grid
    let half = Point(x: grid.width - 2, y: grid.height - 1)
    if insertsCorner, seen[half]?.isContinuation == true {
      seen.put("…", at: half.moved(x: -1))
    }
    if let path = ProcessInfo.processInfo.environment["FIXTURE_DUMP"] {
      try? (seen.lines + styles(of: seen)).joined(separator: "\n").write(
        toFile: path, atomically: true, encoding: .utf8)
    }
    terminal.present(grid)
  }

  private func openAgain() {
    do {
      _ = try Terminal()
      show("opened again")
    } catch {
      show("\(error)")
    }
  }

  /// Eight colours on five of the eight, the next time on five others: with the frame's own more than 63 pairs.
  private func drawPairs() {
    var grid = frame()
    for row in 0..<5 {
      for column in 0..<8 {
        let style = Style(foreground: .ansi(UInt8(column)), background: .ansi(UInt8(firstGround + row)))
        grid.put("x", at: Point(x: 30 + column, y: 6 + row), style: style)
      }
    }
    firstGround = 3 - firstGround
    terminal.present(grid)
  }

  private func drawHues() {
    var grid = frame()
    let colors: [Color] = [.ansi(7), .ansi(8), .palette(196), .rgb(0), .rgb(7), .rgb(8)]
    for (column, color) in colors.enumerated() {
      grid.put("h", at: Point(x: 30 + column, y: 6), style: Style(foreground: color))
    }
    terminal.present(grid)
  }

  /// A wide character just before the bottom right corner, and the cursor.
  private func drawCorner() {
    var grid = frame()
    grid.put("日x", at: Point(x: grid.width - 3, y: grid.height - 1))
    grid.setCursor(Point(x: 3, y: 5))
    terminal.present(grid)
  }

  private func drawPicture() {
    guard let picture = Picture(.png, [1, 2, 3], size: Size(width: 100, height: 100)) else { return }
    var grid = frame()
    grid.setPicture(picture, in: Rect(x: 25, y: 5, width: 30, height: 8))
    terminal.present(grid)
    terminal.showPicture()
  }

  /// These have no switch for wrapping, so that a wide character before the corner is replaced.
  private var insertsCorner: Bool {
    let type = ProcessInfo.processInfo.environment["TERM"] ?? ""
    return type.hasPrefix("tmux") || type.hasPrefix("screen")
  }

  /// Background of each cell, and foreground and weight of those that show something.
  private func styles(of grid: Grid) -> [String] {
    (0..<grid.height).map { row in
      (0..<grid.width).map { column in
        guard let cell = grid[Point(x: column, y: row)] else { return "?" }
        let ground = name(cell.style.background)
        if cell.scalar == " " { return ground }
        return "\(name(cell.style.foreground))/\(ground)\(cell.style.attributes.contains(.bold) ? "b" : "")"
      }.joined(separator: " ")
    }
  }

  private func name(_ color: Color) -> String {
    if case .palette(let number) = color.kind { "\(number)" } else { "-" }
  }

  private func next(_ limit: Int) -> Int {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(seed >> 33) % max(1, limit)
  }

  /// Recurses until the stack is used up.
  private func overflow(_ depth: Int) -> Int {
    depth == 0 ? 0 : overflow(depth + 1) &+ overflow(depth + 2)
  }

  private func suspend() {
    show(terminal.suspend() ? "back" : "no shell")
  }

  private func cameBack() {
    terminal.continued()
    draw()
  }

  private func edit(_ arguments: [String]) {
    Task {
      do {
        let code = try await signals.leavingTyped { try await terminal.runExternally(arguments, input: input) }
        ended += 1
        show("editor ended with \(code), \(ended) ended")
      } catch {
        show("\(error)")
      }
    }
  }

  private func quit(_ code: Int32) {
    // A hang-up ends the keyboard and sends its signal; either may come first.
    terminal.close(ignoring: [SIGHUP])
    print("bye \(code)")
    _ = write(STDERR_FILENO, "seen\n", 5)
    exit(code)
  }

  private func show(_ message: String) {
    messages.append(message)
    status = message
    draw()
  }

  private func draw() { terminal.present(frame()) }

  private func frame() -> Grid {
    var grid = Grid(terminal.size)
    let blue = Style(foreground: .rgb(0x61afef, fallback: 4), background: .rgb(0x202830))
    grid.put(
      "fixture \(terminal.size.width)×\(terminal.size.height) \(terminal.colorDepth)", at: .zero, style: blue.bold)
    grid.put("│日本語のテスト│end", at: Point(x: 0, y: 1))
    grid.put("│ascii  14 cells│end", at: Point(x: 0, y: 2))
    grid.put("│か\u{3099}e\u{301}👨‍👩‍👧👍🏽⚠️x│end", at: Point(x: 0, y: 3), style: Style().italic)
    for row in 5..<max(5, grid.height - 1) {
      grid.put("line \(row + first) of the list", at: Point(x: 0, y: row), style: Style(foreground: .ansi(2)))
    }
    grid.put(status, at: Point(x: 0, y: 4), style: Style().reverse)
    grid.put("last row", at: Point(x: grid.width - 8, y: grid.height - 1))
    return grid
  }
}
