import PatchbayGrid
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// How commands are found by some letters.
@Suite(.bounded) struct PaletteMatchTests {
  @Test(
    arguments: [
      // Together: at the beginning of a word, or else where they stand first.
      ("a", "abc", 1_100, [0], true), ("b", "abc", 999, [1], true), ("b", "ab b", 1_097, [3], true),
      ("AB", "xaB ab", 1_096, [4, 5], true), ("AB", "xxaBab", 998, [2, 3], true),
      ("a b", "a b", 1_100, [0, 1, 2], true),
      ("abc", "abc", 1_100, [0, 1, 2], true), ("ß-", "a ß-x", 1_098, [2, 3], true),
      // Apart: near each other, in runs, at the beginnings of words.
      ("ac", "abc", 7, [0, 2], true), ("ac d", "abcxd", 7, [0, 2, 4], true), ("ac-d", "abcxd", 7, [0, 2, 4], true),
      ("acd", "abcd", 12, [0, 2, 3], true), ("acde", "abcde", 21, [0, 2, 3, 4], true),
      ("ae", "abcde", 5, [0, 4], true),
      ("af", "abcdef", 5, [0, 5], true), ("tl", "to list", 12, [0, 3], true), ("ab c", "a bc", 18, [0, 2, 3], true),
      ("az", "a bcdez", 5, [0, 6], false), ("bz", "abyz", 0, [1, 3], false), ("ba", "xb a", 6, [1, 3], false),
      ("", "abc", 0, [], true),
    ] as [(String, String, Int, [Int], Bool)])
  func whatLettersAreWorth(_ wanted: String, _ text: String, _ score: Int, _ places: [Int], _ isClose: Bool) {
    #expect(Fuzzy.match(wanted, in: text) == Fuzzy.Match(score: score, places: places, isClose: isClose))
  }

  @Test func everyFortyLettersOfATextCostOne() {
    for (length, score) in [(39, 7), (40, 6), (79, 6), (80, 5)] {
      let text = "abc" + String(repeating: "x", count: length - 3)
      #expect(Fuzzy.match("ac", in: text)?.score == score, "\(length)")
    }
  }

  @Test(arguments: [("x", "abc"), ("abcd", "abc"), ("ca", "abc"), ("aa", "abc"), ("a", "")])
  func lettersThatAreMissingMatchNothing(_ wanted: String, _ text: String) {
    #expect(Fuzzy.match(wanted, in: text) == nil)
  }

  // MARK: Other words

  @Test(arguments: [
    ("di", true), ("disable", true), ("EN", true), ("enable toggle", true), ("mocks", true), ("d", false), ("", false),
    ("isable", false), ("disabled", false), (" enable", false),
  ])
  func anotherWordIsBegunByTwoLettersAtLeast(_ wanted: String, _ fits: Bool) {
    #expect(CommandWords.fit(wanted, .global(.pauseStubs)) == fits)
    #expect(!CommandWords.fit(wanted, .global(.help)))
  }

  // MARK: The list

  /// The sentences of the commands that are found, the best first.
  private func found(_ text: String, _ driver: ConsoleDriver) -> [String] {
    var driver = driver
    driver.press(":")
    driver.type(text)
    let rows = driver.lines.filter { $0.contains("│") }.dropFirst(2)
    return rows.map { line in
      let inside = line.split(separator: "│", omittingEmptySubsequences: false).dropFirst().first ?? ""
      return inside.drop { $0 == " " }.split(separator: "  ").first.map(String.init) ?? ""
    }.filter { !$0.isEmpty }
  }

  @Test func whatCanBeDoneHereComesBeforeWhatIsElsewhere() throws {
    let driver = Sample.driver(160, 60)
    let rows = PaletteBox.rows(driver.state.context)
    let names = rows.map(\.binding.command.name)
    #expect(Set(names).count == names.count && !names.contains(GlobalCommand.palette.rawValue))
    let firstElsewhere = try #require(rows.firstIndex { $0.elsewhere != nil })
    #expect(rows[firstElsewhere...].allSatisfy { $0.elsewhere != nil })
    #expect(Set(rows.compactMap(\.elsewhere)) == [.stubs, .traffic, .processes, .output])
    for row in rows { if case .stubs = row.binding.command { #expect(row.elsewhere == .stubs) } }
    #expect(rows.allSatisfy { $0.places.isEmpty })
    var other = driver
    other.press("2")
    let there = PaletteBox.rows(other.state.context)
    #expect(Set(there.compactMap(\.elsewhere)) == [.requests, .traffic, .processes, .output])
    #expect(there.first { $0.binding.command == .stubs(.toggleStub) }?.elsewhere == .some(nil))
  }

  @Test func theBestFittingStandFirst() {
    let driver = Sample.driver(160, 60)
    for (text, first) in [
      ("leave", "Close the detail, or leave"), ("screenshot", "Save the screen"),
      ("exit", "Close the detail, or leave"), ("undo", "Undo the last change"), ("colours", "Choose a theme"),
    ] {
      #expect(
        found(text, driver).first?.hasPrefix(first) == true, "\(text): \(found(text, driver))")
    }
    #expect(found("zzzz", driver) == ["No command matches."])
  }

  /// The slow way: what a command is worth by its sentence, by its name and by other words for it.
  private func order(_ wanted: String, _ context: ConsoleContext) -> [String] {
    var all: [(help: String, score: Int, isClose: Bool)] = []
    for row in PaletteBox.rows(context) {
      let name = row.binding.command.name.replacing("-", with: " ")
      let byHelp = Fuzzy.match(wanted, in: row.binding.help).map { (score: $0.score, isClose: $0.isClose) }
      let byName = Fuzzy.match(wanted, in: name).map { (score: $0.score - 1, isClose: $0.isClose) }
      var worth = byHelp ?? byName
      if let byHelp, let byName, byName.score > byHelp.score { worth = byName }
      let isWhole = worth.map { $0.isClose && $0.score >= 900 } ?? false
      if !isWhole, CommandWords.fit(wanted, row.binding.command) { worth = (score: 900, isClose: true) }
      guard let found = worth else { continue }
      all.append((row.binding.help, found.score - (row.elsewhere == nil ? 0 : 20), found.isClose))
    }
    let hasClose = all.contains { $0.isClose }
    let fitting = all.filter { $0.isClose || !hasClose }
    return fitting.indices.sorted { (fitting[$1].score, $0) < (fitting[$0].score, $1) }.map { fitting[$0].help }
  }

  @Test(arguments: ["1", "5"]) func allThatFitsStandsInTheOrderOfItsWorth(_ tab: String) {
    var driver = Sample.driver(200, 60)
    driver.press(tab)
    for wanted in ["stub", "filter", "hold", "the", "so", "undo", "ed", "mock", "offline", "search"] {
      let expected = order(wanted, driver.state.context).prefix(32)
      let seen = found(wanted, driver)
      #expect(seen.count == expected.count, "\(wanted)")
      for (text, help) in zip(seen, expected) {
        #expect(help.hasPrefix(text.hasSuffix("…") ? String(text.dropLast()) : text), "\(wanted): \(text)")
      }
    }
  }

  @Test func ofWhatIsPastedTheFirstIsSelected() {
    var driver = Sample.driver(120, 36)
    driver.press(":")
    for _ in 0..<20 { driver.press("down") }
    driver.send(.input(.paste("Undo the last change")))
    driver.press("enter")
    #expect(driver.shows("There is nothing to undo."))
  }

  @Test func aClickRunsACommandAndOneBesideClosesIt() {
    var driver = Sample.driver(120, 36)
    driver.press(":")
    driver.type("or leave")
    let row = driver.lines.firstIndex { $0.contains("│") && $0.contains("Close the detail") } ?? 0
    let frame = driver.lines.firstIndex { $0.contains("Commands") } ?? 0
    #expect(row == frame + 3)
    func clicked(_ x: Int, _ y: Int) -> ConsoleDriver {
      var driver = driver
      driver.send(.input(.mouse(MouseEvent(.press(.left), at: Point(x: x, y: y)))))
      return driver
    }
    for y in [frame, frame + 1, frame + 2] { #expect(clicked(60, y).state.boxes.count == 1, "row \(y)") }
    #expect(clicked(60, frame - 1).state.boxes.isEmpty && clicked(1, row).state.boxes.isEmpty)
    #expect(clicked(60, row).state.boxes.first.map { $0 is PaletteBox } != true)
  }

  @Test func keysAndTheWheelMoveTheSelectionWithinWhatIsFound() throws {
    var driver = Sample.driver(120, 36)
    driver.press(":")
    func selected() throws -> Int { try #require(driver.state.boxes.last as? PaletteBox).selected }
    driver.press("down down ctrl-n")
    #expect(try selected() == 3)
    driver.press("up ctrl-p")
    #expect(try selected() == 1)
    driver.send(.input(.mouse(MouseEvent(.wheelDown, at: Point(x: 3, y: 3)))))
    #expect(try selected() == 2)
    driver.send(.input(.mouse(MouseEvent(.wheelUp, at: Point(x: 3, y: 3)))))
    driver.press("up up up")
    #expect(try selected() == 0)
    let count = PaletteBox.rows(driver.state.context).count
    for _ in 0..<count + 5 { driver.press("down") }
    #expect(try selected() == count - 1)
    driver.type("q")
    #expect(try selected() == 0)
    driver.press("down down")
    driver.press("left")
    #expect(try selected() == 0, "a key of the line begins anew")
    driver.type("zzzz")
    driver.press("down down")
    #expect(try selected() == 0)
    driver.press("enter")
    #expect(driver.state.boxes.isEmpty)
  }
}
