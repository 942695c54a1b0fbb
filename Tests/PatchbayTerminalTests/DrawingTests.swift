import Foundation
import PatchbayTestSupport
import Testing

@Suite("Drawing on a real terminal", .bounded)
struct DrawingTests {
  @Test("wide characters stand in line with narrow ones", arguments: ["C.UTF-8", "C", "", "xx_YY.ISO-8859-1"])
  func japanese(locale: String) async throws {
    let session = try await FixtureSession.started(["LANG": locale, "LC_ALL": nil])
    let screen = session.screen
    #expect(screen.lines[1] == "│日本語のテスト│end")
    #expect(screen.position(of: "end")?.column == 16)
    #expect(screen.lines[2] == "│ascii  14 cells│end")
    #expect(screen.lines[3] == "│か\u{3099}e\u{301}👨👍⚠x│end")
    #expect(screen.unknown.isEmpty)
    #expect(screen.modes.alternateScreen && !screen.modes.cursorVisible)
    #expect(screen.modes.mouse == [1000, 1002, 1006])
    #expect(screen.title == "fixture")
  }

  @Test("the cursor is hidden before the first frame, and keys are sent as an application gets them")
  func beforeTheFirstFrame() async throws {
    let session = try await FixtureSession.started()
    let output = String(decoding: session.output, as: UTF8.self)
    // The title is saved once the screen is ours, before anything is drawn.
    let opening = try #require(output.components(separatedBy: "\u{1B}[22;2t").first)
    #expect(opening.contains("\u{1B}[?1049h") && opening.contains("\u{1B}[?1h\u{1B}="))
    let shown = opening.range(of: "\u{1B}[?25h", options: .backwards)?.lowerBound ?? opening.startIndex
    let hidden = try #require(opening.range(of: "\u{1B}[?25l", options: .backwards)).lowerBound
    #expect(hidden > shown)
  }

  @Test("ctrl-l draws everything again, whatever stands there")
  func everythingAgain() async throws {
    let session = try await FixtureSession.started()
    try session.send("k")
    try await session.waitFor(text: "key k")
    func drawn() -> Int { String(decoding: session.output, as: UTF8.self).components(separatedBy: "日本語").count - 1 }
    #expect(drawn() == 1)
    try session.send("ctrl-l")
    try await session.waitFor(text: "key ctrl-l")
    try session.send("k")
    try await session.waitFor(text: "key k")
    #expect(drawn() == 2)
  }

  @Test("another size leaves no debris", arguments: [(40, 8), (100, 30), (20, 5), (60, 17), (1, 1)])
  func resize(columns: Int, rows: Int) async throws {
    let session = try await FixtureSession.started()
    session.resize(columns: columns, rows: rows)
    if columns > 20 {
      try await session.waitFor(text: "fixture \(columns)×\(rows)")
    }
    session.resize(columns: 50, rows: 12)
    let fresh = try await FixtureSession.started(columns: 50, rows: 12)
    let expected = fresh.screen.lines
    try await session.waitFor("the screen of a fresh start") { $0.lines == expected }
  }

  @Test("scrolling and repeated changes show what a fresh start would")
  func scroll() async throws {
    let session = try await FixtureSession.started()
    for _ in 0..<30 { try session.send("s") }
    let screen = try await session.waitFor(text: "line 44 of the list")
    #expect(screen.lines[5] == "line 35 of the list")
    #expect(screen.lines[14] == "line 44 of the list")
    #expect(screen.lines[15].hasSuffix("last row"))
  }

  @Test(
    "colours as the terminal has them",
    arguments: [
      ("xterm-256color", "palette256", VTColor.palette(75)),
      ("tmux-256color", "palette256", .palette(75)),
      ("xterm", "ansi8", .palette(4)),
      ("linux", "ansi8", .palette(4)),
      ("vt100", "none", .default),
    ])
  func colors(type: String, depth: String, blue: VTColor) async throws {
    let session = try await FixtureSession.started(["TERM": type])
    let screen = try await session.waitFor(text: "fixture 60×16 \(depth)")
    #expect(screen.style(of: "fixture")?.foreground == blue)
    #expect(screen.style(of: "fixture")?.bold == true)
    #expect(screen.style(of: "key") == nil)
  }

  @Test(
    "random frames are on the screen as the grid has them", arguments: ["xterm-256color", "tmux", "linux"])
  func randomFrames(type: String) async throws {
    let folder = try TemporaryFolder()
    let dump = folder.file("frame")
    let session = try await FixtureSession.started(["TERM": type, "FIXTURE_DUMP": dump])
    for frame in 1...60 {
      try session.send("r")
      try await session.waitFor("frame \(frame) as drawn") { screen in
        guard screen.lines[0] == "frame \(frame)" else { return false }
        let expected = try? String(contentsOfFile: dump, encoding: .utf8).components(separatedBy: "\n")
        let hasAllColors = type == "xterm-256color"
        return expected?.starts(with: screen.lines + (hasAllColors ? styles(of: screen) : [])) == true
      }
    }
    #expect(session.screen.unknown.isEmpty)
  }

  /// It has 63 at a time; two of these frames have 65.
  @Test("a terminal of few pairs of colours shows the colours of each frame")
  func manyPairs() async throws {
    let session = try await FixtureSession.started(["TERM": "xterm"])
    for first in [0, 3, 0] {
      try session.send("v")
      try await session.waitFor("the colours from \(first) on") { screen in
        guard screen.style(of: "fixture")?.foreground == .palette(4),
          screen.style(of: "line 5")?.foreground == .palette(2)
        else { return false }
        return (0..<40).allSatisfy { index in
          let style = screen.cell(column: 30 + index % 8, row: 6 + index / 8)?.style
          return style?.foreground == .palette(index % 8) && style?.background == .palette(first + index / 8)
        }
      }
    }
  }

  @Test(
    "the last corner is as the grid has it, or without the wide character that would be destroyed; so is the cursor",
    arguments: [("xterm-256color", "last 日x"), ("tmux", "last … x")])
  func corner(type: String, end: String) async throws {
    let session = try await FixtureSession.started(["TERM": type])
    try session.send("l")
    let screen = try await session.waitFor("the corner") { $0.lines[15].hasSuffix(end) && $0.modes.cursorVisible }
    #expect(screen.cursor.column == 3 && screen.cursor.row == 5)
    try session.send("k")
    try await session.waitFor { $0.lines[15].hasSuffix("last row") && !$0.modes.cursorVisible }
  }

  @Test("the size is the terminal's, whatever LINES and COLUMNS say")
  func sizeOfTheTerminal() async throws {
    let session = try await FixtureSession.started(["LINES": "5", "COLUMNS": "20"])
    try await session.waitFor {
      $0.contains("fixture 60×16") && $0.lines[14] == "line 14 of the list" && $0.lines[15].hasSuffix("    last row")
    }
  }

  @Test("a terminal that does not tell its size has 24 rows of 80 columns")
  func noSize() async throws {
    let session = try PtySession(
      ["/bin/sh", "-c", "stty rows 0 cols 0; exec \(BuiltProduct.path("terminal-fixture"))"])
    try await session.waitFor { $0.contains("fixture 80×24") && $0.lines[23].hasSuffix("last row") }
  }

  @Test("a title that is there is not sent again")
  func titles() async throws {
    let session = try await FixtureSession.started()
    try session.send("t", "k")
    try await session.waitFor(text: "key k")
    let output = String(decoding: session.output, as: UTF8.self)
    for title in ["fixture", "another"] {
      #expect(output.components(separatedBy: "\u{1B}]2;\(title)\u{7}").count == 2, "\(title)")
    }
    #expect(session.screen.title == "another")
  }

  @Test("a picture takes the cells that it fills, by the size of a cell where the terminal tells it")
  func pictures() async throws {
    let session = try await FixtureSession.started(["FIXTURE_PICTURES": "1", "TERM_PROGRAM": "WezTerm"])
    let file = open(session.terminalPath, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(file) }
    /// The sizes of those that were sent to their end.
    func sizes() -> [String] {
      String(decoding: session.output, as: UTF8.self).components(separatedBy: "\u{7}\u{1B}8").dropLast().map { text in
        let last = text.components(separatedBy: "size=3;").last ?? ""
        return last.components(separatedBy: ";preserve")[0]
      }
    }
    let cases: [(UInt16, UInt16, String)] = [
      (0, 0, "width=13;height=6"), (600, 320, "width=10;height=5"), (60, 16, "width=8;height=8"),
      (59, 320, "width=13;height=6"), (600, 15, "width=13;height=6"),
    ]
    for (index, (width, height, expected)) in cases.enumerated() {
      var window = winsize(ws_row: 16, ws_col: 60, ws_xpixel: width, ws_ypixel: height)
      let result = ioctl(file, UInt(TIOCSWINSZ), &window)
      try #require(result == 0)
      try session.send("d")
      try await eventually("a picture in cells of \(width) and \(height)") { sizes().count > index }
      #expect(sizes()[index] == expected, "\(width) \(height)")
    }
  }

  @Test("NO_COLOR takes the colours and leaves the attributes")
  func noColor() async throws {
    let session = try await FixtureSession.started(["NO_COLOR": "1", "COLORTERM": "truecolor"])
    let screen = try await session.waitFor(text: "fixture 60×16 none")
    for row in 0..<16 {
      for column in 0..<60 {
        let style = try #require(screen.cell(column: column, row: row)?.style)
        #expect(style.foreground == .default && style.background == .default)
      }
    }
    #expect(screen.style(of: "ready")?.reverse == true)
  }

  @Test("24-bit colour where COLORTERM says so and the terminfo entry is installed, else 256")
  func trueColor() async throws {
    let folder = try TemporaryFolder()
    let entry = """
      xterm-direct|xterm with direct-color indexing,
      \tRGB, colors#0x1000000, pairs#0x10000, CO#8, initc@, op=\\E[39;49m,
      \tsetab=\\E[%?%p1%{8}%<%t4%p1%d%e48\\:2\\:\\:%p1%{65536}%/%d\\:%p1%{256}%/%{255}%&%d\\:%p1%{255}%&%d%;m,
      \tsetaf=\\E[%?%p1%{8}%<%t3%p1%d%e38\\:2\\:\\:%p1%{65536}%/%d\\:%p1%{256}%/%{255}%&%d\\:%p1%{255}%&%d%;m,
      \tsetb@, setf@, use=xterm-256color,

      """
    let source = try folder.write(entry, to: "direct.ti")
    let compiler = try PtySession(["/usr/bin/tic", "-x", "-o", folder.file("terminfo"), source])
    #expect(try await compiler.waitForExit() == .exited(0))

    let colors = ["COLORTERM": "truecolor", "TERMINFO_DIRS": "\(folder.file("terminfo")):/lib/terminfo"]
    let direct = try await FixtureSession.started(colors)
    let screen = try await direct.waitFor(text: "trueColor")
    #expect(screen.style(of: "fixture")?.foreground == .rgb(0x61, 0xAF, 0xEF))
    #expect(screen.style(of: "fixture")?.background == .rgb(0x20, 0x28, 0x30))
    #expect(screen.style(of: "line 5")?.foreground == .palette(2))
    // The eight colours of the terminal's own are its numbers 0 to 7: the darkest blues move by a step.
    let hues: [VTColor] = [
      .palette(7), .rgb(0x7F, 0x7F, 0x7F), .rgb(0xFF, 0, 0), .rgb(0, 1, 0), .rgb(0, 1, 7), .rgb(0, 0, 8),
    ]
    try direct.send("h")
    try await direct.waitFor("the hues") { screen in
      (30..<36).compactMap { screen.cell(column: $0, row: 6)?.style.foreground } == hues
    }

    let plain = try await FixtureSession.started(["COLORTERM": "truecolor", "TERMINFO_DIRS": "/lib/terminfo"])
    try await plain.waitFor { $0.contains("palette256") || $0.contains("trueColor") }
    #expect(plain.screen.unknown.isEmpty)
  }

  /// Background of each cell, and foreground and weight of those that show something.
  private func styles(of screen: VTScreen) -> [String] {
    (0..<screen.rows).map { row in
      (0..<screen.columns).compactMap { screen.cell(column: $0, row: row) }.map { cell in
        let ground = name(cell.style.background)
        if cell.text.isEmpty || cell.text == " " { return ground }
        return "\(name(cell.style.foreground))/\(ground)\(cell.style.bold ? "b" : "")"
      }.joined(separator: " ")
    }
  }

  private func name(_ color: VTColor) -> String {
    if case .palette(let number) = color { "\(number)" } else { "-" }
  }
}
