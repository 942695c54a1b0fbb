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
    for _ in 0..<60 { driver.press("pagedown") }
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
}
