import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What a form shows beside and below its fields.
@Suite(.bounded) struct FormViewTests {
  private let long = String(repeating: "0123456789", count: 10)

  /// The form of a stub with places to be filled in, which fits a request or none.
  private func driver(_ path: String, body: String, _ width: Int = 120, _ height: Int = 30) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height)
    let stub = Stub(
      name: "s", when: RequestPattern(path: .glob(path)),
      then: .respond(CannedResponse(headers: [HeaderField("X-N", "{{count}}")], body: .text(body))))
    driver.board = StubBoard(revision: 1, entries: [.init(stub: stub, origin: .console)])
    driver.send(.board(driver.board, by: nil))
    driver.add([.make(1)])
    driver.press("2 e")
    return driver
  }

  /// The rows right of the fields.
  private func right(_ driver: ConsoleDriver) -> [String] {
    driver.lines.compactMap { line in
      guard let rule = line.firstIndex(of: "│") else { return nil }
      return String(line[line.index(after: rule)...])
    }
  }

  @Test func belowTheBodyStandsWhatIsSentToTheNewestThatFits() {
    let driver = driver("/v1/*", body: "n {{count}}\n{{request.method}} \(long)")
    let rows = right(driver)
    #expect(rows.count == 26)
    #expect(rows[4].hasPrefix("─ Body ─") && rows[5] == " n {{count}}")
    let head = "─ As sent to GET https://api.example.com/v1/users?page=2 " + String(repeating: "─", count: 14)
    let wrapped = [" \(long.prefix(69))", " \(long.suffix(31))"]
    let sent: [String] = [head, " X-N: 1", "", " n 1", " GET"] + wrapped + ["", "", ""]
    #expect(Array(rows[16...]) == sent)
    let grid = driver.state.draw().grid
    let theme = driver.state.context.theme
    #expect(grid[Point(x: 50, y: 19)]?.style == theme[.good] && grid[Point(x: 52, y: 18)]?.style == theme[.dim])
  }

  @Test func whereNoneFitsItIsSaid() {
    let rows = right(driver("/nothing", body: "n {{count}}"))
    #expect(rows[16] == "─ Filled in: no recorded request fits yet " + String(repeating: "─", count: 29))
    #expect(rows[17...].allSatisfy { $0.isEmpty })
  }

  @Test func withoutPlacesToBeFilledInTheBodyHasTheWholeRoom() {
    var driver = driver("/v1/*", body: "plain")
    driver.press("tab tab tab tab tab")
    let form = driver.state.boxes.last as? StubForm
    #expect(form != nil && driver.shows("As sent to"), "the header has one")
    var plain = ConsoleDriver(width: 120, height: 30)
    let stub = Stub(name: "s", then: .respond(CannedResponse(body: .text("x"))))
    plain.board = StubBoard(revision: 1, entries: [.init(stub: stub, origin: .console)])
    plain.send(.board(plain.board, by: nil))
    plain.press("2 e")
    #expect(!plain.shows("As sent to") && !plain.shows("Filled in"))
  }

  @Test(arguments: [(70, 20, false), (70, 26, true), (120, 12, false), (120, 16, true)])
  func whatIsFilledInHasHalfOfTheBodysRoom(_ width: Int, _ height: Int, _ isSeen: Bool) {
    #expect(driver("/v1/*", body: "n {{count}}", width, height).shows("As sent to") == isSeen)
  }

  /// Where nothing of a text is seen its head is not, either: it would stand on what is below.
  @Test(arguments: 9...20) func onALowScreenTheStatusIsReadAndNoRuleLiesAcrossIt(_ height: Int) {
    let driver = driver("/v1/*", body: "n {{count}}", 70, height)
    let status = driver.lines[height - 2]
    #expect(status.contains("matches 1 of 1 recorded requests") && !status.contains("─"), "\(driver.screen)")
  }

  // MARK: The line that says how it stands

  private func status(_ width: Int, _ keys: String = "") -> String {
    var driver = driver("/v1/*", body: "n", width, 40)
    driver.press(keys)
    return driver.lines[38]
  }

  @Test func theStatusGivesWayToWhatTheFieldTakes() {
    let (whole, hint) = (" matches 1 of 1 recorded requests  ctrl-p lists them", "unique among the stubs")
    for width in 40...120 {
      let line = status(width)
      #expect(line.hasSuffix(hint) && textWidth(line) == width - 1, "\(width)")
      let room = width - 2 - 24
      let ways = [whole, " matches 1 of 1 recorded requests", " fits 1 of 1"]
      let expected = ways.first { textWidth($0) - 1 <= room } ?? ""
      #expect(line.dropLast(hint.count).reversed().drop { $0 == " " }.reversed().map(String.init).joined() == expected)
    }
  }

  /// What is wrong stands there first; the hint goes where both have no room.
  @Test func aMistakeIsNotShortened() {
    let wrong = " ✗ name: a stub needs a name"
    for width in 40...80 {
      let line = status(width, "ctrl-a backspace")
      #expect(line.hasPrefix(wrong) && line.contains("unique") == (width - 26 >= textWidth(wrong) - 1), "\(width)")
    }
  }

  @Test func aStatusThatIsTypedShowsWhatItMayBecome() {
    var driver = driver("/v1/*", body: "n")
    guard var form = driver.state.boxes.last as? StubForm else { return #expect(Bool(false), "no form") }
    form.form.focus("status")
    driver.replaceTop(with: form)
    #expect(driver.lines[28].hasSuffix("100 to 599; a name finds its code"))
    driver.press("ctrl-u")
    driver.type("not")
    #expect(driver.lines[28].hasSuffix(StatusText.suggestions(for: "not")) && driver.shows("→ "))
    driver.press("ctrl-u")
    #expect(driver.shows("such as 503"))
  }

  @Test(arguments: ["action", "enabled", "method"]) func theFieldWithTheKeysHasItsOwnGround(_ id: String) throws {
    var driver = driver("/v1/*", body: "n")
    guard var form = driver.state.boxes.last as? StubForm else { return #expect(Bool(false), "no form") }
    let label = try #require(form.form[id]?.label)
    func ground(_ driver: ConsoleDriver) throws -> Color? {
      let row = try #require(driver.lines.firstIndex { $0.dropFirst(2).hasPrefix(label + " ") })
      return driver.state.draw().grid[Point(x: 40, y: row)]?.style.background
    }
    let theme = driver.state.context.theme
    #expect(try ground(driver) == theme[.text].background)
    form.form.focus(id)
    driver.replaceTop(with: form)
    #expect(try ground(driver) == theme[.input].background)
  }

  // MARK: Where the parts stand

  private func field(_ number: Int) -> Form.Field { .line("f\(number)", "f\(number)", "") }
  private func text(_ number: Int, _ lines: Int) -> Form.Field {
    .text("t\(number)", "t\(number)", Array(repeating: "x", count: lines).joined(separator: "\n"))
  }

  @Test(arguments: [(76, 5, true), (75, 5, false), (76, 4, false), (200, 5, true)])
  func textsStandBesideFromFiveFieldsAndSeventySixColumnsOn(_ width: Int, _ count: Int, _ isBeside: Bool) {
    let form = Form("", (0..<count).map(field) + [text(0, 3)])
    let layout = FormLayout(form, in: Rect(x: 2, y: 1, width: width, height: 30))
    #expect((layout.rule != .zero) == isBeside)
    #expect(layout.title == Rect(x: 2, y: 1, width: width, height: 1))
    #expect(layout.status == Rect(x: 2, y: 30, width: width, height: 1))
    let left = min(64, max(37, width * 2 / 5))
    if isBeside {
      #expect(layout.fields == Rect(x: 2, y: 2, width: left, height: 28))
      #expect(layout.rule == Rect(x: 2 + left, y: 2, width: 1, height: 28))
      #expect(layout.texts[0].head == Rect(x: 3 + left, y: 2, width: width - left - 1, height: 1))
      #expect(layout.texts[0].area == Rect(x: 3 + left, y: 3, width: width - left - 1, height: 27))
    } else {
      #expect(layout.fields == Rect(x: 2, y: 2, width: width, height: count))
      #expect(layout.texts[0].head == Rect(x: 2, y: 2 + count, width: width, height: 1))
      #expect(layout.texts[0].area == Rect(x: 2, y: 3 + count, width: width, height: 27 - count))
    }
  }

  @Test func theLastTextHasWhatTheOthersLeave() {
    func heights(_ lines: [Int], _ height: Int) -> [Int] {
      let form = Form("", [field(0)] + lines.enumerated().map { text($0, $1) })
      return FormLayout(form, in: Rect(x: 0, y: 0, width: 60, height: height)).texts.map(\.area.height)
    }
    // Of 28 rows one is the field's; a text has one row more than lines, three at least and a third at most.
    #expect(heights([1, 1], 30) == [3, 22])
    #expect(heights([4, 1], 30) == [5, 20])
    #expect(heights([50, 1], 30) == [9, 16])
    #expect(heights([50, 50, 1], 30) == [9, 5, 10])
    #expect(heights([1], 30) == [26])
    #expect(heights([1, 1], 9) == [3, 1])
    // In a low one each has a line at least, or the one that is typed in all there is.
    #expect(heights([1, 1], 8) == [2, 1] && heights([1, 1], 7) == [1, 1])
    var form = Form("", (0..<3).map(field) + [text(0, 1), text(1, 1)])
    for (focus, shown) in [(0, 4), (3, 3), (4, 4)] {
      form.focus = focus
      let layout = FormLayout(form, in: Rect(x: 0, y: 0, width: 40, height: 8))
      #expect(layout.texts.map(\.index) == [shown] && layout.texts[0].area.height == 2, "\(focus)")
    }
  }

  @Test func ofManyFieldsThoseAroundTheOneWithTheKeysAreSeen() {
    var form = Form("", (0..<40).map(field))
    for (focus, top) in [(0, 0), (7, 0), (8, 1), (20, 13), (32, 25), (33, 26), (39, 26)] {
      form.focus = focus
      let layout = FormLayout(form, in: Rect(x: 0, y: 0, width: 60, height: 30))
      #expect(layout.fields.height == 14 && layout.top == top, "\(focus)")
    }
    #expect(FormLayout(form, in: Rect(x: 0, y: 0, width: 60, height: 6)).fields.height == 3)
  }

  @Test func belowTheLastTextAtMostHalfIsCutOff() {
    let form = Form("", [field(0), text(0, 1)])
    for (wanted, height, cut) in [(12, 30, 12), (12, 20, 8), (40, 30, 13), (1, 30, 1)] {
      var layout = FormLayout(form, in: Rect(x: 0, y: 0, width: 60, height: height))
      let before = layout.texts[0].area
      let below = layout.cutBelow(wanted)
      #expect(below == Rect(x: 0, y: before.maxY - cut, width: 60, height: cut))
      #expect(layout.texts[0].area == Rect(x: 0, y: before.y, width: 60, height: before.height - cut))
    }
    var none = FormLayout(Form("", [field(0)]), in: Rect(x: 0, y: 0, width: 60, height: 30))
    #expect(none.cutBelow(12) == nil)
  }

  // MARK: Texts

  @Test func aTextThatIsTooLargeIsSaidWhereItWouldStand() throws {
    var driver = ConsoleDriver(width: 120, height: 30)
    let body = String(repeating: "x", count: TextEditor.limit + 1)
    let stub = Stub(name: "s", then: .respond(CannedResponse(body: .text(body))))
    driver.board = StubBoard(revision: 1, entries: [.init(stub: stub, origin: .console)])
    driver.send(.board(driver.board, by: nil))
    driver.press("2 e")
    let head = try #require(right(driver).firstIndex { $0.hasPrefix("─ Body ") })
    #expect(
      right(driver)[(head + 1)...(head + 3)].map(\.self) == [
        " 1 MB: too large to be edited here. ctrl-e opens it in your editor", " ($EDITOR).", "",
      ])
  }

  /// A text that has the keys is drawn around its cursor, another from its top: a click meets what is seen.
  @Test func aClickMeetsTheLineThatIsSeen() {
    func clicked(_ focus: String) -> TextEditor.Place? {
      let lines = (0..<50).map { "line \($0)" }.joined(separator: "\n")
      var form = Form("", [.line("name", "name", ""), .text("body", "Body", lines)])
      form.focus("body")
      form.editor?.move(to: .init(line: 40, offset: 0))
      form.focus(focus)
      form.press(Point(x: 3, y: 5), in: Rect(x: 0, y: 0, width: 60, height: 13))
      return form.editor?.cursor
    }
    // Below the title, the field and the head there are nine rows.
    #expect(clicked("body") == .init(line: 38, offset: 2) && clicked("name") == .init(line: 2, offset: 2))
  }

  @Test func aMistakeIsMarkedAsLongAsItIsThere() {
    var form = ExchangeForm(editing: Exchange.make(1, "POST", phase: .heldResponse))
    form.form.setText("body", "{\n \"a\": x}")
    form.check()
    #expect(form.form.mistake?.line == 2 && form.bodyProblem != nil)
    form.form.setText("body", "{}")
    form.check()
    #expect(form.form.mistake == nil && form.bodyProblem == nil)
    form.form.setText("status", "99")
    form.check()
    #expect(form.form["status"]?.problem != nil && form.response == nil)
    form.form.setText("status", "404")
    form.check()
    #expect(form.form["status"]?.problem == nil && form.response?.status == 404)
  }
}
