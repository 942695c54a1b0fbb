import PatchbayGrid
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// The foot of the screen: hints whole or not at all, and notices that leave them, and what is listed, in sight.
@Suite(.bounded) struct FooterWidthTests {
  static let widths = [80, 100, 120]

  /// Keys that lead to each kind of footer.
  static let places = [
    "", "k k k k", "enter", "enter tab", "enter right right right", "c", "c e", "c a", "c x", "2", "2 e", "2 a", "3",
    "4", "5", "/", "x", "!", "h", "H", "g m j m D", ":", "?", "+", "f", "y", "X", "s", "k k k k e", "T", "U", "C", "o",
    "R", "I", "t", ";", "z",
  ]

  /// The hints that may stand at the foot, by key and text as they are drawn.
  private func hints(_ driver: ConsoleDriver) -> Set<String> {
    let context = driver.state.context
    var hints = FooterHint.all(context.keys.bindings) + FooterHint.filter + FooterHint.menu
    hints += context.keys.bindings.filter { $0.hint != nil }.map { FooterHint($0) }
    hints += driver.state.boxes.flatMap { $0.hints(context) } + driver.state.requests.promptHints
    return Set(hints.map { "\($0.key) \($0.text)" })
  }

  /// What stands in the last row at the left of the notice, cut where two blanks are.
  private func foot(_ driver: ConsoleDriver) -> [String] {
    let line = driver.lines.last ?? ""
    let size = driver.state.size
    let width = size.width - (driver.state.toast?.footWidth(in: size) ?? 0)
    var left = ""
    for character in line where textWidth(left + String(character)) <= width { left.append(character) }
    return left.split(separator: "  ", omittingEmptySubsequences: true).map {
      var text = $0[...]
      while text.first == " " { text = text.dropFirst() }
      while text.last == " " { text = text.dropLast() }
      return String(text)
    }.filter { !$0.isEmpty }
  }

  @Test(arguments: places, widths)
  func noHintIsCut(_ keys: String, _ width: Int) {
    var driver = Sample.driver(width, 24)
    driver.press(keys)
    // A line that is typed in stands in the place of the hints.
    guard driver.state.boxes.line == nil else { return }
    let known = hints(driver)
    let foot = foot(driver)
    #expect(foot.allSatisfy(known.contains), "\(keys) at \(width): \(foot.filter { !known.contains($0) })")
    #expect(foot.count >= 2, "\(keys) at \(width): \(driver.lines.last ?? "")")
  }

  /// What is said after keys, of the longest kinds.
  @Test(
    arguments: ["x 5 0 3 enter", "! o f f enter", "h", "h h", "H", "k k k k s", "z", "d", "0", "x tab 3 enter"], widths)
  func aNoticeLeavesKeysInSightAndIsReadWhole(_ keys: String, _ width: Int) throws {
    var driver = Sample.driver(width, 24)
    driver.press(keys)
    let toast = try #require(driver.state.toast)
    let lines = toast.lines(in: driver.state.size)
    #expect(lines.count <= 3 && lines.allSatisfy { driver.shows(String($0.dropLast())) }, "\(lines)")
    #expect(!lines.contains { $0.contains("…") && !$0.contains(" …") })
    #expect(foot(driver).count >= 1, "\(driver.lines.last ?? "")")
  }

  @Test(arguments: widths) func aLongSentenceIsReadFromItsBeginning(_ width: Int) throws {
    for words in [20, 30, 90] {
      var driver = Sample.driver(width, 24)
      let text = (1...words).map { "word\($0)" }.joined(separator: " ")
      driver.send(.notice(Notice(.error, text)))
      let lines = try #require(driver.state.toast).lines(in: driver.state.size)
      #expect(lines.count <= 3 && lines[0].hasPrefix(" ! word1 word2"))
      let isWhole = lines.joined(separator: " ").contains("word\(words)")
      #expect(isWhole || lines[lines.count - 1].hasSuffix("…"), "\(lines)")
      #expect(isWhole || words == 90, "\(lines)")
      #expect(lines.allSatisfy { textWidth($0) <= width })
      // It does not stand in the place of the keys, nor on what is listed.
      #expect(lines.allSatisfy { driver.shows(String($0.dropLast())) })
      #expect(foot(driver).count >= 1 && foot(driver).allSatisfy(hints(driver).contains), "\(driver.screen)")
    }
  }

  /// The newest row, which one follows, is seen from end to end whatever is said.
  @Test(arguments: widths)
  func theNewestRowIsNotHiddenByANoticeOfSeveralLines(_ width: Int) throws {
    var driver = ConsoleDriver(width: width, height: 24)
    driver.add((1...60).map { .make($0, "GET", "https://api.example.com/v1/items/\($0)") })
    let before = try #require(driver.lines.last { $0.contains("/v1/items/60") })
    driver.send(
      .notice(Notice(.warning, Array(repeating: "Several words that take two lines.", count: 3).joined(separator: " ")))
    )
    #expect(driver.state.toast?.lines(in: driver.state.size).count ?? 0 >= 2)
    #expect(driver.lines.contains(before), "\(driver.screen)")
    driver.add([.make(61, "GET", "https://api.example.com/v1/items/61")])
    #expect(driver.lines.contains { $0.contains("/v1/items/61") && $0.contains("network") }, "\(driver.screen)")
  }
}
