import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// Where a form has room for what stands beside and below its fields, and how that is cut.
@Suite(.bounded) struct FormDrawingTests {
  private func rows(
    _ form: Form, width: Int, height: Int, _ change: (inout FormView) -> Void = { _ in }
  ) -> [String] {
    var view = FormView(form: form, context: Sample.driver(120, 40).state.context)
    change(&view)
    var grid = Grid(Size(width: width, height: height))
    view.draw(on: &grid, in: Rect(x: 0, y: 0, width: width, height: height))
    return grid.lines
  }

  private func letters(_ letter: String, _ count: Int) -> String { String(repeating: letter, count: count) }

  // MARK: Below the fields

  @Test func whatStandsBelowTheFieldsHasTwoRowsAtLeast() {
    let form = Form("", (0..<5).map { Form.Field.line("f\($0)", "f\($0)", "") })
    func below(_ height: Int) -> [String] {
      rows(form, width: 76, height: height) { view in
        view.aside = (1...5).map { PageLine("\($0)" + String(repeating: "x", count: 60)) }
      }
    }
    let rule = letters(" ", 37) + "│"
    let all = below(10)
    #expect(all[6] == rule)
    #expect(all[7] == "  1" + letters("x", 32) + "… │")
    #expect(all[8] == "  2" + letters("x", 32) + "… │")
    #expect(!all[9].contains("x"))
    #expect(!below(9).contains { $0.contains("x") })
  }

  // MARK: The foot

  /// The hint is wanted just while one types, but a warning is not left out for it.
  @Test func whatIsUrgentStandsInThePlaceOfTheHint() {
    let (hint, short) = ("0123456789", " " + letters("b", 30))
    func foot(_ role: ThemeRole, _ help: String, _ length: Int, shorter: Int) -> String {
      let (long, less) = (letters("a", length), letters("b", shorter))
      let all = rows(Form("", [.line("a", "a", "", help: help)]), width: 40, height: 6) { view in
        view.status = [PageLine.Piece(long, role)]
        view.shorterStatus = [[PageLine.Piece(less, .text)]]
      }
      return all[5]
    }
    for role in [ThemeRole.error, .warning] { #expect(foot(role, hint, 40, shorter: 30) == short, "\(role)") }
    for role in [ThemeRole.good, .dim] {
      #expect(foot(role, hint, 40, shorter: 30) == letters(" ", 29) + hint, "\(role)")
    }
    // Without a hint the whole row is for it, but for a column at each side.
    #expect(foot(.good, "", 38, shorter: 10) == " " + letters("a", 38))
    #expect(foot(.good, "", 39, shorter: 10) == " " + letters("b", 10))
    #expect(foot(.good, "", 50, shorter: 45) == " " + letters("b", 38) + "…")
  }

  // MARK: What is folded

  private func folded(_ label: String, width: Int) -> String {
    var form = Form(
      "",
      [
        .line("url", "url", "").inGroup(.when, rare: true), .line("scheme", "scheme", "").inGroup(.when, rare: true),
        .fold(.when, label),
      ])
    form.foldFields()
    return rows(form, width: width, height: 8)[2]
  }

  @Test func whatIsFoldedIsNamedWhereItHasRoom() {
    #expect(folded("more", width: 18) == "  + more")
    #expect(folded("more", width: 19) == "  + more  url, s…")
    #expect(folded("more", width: 40) == "  + more  url, scheme")
    #expect(folded("more conditions", width: 19) == "  + more conditio…")
    #expect(folded("more conditions", width: 20) == "  + more conditions")
  }

  // MARK: Texts

  /// Columns far in a line are bytes: to count them takes longer than a key may.
  @Test(arguments: [(16_384, " 1:1 "), (16_385, " 1:byte 1 ")])
  func theHeadOfATextSaysWhereTheCursorIs(_ length: Int, _ place: String) {
    var form = Form("", [.line("a", "a", ""), .text("body", "Body", letters("x", length))])
    form.focus("body")
    let all = rows(form, width: 60, height: 12)
    #expect(all[2].hasPrefix("─ Body ─") && all[2].hasSuffix("─" + place + "─"), "\(all[2])")
  }

  // MARK: What is filled in

  /// The rows right of the fields of a stub whose header is filled in, and whose pattern fits one request.
  private func right(_ body: String, height: Int, url: String = "https://api.example.com/v1/users") -> [String] {
    var driver = ConsoleDriver(width: 120, height: height)
    let stub = Stub(
      name: "s", when: RequestPattern(path: .glob("/v1/*")),
      then: .respond(CannedResponse(headers: [HeaderField("X-N", "{{count}}")], body: .text(body))))
    driver.board = StubBoard(revision: 1, entries: [.init(stub: stub, origin: .console)])
    driver.send(.board(driver.board, by: nil))
    driver.add([.make(1, "GET", url)])
    driver.press("2 e")
    return driver.lines.compactMap { line in
      guard let rule = line.firstIndex(of: "│") else { return nil }
      return String(line[line.index(after: rule)...])
    }
  }

  @Test(arguments: [(13, 7), (30, 16), (60, 44)])
  func whatIsFilledInHasTwelveRowsAtMost(_ height: Int, _ start: Int) {
    let all = right("n {{count}}", height: height)
    #expect(all.firstIndex { $0.hasPrefix("─ As sent to GET ") } == start && all[start + 1] == " X-N: 1")
    #expect(all.count == height - 4)
  }

  @Test func whatIsFilledInGoesDownToTheLastRow() {
    let body = (1...20).map { "line \($0) {{count}}" }.joined(separator: "\n")
    let all = right(body, height: 30)
    #expect(all.count == 26 && all[18] == "" && all[19] == " line 1 1" && all[25] == " line 7 1")
  }

  @Test func aLongRequestIsCutAboveWhatItIsSent() {
    let url = "https://api.example.com/v1/" + letters("z", 100)
    let head = String(" As sent to GET \(url)".prefix(67))
    #expect(right("n {{count}}", height: 30, url: url)[16] == "─" + head + "…──")
  }
}
