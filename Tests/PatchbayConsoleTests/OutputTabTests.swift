import PatchbayGrid
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What the command printed: what is kept of it, where one stands in it, and what is found.
@Suite(.bounded) struct OutputTabTests {
  private let at = Timestamp(microseconds: 1_700_000_000_000_000)

  private func lines(_ numbers: some Sequence<Int>) -> [OutputLine] {
    numbers.map { OutputLine(at: at, stream: .output, text: "line \($0)") }
  }

  private func tab(_ count: Int) -> OutputTab {
    var tab = OutputTab()
    tab.add(lines(0..<count))
    return tab
  }

  private func said(_ outcomes: inout Outcomes) -> [String] {
    outcomes.drain().map { if case .say(let notice, _, _) = $0 { notice.text } else { "other" } }
  }

  // MARK: What is kept

  @Test func aTenthMoreThanTheLimitIsKeptBeforeTheOldestGo() {
    var tab = tab(11_000)
    #expect(tab.lines.count == 11_000 && tab.selected == 10_999)
    tab.add(lines([11_000]))
    #expect(tab.lines.count == 10_000 && tab.lines.first?.text == "line 1001" && tab.selected == 9_999)
    tab.add(lines(11_001..<12_001))
    #expect(tab.lines.count == 11_000 && tab.lines.first?.text == "line 1001")
  }

  @Test func whereOneStandsMovesWithTheLines() {
    for (start, expected) in [(10_990, 9_989), (1_500, 499), (1_001, 0), (1_000, 0), (3, 0)] {
      var tab = tab(11_000)
      tab.move(by: start - 10_999)
      #expect(tab.selected == start && !tab.follows)
      tab.add(lines([11_000]))
      #expect(tab.selected == expected && !tab.follows, "from \(start)")
    }
  }

  @Test func whereLinesWereSkippedThoseBeforeThemGo() {
    var tab = tab(10)
    tab.move(by: -4)
    tab.add(lines(20..<23), skipped: 5)
    #expect(tab.lines.map(\.text) == ["line 20", "line 21", "line 22"] && tab.selected == 0 && !tab.follows)
    tab.move(by: 9)
    tab.add(lines([23]), skipped: 0)
    #expect(tab.lines.count == 4 && tab.selected == 3)
  }

  @Test func aLineThatIsOpenGivesWayToTheNext() {
    var tab = tab(2)
    tab.add([OutputLine(at: at, stream: .output, text: "50 %", isOpen: true)])
    #expect(tab.lines.count == 3 && tab.selected == 2)
    tab.add([])
    #expect(tab.lines.count == 2 && tab.selected == 1)
  }

  // MARK: Moving

  @Test func atItsEndItFollows() {
    var tab = tab(5)
    #expect(tab.follows && tab.selected == 4)
    for (step, selected, follows) in [
      (-1, 3, false), (-9, 0, false), (3, 3, false), (1, 4, true), (7, 4, true), (-4, 0, false), (4, 4, true),
    ] {
      tab.move(by: step)
      #expect(tab.selected == selected && tab.follows == follows, "by \(step)")
    }
    tab.pointer(.wheel(-3, at: .zero))
    #expect(tab.selected == 1 && !tab.follows)
    tab.pointer(.release)
    #expect(tab.selected == 1)
    var empty = OutputTab()
    empty.move(by: 3)
    #expect(empty.selected == 0 && empty.follows)
  }

  @Test func theKeyThatFollowsStopsItToo() {
    var (tab, out, context) = (tab(5), Outcomes(), Sample.driver(80, 24).state.context)
    tab.run(.follow, context, &out)
    #expect(!tab.follows && tab.selected == 4)
    tab.add(lines([5]))
    #expect(tab.selected == 4)
    tab.run(.follow, context, &out)
    #expect(tab.follows && tab.selected == 5)
    context.view.wrap = true
    tab.run(.wrap, context, &out)
    guard case .view(let view, _)? = out.drain().first else { return #expect(Bool(false), "nothing") }
    #expect(!view.wrap)
  }

  @Test func whoStopsFollowingBeforeAnythingIsPrintedStandsAtTheFirstLine() {
    var (tab, out) = (OutputTab(), Outcomes())
    tab.run(.follow, Sample.driver(80, 24).state.context, &out)
    tab.add(lines(0..<5))
    #expect(!tab.follows && tab.selected == 0)
  }

  @Test func inputIsPossibleUntilTheCommandHasEnded() {
    var (tab, out, context) = (tab(1), Outcomes(), Sample.driver(80, 24).state.context)
    context.setup = ConsoleSetup(mode: .run(command: "app"))
    let all: [OutputCommand] = [.sendInput, .search, .nextMatch, .previousMatch, .follow, .wrap]
    #expect(all.allSatisfy(tab.isPossible))
    tab.run(.sendInput, context, &out)
    guard case .open(let box)? = out.drain().first, let prompt = box as? Prompt else {
      return #expect(Bool(false), "no question")
    }
    #expect(prompt.purpose == .commandInput)
    tab.commandEnded("It ended.")
    #expect(all.filter { !tab.isPossible($0) } == [.sendInput] && tab.ended == "It ended.")
    tab.run(.sendInput, context, &out)
    #expect(said(&out) == ["There is no command that reads input."])
  }

  @Test(arguments: [ConsoleSetup.Mode.demo, .listen, .attach(program: "app"), .open(file: "a.har")])
  func withoutACommandNothingReadsInput(_ mode: ConsoleSetup.Mode) {
    var (tab, out, context) = (tab(1), Outcomes(), Sample.driver(80, 24).state.context)
    context.setup = ConsoleSetup(mode: mode)
    tab.run(.sendInput, context, &out)
    #expect(said(&out) == ["There is no command that reads input."])
  }

  // MARK: Searching

  @Test func whatIsFoundIsTheNextFromWhereOneStands() {
    var (tab, out, context) = (OutputTab(), Outcomes(), Sample.driver(80, 24).state.context)
    tab.add(
      ["a needle", "x", "a \u{1B}[1mNee\u{1B}[0mdle", "y", "the needle", "z"].map {
        OutputLine(at: at, stream: .output, text: $0)
      })
    tab.run(.nextMatch, context, &out)
    #expect(tab.selected == 5 && tab.follows && tab.search.isEmpty && out.isEmpty, "nothing is searched")
    tab.searched("needle", isFinal: false, &out)
    #expect(tab.search == "needle" && tab.selected == 5 && tab.follows)
    tab.searched("needle", isFinal: true, &out)
    #expect(tab.selected == 4 && !tab.follows)
    var found: [Int] = []
    for command in [OutputCommand.nextMatch, .nextMatch, .nextMatch, .previousMatch, .previousMatch] {
      tab.run(command, context, &out)
      found.append(tab.selected)
    }
    #expect(found == [0, 2, 4, 2, 0])
    // The line where one stands counts when the search begins, and is the last when it goes on.
    tab.searched("needle", isFinal: true, &out)
    #expect(tab.selected == 0)
    tab.searched("Nee", isFinal: true, &out)
    #expect(tab.selected == 2)
    tab.run(.nextMatch, context, &out)
    #expect(tab.selected == 2 && out.isEmpty)
    tab.searched("nowhere", isFinal: true, &out)
    #expect(tab.selected == 2 && said(&out) == ["“nowhere” is not in the output."] && tab.search == "nowhere")
    tab.searched("", isFinal: true, &out)
    #expect(tab.search.isEmpty && tab.selected == 2 && out.isEmpty)
    var empty = OutputTab()
    empty.searched("a", isFinal: true, &out)
    #expect(said(&out) == ["“a” is not in the output."])
    context.view.wrap = false
  }

  @Test func whatWasSearchedLastIsProposed() {
    var (tab, out) = (tab(1), Outcomes())
    tab.searched("needle", isFinal: false, &out)
    tab.run(.search, Sample.driver(80, 24).state.context, &out)
    guard case .open(let box)? = out.drain().first, let prompt = box as? Prompt else {
      return #expect(Bool(false), "no question")
    }
    #expect(prompt.purpose == .searchOutput && prompt.editor.text == "needle")
  }

  // MARK: Drawing

  /// The rows of the tab without the bar above them, as far as something stands in them.
  private func rows(_ texts: [String], _ keys: String = "", width: Int = 40, height: Int = 12) -> [String] {
    var driver = ConsoleDriver(width: width, height: height, setup: ConsoleSetup(mode: .run(command: "app")))
    driver.press("5")
    driver.send(.output(texts.map { OutputLine(at: at, stream: .output, text: $0) }))
    driver.press(keys)
    return driver.lines.dropFirst(2).dropLast().map { line in
      String(line.dropFirst(10)).replacing("┃", with: "").reversed().drop { $0 == " " }.reversed().map(String.init)
        .joined()
    }
  }

  private static func numbers(_ range: Range<Int>) -> [String] { range.map { "\($0)" } }

  @Test func theLastLinesAreSeenAndAboveThemWhatHasRoom() {
    let texts = Self.numbers(0..<30)
    #expect(rows(texts) == Self.numbers(21..<30))
    #expect(rows(texts, "k") == Self.numbers(20..<29))
    #expect(rows(texts, "g") == Self.numbers(0..<9))
    let below = [String](repeating: "", count: 6)
    #expect(rows(Self.numbers(0..<3)) == ["0", "1", "2"] + below)
    #expect(rows(Self.numbers(0..<9)) == Self.numbers(0..<9))
  }

  @Test func aWrappedLineIsSeenAsAWholeAtTheFoot() {
    let long = String(repeating: "abcdefghij", count: 6)
    let texts = Self.numbers(0..<10) + [long]
    let seen = rows(texts)
    #expect(seen.suffix(3).joined() == long && seen.prefix(6) == ["4", "5", "6", "7", "8", "9"])
    let cut = String(long.prefix(28)) + "…"
    #expect(rows(texts, "w") == Self.numbers(2..<10) + [cut])
  }

  /// The sign before it takes room, too.
  @Test func whatWasTypedIsWrappedWithItsSign() {
    let typed = String(repeating: "abcdefghij", count: 6) + "z"
    var driver = ConsoleDriver(width: 40, height: 12, setup: ConsoleSetup(mode: .run(command: "app")))
    driver.press("5")
    driver.send(.output([OutputLine(at: at, stream: .input, text: typed)]))
    let rows = driver.lines[2...4].map { $0.dropFirst(10) }
    #expect(rows[0].hasPrefix("› abc") && rows.joined() == "› " + typed)
  }

  /// The columns of a row of the screen that a program wants red.
  private func red(_ text: String, _ keys: String = "", row: Int) -> [Int] {
    var driver = ConsoleDriver(width: 40, height: 12, setup: ConsoleSetup(mode: .run(command: "app")))
    driver.press("5")
    driver.send(.output([OutputLine(at: at, stream: .output, text: text)]))
    driver.press(keys)
    let grid = driver.state.draw().grid
    return (0..<40).filter { grid[Point(x: $0, y: row)]?.style.foreground == .ansi(1) }
  }

  @Test func coloursOfAProgramStayOnTheirLettersWhereALineIsWrappedOrCut() {
    let letters = String(repeating: "a", count: 27)
    let text = letters + "\u{1B}[31mbbbbb\u{1B}[0mc"
    #expect(red(text, row: 2) == [37, 38] && red(text, row: 3) == [10, 11, 12])
    #expect(red(text, "w", row: 2) == [37, 38], "not in the last column")
    #expect(red(text, "w", row: 3).isEmpty)
    let late = letters + letters + "\u{1B}[31mb\u{1B}[0m"
    #expect(red(late, row: 2).isEmpty && red(late, row: 3) == [35])
    #expect(red(late, "w", row: 2).isEmpty)
  }

  @Test func whatWasTypedAndWhatWentWrongLookOtherwise() {
    var driver = ConsoleDriver(width: 40, height: 12, setup: ConsoleSetup(mode: .run(command: "app")))
    driver.press("5")
    driver.send(
      .output([
        OutputLine(at: at, stream: .input, text: "he\u{1B}[31mllo"), OutputLine(at: at, stream: .error, text: "bad"),
        OutputLine(at: at, stream: .output, text: "good"),
      ]))
    let (grid, theme) = (driver.state.draw().grid, driver.state.context.theme)
    for (y, text, role) in [
      (2, "› hello", .key), (3, "bad", .warning), (4, "good", .text),
    ] as [(Int, String, ThemeRole)] {
      #expect(driver.lines[y].hasSuffix(" " + text))
      for x in 10..<10 + text.count {
        #expect(grid[Point(x: x, y: y)]?.style == theme[role, on: .text], "\(text) \(x)")
      }
    }
  }

  @Test func aLongCommandIsCutSoThatWhatIsSaidOfItIsSeen() {
    let letters = String(repeating: "x", count: 90)
    var driver = ConsoleDriver(width: 60, height: 12, setup: ConsoleSetup(mode: .run(command: letters)))
    driver.press("5")
    driver.send(.output([OutputLine(at: at, stream: .output, text: "a")]))
    #expect(driver.lines[1] == " " + String(letters.prefix(37)) + "…  1 line · following")
    driver.send(.commandEnded("It ended."))
    #expect(driver.lines[1] == " " + String(letters.prefix(26)) + "…  It ended.  1 line · following")
  }
}
