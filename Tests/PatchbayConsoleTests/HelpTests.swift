import PatchbayGrid
import PatchbayInspect
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// The box with all keys and the filter language.
@Suite(.bounded) struct HelpTests {
  private func opened(_ text: String, _ width: Int = 100, _ height: Int = 400) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height)
    driver.press("?")
    driver.type(text)
    return driver
  }

  /// The rows of the box, its frame and the blanks at their ends left out.
  private func rows(_ driver: ConsoleDriver) -> [String] {
    driver.lines.compactMap { line in
      guard line.contains("│") else { return nil }
      let parts = line.split(separator: "│", omittingEmptySubsequences: false)
      return parts.count > 1 ? String(parts[1]).trimmingCharacters(in: .whitespaces) : nil
    }.filter { !$0.isEmpty }
  }

  private func position(_ driver: ConsoleDriver, _ text: String) -> Int? {
    rows(driver).firstIndex { $0.hasPrefix(text) }
  }

  /// Every key of every place, and the whole filter language below them.
  @Test func everythingIsThere() throws {
    let driver = opened("")
    let rows = rows(driver)
    for key in FilterKey.allCases { #expect(rows.contains { $0.contains(key.help.prefix(20)) }, "\(key)") }
    for binding in driver.state.context.keys.bindings {
      #expect(rows.contains { $0.contains(binding.help.prefix(20)) }, "\(binding.help)")
    }
    let language = try #require(position(driver, "The filter language"))
    for place in KeyContext.allCases {
      guard let heading = position(driver, place.title) else { continue }
      #expect(heading < language, "\(place.title)")
    }
    #expect(rows[language + 1].contains("a word looks in the URL"))
  }

  /// Who asks for filters, or for a key of theirs, has them before all keys; who does not has them behind.
  @Test(arguments: [
    ("fil", true), ("filter", true), ("filters", true), ("status:", true), ("fi", false), ("request", false),
  ])
  func theLanguageStandsFirstWhereItIsMeant(_ text: String, _ isFirst: Bool) throws {
    let driver = opened(text)
    let language = try #require(position(driver, "The filter language"), "\(rows(driver))")
    #expect((language == 1) == isFirst, "\(rows(driver))")
  }

  /// However far one has scrolled.
  @Test func whatIsPastedIsSeenFromItsFirstRowOn() {
    var driver = opened("", 100, 24)
    for _ in 0..<9 { driver.press("ctrl-d") }
    driver.send(.input(.paste("regular expression")))
    #expect(rows(driver).contains { $0.contains("~ is a regular expression") })
  }

  @Test func eachWordHasToBeThere() {
    let rows = rows(opened("regular EXPRESSION"))
    #expect(rows.dropFirst().contains { $0.contains("~ is a regular expression") })
    #expect(!rows.contains { $0.contains("both must hold") })
    #expect(self.rows(opened("no such key anywhere")).contains { $0.contains("Nothing matches.") })
    #expect(!self.rows(opened("quotes keep blanks")).contains { $0.contains("Nothing matches.") })
  }

  /// It goes to the last row and no further, and back to the first.
  @Test(arguments: [(100, 30), (170, 30)]) func itScrollsToItsEnds(_ width: Int, _ height: Int) {
    var driver = opened("", width, height)
    let first = driver.lines
    for _ in 0..<60 { driver.press("ctrl-d") }
    let last = driver.lines
    #expect(last != first && driver.shows("The filter language") || width > 160 || driver.shows("filter"))
    driver.press("down")
    #expect(driver.lines == last)
    driver.press("up")
    #expect(driver.lines != last)
    driver.press("down")
    #expect(driver.lines == last)
    for _ in 0..<60 { driver.press("pageup") }
    #expect(driver.lines == first)
    driver.press("up")
    #expect(driver.lines == first)
    driver.press("down down")
    driver.type("o")
    driver.press("backspace")
    #expect(driver.lines == first, "what is typed begins at the top again")
  }

  @Test(arguments: ["esc", "ctrl-c", "f1", "q", "?"]) func itCloses(_ key: String) {
    var driver = opened("", 100, 30)
    driver.press(key)
    #expect(driver.state.boxes.isEmpty)
  }

  @Test func lettersAreTypedOnceSomethingIs() {
    var driver = opened("a", 100, 30)
    driver.press("q ?")
    #expect(!driver.state.boxes.isEmpty && driver.shows("aq?"))
    driver.press("enter")
    #expect(!driver.state.boxes.isEmpty)
  }

  // MARK: How wide it is

  /// From 160 columns on two stand side by side.
  @Test(arguments: [(60, 56), (99, 95), (100, 96), (159, 96), (160, 152), (207, 199), (208, 200), (240, 200)])
  func theBoxIsAsWideAsItsColumnsNeed(_ width: Int, _ expected: Int) throws {
    let lines = opened("", width, 30).lines
    let top = try #require(lines.firstIndex { $0.contains("╭─ Keys") })
    let head = Array(lines[top])
    let left = try #require(head.firstIndex(of: "╭"))
    let right = try #require(head.firstIndex(of: "╮"))
    #expect(right - left + 1 == expected)
    let bottom = try #require(lines.lastIndex { $0.contains("╰") })
    #expect(bottom - top + 1 == 26)
  }

  /// The name for the config file stands only where the whole sentence is seen beside it.
  @Test(arguments: [70, 72, 76, 80, 84, 100]) func aNameIsSeenWhereItsSentenceIsWhole(_ width: Int) {
    let driver = opened("", width)
    let rows = rows(driver)
    let room = min(96, width - 4) - 2
    for binding in driver.state.context.keys.bindings {
      let (help, name) = (binding.help, binding.command.name)
      let isSeen = rows.contains { $0.hasSuffix(" " + name) && $0.contains(" " + help + " ") }
      #expect(isSeen == (room >= 18 + textWidth(help) + textWidth(name) + 2), "\(help)")
    }
  }
}
