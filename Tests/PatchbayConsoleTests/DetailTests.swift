import Foundation
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite(.bounded) struct DetailTests {
  private func opened(_ exchange: Exchange, width: Int = 100, height: Int = 40) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height)
    driver.add([exchange])
    driver.press("enter enter")
    return driver
  }

  @Test func theResponseIsIndentedWithJapaneseAtItsWidth() throws {
    let driver = opened(.make(1, body: Sample.maintenance))
    #expect(driver.shows("\"message\": \"ただいまメンテナンス中です。\","))
    let row = try #require(driver.state.draw().grid.lines.firstIndex { $0.contains("ただいま") })
    let grid = driver.state.draw().grid
    let column = try #require((0..<100).first { grid[.init(x: $0, y: row)]?.scalar == "た" })
    #expect(grid[.init(x: column, y: row)]?.width == 2)
    #expect(grid[.init(x: column + 2, y: row)]?.scalar == "だ")
  }

  @Test func headersUnfold() {
    let few = [HeaderField("Content-Type", "application/json"), HeaderField("X-A", "b")]
    #expect(opened(.make(1, headers: few)).shows("X-A: b"))
    let many = few + (1...7).map { HeaderField("X-\($0)", "c") }
    var driver = opened(.make(1, headers: many))
    #expect(driver.shows("▸ 9 headers"))
    driver.press("j j space")
    #expect(driver.shows("X-A: b"))
    driver.press("space")
    #expect(!driver.shows("X-A: b"))
  }

  @Test func whatTheLoaderAddsToARequestIsOneLine() {
    var exchange = Exchange.make(1)
    exchange.request.headers = [
      HeaderField("Accept", "*/*"), HeaderField("Content-Length", "7"), HeaderField("Host", "a.example"),
      HeaderField("User-Agent", "app/1.0 curl/8.0"), HeaderField("X-Own", "1"),
    ]
    var driver = opened(exchange)
    driver.press("right")
    #expect(driver.shows("X-Own: 1"))
    #expect(driver.shows("▸ 4 more headers"))
    #expect(!driver.shows("Host: a.example"))
    driver.press("j j space")
    #expect(driver.shows("Host: a.example"))
  }

  /// To say that one field is folded would take as much room as it does.
  @Test func aSingleFieldIsNotFolded() {
    var exchange = Exchange.make(1)
    exchange.request.headers = [HeaderField("X-Own", "1"), HeaderField("Host", "a.example")]
    var driver = opened(exchange)
    driver.press("right")
    #expect(driver.shows("Host: a.example") && !driver.shows("more header"))
    exchange.request.headers.append(HeaderField("Connection", "close"))
    driver = opened(exchange)
    driver.press("right")
    #expect(driver.shows("▸ 2 more headers") && !driver.shows("Host: a.example"))
  }

  @Test func aRequestsBodyThatIsNotKnownIsNotCalledEmpty() {
    var exchange = Exchange.make(1)
    exchange.request.body = nil
    exchange.request.truncated = true
    exchange.bytesSent = 0
    var driver = opened(exchange)
    driver.press("right")
    #expect(driver.shows("A stream, which was not read: the answer came without it."))
    exchange.bytesSent = 7
    driver = opened(exchange)
    driver.press("right")
    #expect(driver.shows("The body was not recorded."))
    exchange.request.body = Data()
    driver = opened(exchange)
    driver.press("right")
    #expect(driver.shows("The body was not recorded.") && !driver.shows("An empty body."))
  }

  @Test func jsonFoldsAndUnfolds() {
    var driver = opened(.make(1, body: "{\"list\":[1,2,3],\"more\":{\"a\":1}}"))
    driver.press("G k k k space")
    #expect(driver.shows("\"more\": { … 1 line }"))
    driver.press("+")
    #expect(driver.shows("\"a\": 1"))
    driver.press("-")
    #expect(driver.shows("\"list\": [ … 3 lines ],"))
  }

  @Test func thePathUnderTheCursorIsShownAndCopied() {
    var driver = opened(.make(1, body: "{\"list\":[{\"name\":\"太郎\"}]}"))
    driver.press("G k k k")
    #expect(driver.shows("$.list[0].name"))
    driver.press("y")
    #expect(driver.shows("JSON path"))
    driver.press("v")
    #expect(driver.effects.last == .copy(text: "\"太郎\"", label: "the JSON value"))
  }

  @Test func searchCountsGoesOnAndMarks() {
    let lines = (1...500).map { $0 % 100 == 0 ? "here is a Needle \($0)" : "line \($0)" }
    var driver = opened(.make(1, headers: [], body: lines.joined(separator: "\n")))
    driver.press("/")
    driver.type("needle")
    #expect(driver.shows("1 of 5"))
    driver.press("enter n n")
    #expect(driver.shows("here is a Needle 300"))
    #expect(driver.shows("“needle” 3 of 5"))
    driver.press("N")
    #expect(driver.shows("“needle” 2 of 5"))
    driver.press("n n n n")
    #expect(driver.shows("“needle” 1 of 5"))
  }

  @Test func hostileTextIsShownAndNeverSent() {
    let evil = "\u{1B}[2Jred\u{9B}31m\u{202E}txt.exe\u{7}"
    var exchange = Exchange.make(
      1, "GET\u{1B}[1m", "https://a.example/\u{1B}]0;x\u{7}", headers: [HeaderField("X-\u{1B}E", evil)], body: evil)
    exchange.error = RecordedError(domain: evil, code: 1, message: evil)
    exchange.stub = evil
    var driver = opened(exchange)
    driver.press("j space")
    for keys in ["right", "right", "right", "2", "1 y", "esc x", "esc U", "esc :"] {
      driver.press(keys)
      for scalar in driver.screen.unicodeScalars where scalar != "\n" {
        #expect(scalar.value >= 0x20 && scalar != "\u{9B}" && scalar != "\u{202E}" && scalar != "\u{7F}")
      }
    }
    driver.press("esc 1")
    #expect(driver.shows("␛[2J"))
  }

  @Test func binaryIsHexAndImagesTellTheirSize() {
    var exchange = Exchange.make(1, headers: [HeaderField("Content-Type", "image/png")])
    exchange.response?.body = Data(
      [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 2, 0x80, 0, 0, 1,
        0xE0,
      ])
    let driver = opened(exchange)
    #expect(driver.shows("640"))
    #expect(driver.shows("480"))
  }

  @Test(.alone) func aLargeBodyOpensAtOnceAndScrollsToTheVeryEnd() {
    let line = "{\"id\":12345,\"name\":\"somebody\",\"mail\":\"a@example.com\"},"
    let body = "[" + String(repeating: line, count: 60_000) + "{\"last\":true}]"
    var driver = ConsoleDriver(height: 40)
    driver.add([.make(1, body: body)])
    let start = ContinuousClock.now
    driver.press("enter enter")
    let opening = ContinuousClock.now - start
    #expect(opening < .seconds(2))
    driver.press("G")
    var ticks = 0
    while let next = driver.state.nextTick, driver.state.requests.detail.page.hasMore, ticks < 1_000 {
      driver.now = max(driver.now, next)
      driver.send(.tick)
      ticks += 1
    }
    #expect(driver.shows("\"last\": true"))
  }

  /// What was counted then is not recorded; who answered is, and Why does not contradict it.
  @Test func whyDoesNotNameAStubThatWasUsedUpThen() {
    func stub(_ name: String, _ status: Int, times: Int? = nil, chance: Double? = nil) -> Stub {
      Stub(name: name, then: .respond(CannedResponse(status: status)), chance: chance, times: times)
    }
    var driver = ConsoleDriver(width: 120, height: 40)
    driver.board = StubBoard(
      revision: 0,
      entries: [
        .init(stub: stub("three", 503, times: 3), origin: .console),
        .init(stub: stub("now and then", 500, chance: 0.5), origin: .console),
        .init(stub: stub("all", 404, times: 9), origin: .console),
      ])
    driver.send(.board(driver.board, by: nil))
    driver.add([.make(1), .make(2, status: 404, stub: "all"), .make(3, status: 503, stub: "three")])
    func row(_ name: String) -> String { driver.lines.last { $0.contains(" \(name)  ") } ?? "" }
    driver.press("g enter left")
    #expect(row("three").contains("· three") && row("three").contains("had taken its 3 requests"))
    #expect(row("now and then").contains("· now and then") && row("all").contains("had taken its 9 requests"))
    #expect(!driver.shows("and answers"))
    driver.press("j")
    #expect(row("three").contains("had taken its 3") && row("now and then").contains("· now and then"))
    #expect(row("all").contains("◆ all") && row("all").contains("answers"))
    driver.press("j")
    #expect(row("three").contains("◆ three") && row("three").contains("answers"))
  }

  @Test func whyNamesEachStubAndTheDifference() {
    var driver = Sample.driver(120, 36)
    driver.press("k k k k enter right right right")
    #expect(driver.shows("◆ orders down"))
    #expect(driver.shows("matches, and answers"))
    #expect(driver.shows("path: `/v1/orders` is not `/v1/login`"))
    #expect(driver.shows("switched off"))
  }

  @Test func aGoneExchangeSaysSo() {
    var driver = ConsoleDriver()
    driver.add([.make(1)])
    driver.exchanges = []
    driver.press("enter")
    #expect(driver.shows("It is no longer in the history."))
  }

  @Test func theOpenExchangeChangesInPlace() {
    var driver = ConsoleDriver()
    driver.add([.make(1, phase: .waiting)])
    driver.press("enter")
    #expect(driver.shows("No answer yet."))
    driver.add([.make(1, status: 201)])
    #expect(driver.shows("201 Created"))
  }

  @Test func splitMovesAndCloses() {
    var driver = opened(.make(1), width: 120)
    #expect(!driver.layout.isBeside)
    driver.press("v")
    #expect(driver.layout.isBeside)
    let width = driver.layout.rows.width
    driver.press(">")
    #expect(driver.layout.rows.width > width)
    driver.press("esc")
    #expect(!driver.state.requests.detail.isOpen)
  }

  @Test func timingShowsTheSameRequestBeforeAndAfter() {
    var driver = ConsoleDriver()
    driver.add([
      .make(1, status: 503, took: 2_000), .make(2, "GET", "https://api.example.com/v1/other"),
      .make(2_001, status: 200, took: 5_000),
    ])
    driver.press("g enter right right")
    #expect(driver.shows("Asked 2 times in the same way"))
    #expect(driver.lines.contains { $0.contains("▸    1 ") && $0.contains("✗ 503") })
    #expect(driver.lines.contains { $0.contains("2001 ") && $0.contains("✓ 200") && $0.contains("after 2 s") })
    driver.add([.make(2_002, status: 200)])
    #expect(driver.shows("Asked 3 times in the same way"), "the next one is seen as it comes")
  }

  @Test func aFewLongLinesHaveAScrollBarToo() {
    var driver = opened(
      .make(
        1, headers: [HeaderField("Content-Type", "text/plain")],
        body: String(repeating: "あいうえお", count: 900)))
    #expect(driver.shows("┃"))
    driver.press("w")
    #expect(!driver.shows("┃"))
  }

  @Test func timingHasABarForEachRedirect() throws {
    var exchange = Exchange.make(1, took: 100_000)
    exchange.timing.head = 80_000
    exchange.redirects = [
      RedirectHop(status: 301, url: "https://api.example.com/old", at: 20_000),
      RedirectHop(status: 302, url: "https://api.example.com/older", at: 50_000),
    ]
    var driver = opened(exchange)
    driver.press("right right")
    let lines = driver.lines
    let first = try #require(lines.first { $0.contains("→ 301") && $0.contains("█") })
    let second = try #require(lines.first { $0.contains("→ 302") && $0.contains("█") })
    let wait = try #require(lines.first { $0.contains("wait ") })
    #expect(first.contains("20 ms") && second.contains("30 ms") && wait.contains("30 ms"))
    #expect(first.filter { $0 == "█" }.count == 8 && second.filter { $0 == "█" }.count == 12)
    #expect(driver.shows("after 50 ms  https://api.example.com/older"))
    exchange.redirects = [RedirectHop(status: 301, url: "https://api.example.com/old")]
    driver.add([exchange])
    #expect(driver.lines.filter { $0.contains("█") }.count == 2, "of an older history nothing is made up")
  }

  @Test func levelsFoldOneByOne() {
    var driver = opened(.make(1, body: #"{"a":{"b":{"c":{"d":1}}},"z":[[1],[2]]}"#))
    driver.press("-")
    #expect(driver.shows("\"a\": { … 5 lines },"))
    driver.press("+")
    #expect(driver.shows("\"b\": { … 3 lines }") && driver.shows("[ … 1 line ],"))
    driver.press("+")
    #expect(driver.shows("\"c\": { … 1 line }"))
    driver.press("- -")
    #expect(driver.shows("\"a\": { … 5 lines },"))
    driver.press("=")
    #expect(driver.shows("\"d\": 1"))
  }

  @Test func aLargeBodyIsFoldedToItsEnd() {
    let body = "[" + (0..<30_000).map { #"{"n":\#($0)}"# }.joined(separator: ",") + "]"
    var driver = opened(.make(1, body: body))
    driver.press("-")
    var ticks = 0
    while driver.state.nextTick.map({ $0 <= driver.now || $0.microseconds - driver.now.microseconds < 2_000 }) == true,
      ticks < 500
    {
      driver.send(.tick)
      ticks += 1
    }
    driver.press("G k")
    #expect(driver.shows("{ … 1 line }"))
    #expect(driver.state.requests.detail.page.body?.count == 30_002)
    #expect(ticks > 3)
  }

  @Test func escLeavesTheSearchBeforeTheDetail() {
    var driver = opened(.make(1, body: #"{"list":[1,2,3]}"#))
    driver.press("/")
    driver.type("2")
    driver.press("enter")
    #expect(driver.shows("“2” 1 of 1"))
    driver.press("esc")
    #expect(!driver.shows("“2”") && driver.state.requests.detail.isOpen)
    driver.press("esc")
    #expect(!driver.state.requests.detail.isOpen)
  }

  @Test func thePlaceThatIsShownLooksDifferent() throws {
    var driver = opened(.make(1, body: "[7,7]"))
    driver.press("/")
    driver.type("7")
    driver.press("enter n")
    let grid = driver.state.draw().grid
    let lines = grid.lines
    let rows = lines.indices.filter { lines[$0].hasPrefix("   7") }
    #expect(rows.count == 2)
    let styles = rows.map { row in (0..<20).compactMap { grid[.init(x: $0, y: row)] }.first { $0.scalar == "7" }?.style
    }
    #expect(styles == [driver.state.theme[.match], driver.state.theme[.matchCurrent]])
  }

  @Test func searchGoesThroughMarkupAndForms() {
    var exchange = Exchange.make(
      1, body: "<a><b>one</b><c>two</c><d>" + String(repeating: "<e/>", count: 60) + "two</d></a>")
    exchange.response?.headers = [HeaderField("Content-Type", "application/xml")]
    var driver = opened(exchange)
    driver.press("/")
    driver.type("two")
    driver.press("enter")
    #expect(driver.shows("“two” 1 of 2") && driver.shows("<c>two</c>"))
    driver.press("n")
    #expect(driver.shows("“two” 2 of 2") && driver.shows(" two"))
  }

  @Test func theQueryIsReadable() {
    var driver = opened(.make(1, "GET", "https://a.example/s?q=%E6%98%9F%E7%A9%BA&page=2&e=%1B%5B31m"))
    driver.press("right")
    #expect(driver.shows("? q     星空"))
    #expect(driver.shows("? page  2"))
    #expect(!driver.screen.contains("\u{1B}"))
  }

  @Test func anErrorIsSaidInWordsAndByItsDomainAndCode() {
    let error = RecordedError(domain: "NSURLErrorDomain", code: -1001, name: "timedOut", message: "It took too long.")
    let driver = opened(.make(1, error: error))
    #expect(driver.lines.contains { $0.contains("✗") && $0.contains("timed out") })
    #expect(driver.shows("NSURLErrorDomain -1001"))
  }
}
