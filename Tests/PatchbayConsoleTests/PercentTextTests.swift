import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

@Suite("URLs as people read them", .bounded) struct PercentTextTests {
  @Test(
    "text is decoded; what parts a URL, blanks, controls and broken bytes stay as they were sent",
    arguments: [
      ("/v1/%E6%97%A5%E6%9C%AC", "/v1/日本"), ("/q?name=%E6%98%9F&x=%41", "/q?name=星&x=A"),
      ("/a%2Fb%3Fc%23d", "/a%2Fb%3Fc%23d"),
      ("/%00%0a%1B%7f", "/%00%0a%1B%7f"), ("/a%20b", "/a%20b"), ("/100%25", "/100%25"), ("/%FF%E6%97", "/%FF%E6%97"),
      ("/%C0%AF", "/%C0%AF"), ("/%ED%A0%80", "/%ED%A0%80"),
      ("/%E2%80%AE/%EF%BB%BF/%C2%85", "/%E2%80%AE/%EF%BB%BF/%C2%85"),
      ("/%E6%97%A5%2F%E6%9C%AC", "/日%2F本"), ("/%", "/%"), ("/%4", "/%4"), ("/%zz%4g", "/%zz%4g"), ("/plain", "/plain"),
      ("/%21%7E%2A", "/!~*"),
    ]) func shown(raw: String, expected: String)
  {
    #expect(PercentText.shown(raw) == expected)
  }

  private func driver() -> (ConsoleDriver, Exchange) {
    var driver = Sample.driver(120, 36)
    var exchange = Sample.exchanges()[0]
    exchange.id = 2_000
    exchange.request.url = "https://api.example.com/v1/%E6%98%9F%E7%A9%BA?q=%E6%9C%88"
    driver.add([exchange])
    driver.press("G")
    return (driver, exchange)
  }

  @Test("the list shows text") func list() {
    let (driver, _) = driver()
    #expect(driver.shows("/v1/星空?q=月"))
  }

  @Test("a stub that is made of it is named as it is read, and matches what was sent") func names() throws {
    let exchange = driver().1
    let stub = try #require(StubProposal.stub(of: exchange))
    #expect(stub.name == "POST /v1/星空")
    let facts = RequestFacts(
      method: exchange.request.method, url: exchange.request.url, headers: [], body: nil, process: "demo", pid: 1)
    let matcher = StubMatcher(StubSet(revision: 1, stubs: [stub]))
    #expect(matcher.explain(facts, counters: StubCounters(salt: 0)).first?.matches == true)
  }

  /// As an importer names them, and what it gives them to match.
  @Test("the stubs are listed, and found, as they are read", arguments: [80, 120]) func stubs(_ width: Int) {
    var driver = ConsoleDriver(width: width, height: 24)
    let stub = Stub(
      name: "GET /%E6%98%9F", when: RequestPattern(path: .glob("/%E6%9C%88*")), then: .pass(PassChanges()))
    driver.board = StubBoard(revision: 2, entries: [.init(stub: stub, origin: .console)])
    driver.send(.board(driver.board, by: nil))
    driver.press("2")
    #expect(driver.shows("GET /星 ") && driver.shows("/月*"), "\(driver.screen)")
    // The text of the file below it is as it is.
    #expect(driver.lines.prefix(5).allSatisfy { !$0.contains("%E6") }, "\(driver.screen)")
    for words in ["星", "月", "%e6%98", "%e6%9c"] {
      driver.press("/")
      driver.type(words)
      driver.press("enter")
      #expect(driver.shows("/月*"), "\(words)")
      driver.press("esc")
    }
  }

  @Test("Why names stubs and tells reasons in text") func why() throws {
    var (_, exchange) = driver()
    exchange.stub = "GET /v1/%E6%98%9F"
    exchange.by = .stub
    let lines = DetailPages.why(of: exchange, stubs: StubsSnapshot())
    #expect(lines.contains { $0.text.contains("GET /v1/星") })
  }
}
