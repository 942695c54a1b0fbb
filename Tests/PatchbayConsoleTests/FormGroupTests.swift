import PatchbayGrid
import PatchbayStubs
import PatchbayTestSupport
import Testing

@testable import PatchbayConsole

/// The stub form: three groups, what is rarely set folded away, status and body near.
@Suite(.bounded) struct FormGroupTests {
  private func driver(_ width: Int = 80, _ height: Int = 24, _ stub: Stub? = nil) -> ConsoleDriver {
    var driver = Sample.driver(width, height)
    if let stub {
      driver.board = StubBoard(revision: 9, entries: [.init(stub: stub, origin: .console)])
      driver.send(.board(driver.board, by: nil))
    }
    driver.press("2 e")
    return driver
  }

  private func focused(_ driver: ConsoleDriver) -> String? { (driver.state.boxes.last as? StubForm)?.form.focused?.id }

  private func text(_ driver: ConsoleDriver, _ id: String) -> String? {
    (driver.state.boxes.last as? StubForm)?.form.text(id)
  }

  @Test func whatIsNotSetIsFoldedAwayUnderThreeHeadings() {
    let driver = driver()
    for heading in ["─ When ─", "─ Then ─", "─ How often ─"] { #expect(driver.shows(heading)) }
    #expect(driver.shows("+ more conditions  url, scheme") && !driver.shows("  scheme "))
    #expect(driver.shows("▸ name") && driver.shows("host       api.example.com") == false)
    for label in ["method", "host", "path", "then", "status", "delay", "times"] {
      #expect(driver.lines.contains { $0.hasPrefix("  \(label) ") }, "\(label)\n\(driver.screen)")
    }
    #expect(!driver.lines.contains { $0.hasPrefix("  chance") })
  }

  @Test func statusAndBodyAreNear() {
    var driver = driver()
    driver.press("pagedown pagedown tab")
    #expect(focused(driver) == "status")
    driver.press("ctrl-b")
    #expect(focused(driver) == "body")
    driver.press("ctrl-b")
    #expect(focused(driver) == "status")
    driver.press("pageup pageup")
    #expect(focused(driver) == "method")
    driver.press("esc e tab tab tab tab tab tab tab")
    #expect(focused(driver) == "status", "seven stops from the name")
  }

  @Test func whatIsTypedReplacesTheFieldThatTabCameTo() {
    var driver = driver()
    driver.press("pagedown pagedown tab")
    driver.type("404")
    #expect(text(driver, "status") == "404")
    driver.press("shift-tab tab")
    driver.type("teap")
    #expect(driver.shows("teap  → 418 I'm a"))
    driver.press("ctrl-s")
    #expect(driver.board["orders down"]?.stub.then.response?.status == 418)
  }

  @Test(arguments: [
    ("serv", "→ 503 Service Unavailable", "500 Internal Server Error"),
    ("50", "", "500 Internal Server Error · 501 Not Implemented · 502 Bad Gateway"), ("503", "Service Unavailable", ""),
    ("nowhere", "", ""), ("", "", ""),
  ])
  func statusesAreFoundByTheirNames(_ typed: String, _ meaning: String, _ others: String) {
    #expect(StatusText.meaning(of: typed) == meaning)
    #expect(StatusText.suggestions(for: typed) == others)
  }

  @Test func aGroupIsUnfoldedAndFoldedAgain() throws {
    var driver = driver(120, 40)
    for _ in 0..<5 { driver.press("tab") }
    #expect(focused(driver) == "fold When")
    driver.press("enter")
    #expect(focused(driver) == "url" && driver.shows("− fewer") && driver.shows("body conditions"))
    driver.type("*")
    driver.press("tab")
    driver.type("https")
    for _ in 0..<20 where focused(driver) != "fold When" { driver.press("tab") }
    driver.press("space")
    #expect(!driver.lines.contains { $0.hasPrefix("  query") })
    #expect(driver.lines.contains { $0.hasPrefix("  scheme") && $0.contains("https") }, "what is set stays in sight")
    #expect(driver.lines.contains { $0.hasPrefix("▸ + more conditions  port, query") }, "\(driver.screen)")
    driver.press("ctrl-s")
    let stub = try #require(driver.board["orders down"]?.stub)
    #expect(stub.when.scheme == .glob("https") && stub.when.url == .glob("*"))
  }

  @Test func whatIsClearedStaysUntilItIsFolded() {
    var driver = driver(120, 40, Stub(name: "a", when: RequestPattern(scheme: .glob("https")), then: .hold(.request)))
    driver.press("tab tab tab tab tab")
    #expect(focused(driver) == "scheme")
    driver.press("ctrl-u tab shift-tab")
    #expect(focused(driver) == "scheme" && text(driver, "scheme")?.isEmpty == true)
  }

  /// Whatever has the keys, what it takes can be read.
  @Test(arguments: [80, 120]) func eachHintIsReadWhole(_ width: Int) throws {
    var driver = driver(width, 24)
    let form = try #require(driver.state.boxes.last as? StubForm).form
    for field in form.fields where !field.isHidden {
      guard var open = driver.state.boxes.last as? StubForm else { return }
      open.form.focus(field.id)
      driver.replaceTop(with: open)
      #expect(driver.shows(field.help), "\(field.id) at \(width): \(driver.lines.suffix(3))")
    }
  }

  @Test func whatTheFormSaysIsShortenedBesideALongHint() {
    var driver = driver(80, 24)
    #expect(driver.shows("matches 1 of 9 recorded requests  ctrl-p lists them"))
    driver.press("tab tab tab tab")
    #expect(driver.shows("matches 1 of 9 recorded requests") && !driver.shows("lists them"))
    #expect(driver.shows("such as /v1/users/*, or ~^/v[12]/"))
  }

  // MARK: The mouse

  private func click(_ text: String, _ step: Int, _ driver: inout ConsoleDriver, twice: Bool = false) throws {
    let y = try #require(driver.lines.firstIndex { $0.contains(text) })
    let line = driver.lines[y]
    let start = try #require(line.range(of: text)).lowerBound
    let point = Point(x: textWidth(String(line[..<start])) + step, y: y)
    for _ in 0..<(twice ? 2 : 1) { driver.send(.input(.mouse(MouseEvent(.press(.left), at: point)))) }
  }

  @Test func aClickSetsTheCursorAndTwoSelectAWord() throws {
    var driver = driver(120, 36)
    try click("api.example.com", 4, &driver)
    #expect(focused(driver) == "host")
    driver.type("2.")
    #expect(text(driver, "host") == "api.2.example.com")
    try click("2.example", 3, &driver, twice: true)
    driver.type("beispiel")
    #expect(text(driver, "host") == "api.2.beispiel.com")
    // Behind two letters that are two columns wide each.
    try click("ただいま", 4, &driver)
    #expect(focused(driver) == "body")
    driver.type("X")
    #expect(text(driver, "body")?.contains("たたXいま") == false && text(driver, "body")?.contains("ただXいま") == true)
    try click("code", 1, &driver, twice: true)
    driver.type("kind")
    #expect(text(driver, "body")?.contains("\"kind\": 100") == true)
  }

  @Test func aClickUnfoldsAndSwitches() throws {
    var driver = driver(120, 40)
    try click("+ more conditions", 3, &driver)
    #expect(driver.shows("body conditions") && focused(driver) == "url")
    try click("● on", 0, &driver)
    #expect(driver.shows("○ off"))
  }
}
