import PatchbayGrid
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayConsole

/// What the Traffic tab makes of numbers.
@Suite(.bounded) struct TrafficValuesTests {
  private func row(_ host: String, _ method: String? = nil, _ endpoint: String? = nil, operation: String? = nil)
    -> TrafficStatistics
  {
    var row = TrafficStatistics(host: host, method: method, endpoint: endpoint, count: 1)
    row.operation = operation
    return row
  }

  private func numbers(_ number: Int, time: Int64?) -> TrafficStatistics {
    TrafficStatistics(
      host: "h", count: 10, errors: number, sent: Int64(number), received: Int64(number), p50: time, p95: time,
      p99: time)
  }

  @Test(arguments: TrafficColumn.allCases)
  func rowsAreComparedByTheColumn(_ column: TrafficColumn) {
    var (less, more) = (numbers(1, time: 1), numbers(2, time: 2))
    less.host = "g"
    less.count = 9
    more.count = 30
    more.errors = 20
    #expect(column.compare(less, more) == -1 && column.compare(more, less) == 1 && column.compare(more, more) == 0)
    // What has no time comes before what took none.
    let (none, zero) = (numbers(1, time: nil), numbers(1, time: 0))
    let hasTimes = [.p50, .p95, .p99].contains(column)
    #expect(column.compare(none, zero) == (hasTimes ? -1 : 0))
    #expect(column.compare(zero, none) == (hasTimes ? 1 : 0))
    #expect(column.compare(row("a", "GET", "/b"), row("a", "PUT", "/c")) == (column == .name ? -1 : 0))
    #expect(column.compare(row("a"), row("a", "GET", "/c")) == (column == .name ? -1 : 0))
  }

  // MARK: Names of endpoints

  private func text(_ row: TrafficStatistics, _ names: EndpointText) -> String {
    names.pieces(row).map(\.text).joined()
  }

  @Test func namesAreAlignedAndHostsGiveWay() {
    let rows = [
      row("api.example.com", "GET", "/v1/%E6%97%A5"), row("cdn.com", "DELETE", "/a", operation: "Get"),
      row("x", "PROPPATCH", "/b"),
    ]
    let wide = EndpointText(rows, width: 60)
    #expect(
      rows.map { text($0, wide) } == [
        "GET     api.example.com/v1/日", "DELETE  cdn.com        /a Get", "PROPPA… x              /b",
      ])
    // The widest path is 6 cells, and the methods and a blank are 8.
    let narrow = EndpointText(rows, width: 24)
    #expect(text(rows[1], narrow) == "DELETE  cdn.com   /a Get" && textWidth(text(rows[0], narrow)) == 8 + 10 + 6)
    let least = EndpointText(rows, width: 3)
    #expect(textWidth(text(rows[0], least)) == 8 + 8 + 6)
    let short = EndpointText([row("x", "GET", "/b")], width: 3)
    #expect(text(row("x", "GET", "/b"), short) == "GET x/b")
    let noMethod = EndpointText([row("x", nil, "/b")], width: 30)
    #expect(text(row("x", nil, "/b"), noMethod) == "x/b")
  }

  @Test func inATreeEndpointsStandBelowTheirHosts() {
    let rows = [row("a.example"), row("a.example", "GET", "/b"), row("c.example")]
    let names = EndpointText(rows, width: 30, isTree: true, folded: ["c.example"])
    #expect(rows.map { text($0, names) } == ["▾ a.example", "  GET /b", "▸ c.example"])
    #expect(text(rows[0], EndpointText(rows, width: 30)) == "a.example")
    #expect(names.pieces(rows[1]).map(\.role) == [.text, .methodRead, .dim, .text])
    #expect(names.pieces(row("a.example", "POST", "/b"))[1].role == .methodWrite)
    #expect(names.pieces(rows[0]).map(\.role) == [.key, .text])
  }

  // MARK: The detail

  private func ended(_ id: Int64, _ status: Int?, took: Int64, at: Int64) -> ExchangeSummary {
    var exchange = Exchange.make(
      id, status: status, error: status == nil ? RecordedError(domain: "D", code: 7) : nil, took: took)
    exchange.startedAt = Timestamp(microseconds: at)
    return exchange.summary
  }

  @Test func theDetailHasTheTimesOfEachPartAndWhatBecameOfThem() {
    let rows = [
      ended(4, 404, took: 40, at: 6_000), ended(1, 200, took: 10, at: 0), ended(2, 200, took: 30, at: 1),
      ended(3, 200, took: 20, at: 2), ended(5, nil, took: 5, at: 3_000),
      Exchange.make(9, phase: .waiting).summary,
    ]
    var last = rows
    last[5].startedAt = Timestamp(microseconds: 100)
    let detail = TrafficDetail(last, slowest: Array(rows.prefix(5)))
    #expect(detail.count == 6 && detail.from.microseconds == 0 && detail.to.microseconds == 6_000)
    #expect(detail.slowest.map(\.id) == [4, 1, 2])
    #expect(detail.median.count == 60 && detail.highest.count == 60)
    func parts(_ values: [Int64?]) -> [String] {
      values.enumerated().compactMap { place, value in value.map { "\(place): \($0)" } }
    }
    #expect(parts(detail.median) == ["0: 20", "29: 5", "59: 40"])
    #expect(parts(detail.highest) == ["0: 30", "29: 5", "59: 40"])
    #expect(
      detail.outcomes == [
        .init(status: 200, outcome: .responded, error: nil, count: 3),
        .init(status: 404, outcome: .responded, error: nil, count: 1),
        .init(status: nil, outcome: .failed, error: rows[4].error, count: 1),
      ])
  }

  @Test func ofTwoInAPartTheLaterHalfIsItsMedian() {
    let detail = TrafficDetail([ended(1, 200, took: 10, at: 5), ended(2, 200, took: 30, at: 5)], slowest: [])
    #expect(detail.median.compactMap(\.self) == [30] && detail.highest.compactMap(\.self) == [30])
    let none = TrafficDetail([], slowest: [])
    #expect(
      none.count == 0 && none.from == none.to && none.outcomes.isEmpty
        && none.median == Array(repeating: nil, count: 60))
  }

  @Test func asOftenMeansTheLowerStatusFirst() {
    let rows = [500, 404, 200, 404, 301, 500].enumerated().map { ended(Int64($0), $1, took: 1, at: 1) }
    #expect(TrafficDetail(rows, slowest: []).outcomes.map(\.status) == [404, 500, 200, 301])
  }

  // MARK: When it is counted

  @Test func itIsCountedAgainOnlyWhenMoreWasRecorded() {
    var driver = ConsoleDriver(width: 120, height: 30)
    driver.add([.make(1)])
    func asked() -> Int { driver.effects.filter { if case .loadTraffic = $0 { true } else { false } }.count }
    #expect(asked() == 0)
    driver.press("3")
    driver.send(.tick)
    #expect(asked() == 1, "one question at a time")
    let report = TrafficReport(endpoints: [TrafficStatistics(host: "h", method: "GET", endpoint: "/", count: 1)])
    driver.send(.traffic(token: (driver.state.traffic.awaited ?? 0) + 1, report))
    #expect(driver.state.traffic.rows.isEmpty && asked() == 1)
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, report))
    for _ in 0..<3 { driver.send(.tick) }
    #expect(asked() == 1 && driver.state.traffic.awaited == nil && !driver.state.traffic.isStale)
    driver.add([.make(2)])
    driver.now.microseconds += 1_000_000
    driver.send(.tick)
    #expect(asked() == 2)
  }

  // MARK: The tab

  /// The tab with a report that has come.
  private func shown(
    _ report: TrafficReport, _ width: Int = 120, _ height: Int = 36, view: ViewSettings = ViewSettings(),
    filter: String = ""
  ) -> ConsoleDriver {
    var driver = ConsoleDriver(width: width, height: height, view: view)
    driver.perform(.requests(.applyFilter(filter)))
    driver.press("3")
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, report))
    return driver
  }

  @Test func whatIsPossibleGoesByWhatIsCounted() {
    func possible(_ driver: ConsoleDriver) -> [TrafficCommand] {
      TrafficCommand.allCases.filter(driver.state.traffic.isPossible)
    }
    let endpoints = [row("a.example", "GET", "/x"), row("b.example", "GET", "/y")]
    #expect(possible(shown(TrafficReport())) == [.filter])
    let one = shown(TrafficReport(endpoints: [endpoints[0]], hosts: [row("a.example")]))
    #expect(possible(one) == [.open, .detail, .sort, .reverseSort, .filter])
    var two = shown(TrafficReport(endpoints: endpoints, hosts: [row("a.example"), row("b.example")]))
    #expect(possible(two) == TrafficCommand.allCases)
    two.press("b")
    #expect(possible(two) == [.open, .groupTraffic, .detail, .sort, .reverseSort, .filter])
  }

  @Test(arguments: [
    ("", ""), ("is:bad", "is:bad "), ("run:last", "run:last "), ("run:last is:bad", "run:last is:bad "),
  ])
  func theRequestsOfARowAreThoseThatItCounted(_ filter: String, _ before: String) {
    var driver = shown(TrafficReport(endpoints: [row("a.example", "GET", "/x")]), filter: filter)
    driver.press("enter")
    #expect(driver.state.tab == .requests)
    #expect(driver.state.requests.bar.applied == before + "host:a.example path:~^/x$ method:GET")
  }

  @Test(arguments: ["esc", "enter"]) func fromTheFilterOneComesBack(_ key: String) {
    var driver = shown(TrafficReport(endpoints: [row("a.example", "GET", "/x")]))
    driver.press("/")
    #expect(driver.state.tab == .requests && driver.state.requests.bar.isOpen)
    driver.type("is:bad")
    driver.press(key)
    #expect(driver.state.tab == .traffic)
    #expect(driver.state.requests.bar.applied == (key == "enter" ? "is:bad" : ""))
    driver.press("1 /")
    driver.press(key)
    #expect(driver.state.tab == .requests, "its own filter is no way to another tab")
    driver.press("3 / 1 ctrl-u esc")
    #expect(driver.state.tab == .traffic)
  }

  /// No program finds it there.
  @Test func whereAFileIsOpenNothingIsAttachedTo() {
    var driver = ConsoleDriver(setup: ConsoleSetup(mode: .open(file: "a.har")))
    driver.press("4")
    #expect(driver.shows("This session reads a file: no program is linked to it") && !driver.shows("Listening on"))
    driver.press("a")
    #expect(!driver.effects.contains { if case .attach = $0 { true } else { false } })
    #expect(!driver.effects.contains(.findPrograms))
  }

  @Test func aNoticeOfSeveralLinesIsOneSentence() {
    var driver = ConsoleDriver()
    driver.send(.notice(Notice(.error, "first mistake\nsecond mistake")))
    #expect(driver.shows("first mistake; second mistake"))
  }

  @Test(arguments: ["", "is:bad"]) func whereNothingIsCountedItIsSaidWhy(_ filter: String) {
    var driver = ConsoleDriver()
    driver.perform(.requests(.applyFilter(filter)))
    driver.press("3")
    #expect(driver.shows("Counting…") && !driver.shows("No requests to count."))
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, TrafficReport()))
    #expect(!driver.shows("Counting…") && driver.shows("No requests to count."))
    #expect(driver.shows("changes the filter") == !filter.isEmpty)
    #expect(driver.shows(", requests that fit is:bad") == !filter.isEmpty)
    #expect(driver.shows(", all recorded requests") == filter.isEmpty)
  }

  @Test func eachRowAndEachCountHasADetailOfItsOwn() {
    let report = TrafficReport(endpoints: [row("a.example", "GET", "/x"), row("a.example", "GET", "/y")])
    var driver = shown(report)
    func tokens() -> [Int] {
      var all: [Int] = []
      for case .loadTrafficDetail(let token, _) in driver.effects { all.append(token) }
      return all
    }
    #expect(tokens().count == 1 && driver.shows("Reading…"))
    driver.send(.tick)
    #expect(tokens().count == 1)
    driver.add([.make(1)])
    driver.now.microseconds += 1_000_000
    driver.send(.tick)
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, report))
    #expect(tokens().count == 2, "it is counted anew, though the row is the same")
    let detail = TrafficDetail([ended(1, 200, took: 10, at: 0)], slowest: [])
    driver.send(.trafficDetail(token: tokens().first ?? 0, detail))
    #expect(driver.shows("Reading…"), "the answer to a question of before")
    driver.send(.trafficDetail(token: tokens().last ?? 0, detail))
    #expect(!driver.shows("Reading…") && driver.shows("ended as"))
    driver.add([.make(2)])
    driver.now.microseconds += 1_000_000
    driver.send(.tick)
    driver.send(.traffic(token: driver.state.traffic.awaited ?? 0, report))
    #expect(tokens().count == 3 && driver.shows("ended as"), "what is known stays until more is")
    driver.press("j")
    #expect(tokens().count == 4 && driver.shows("Reading…"))
  }

  @Test(arguments: [(149, false), (150, true)])
  func onAWideScreenTheDetailIsShownUnasked(_ width: Int, _ isShown: Bool) {
    let driver = shown(TrafficReport(endpoints: [row("a.example", "GET", "/x")]), width, 24)
    #expect(driver.shows("Reading…") == isShown)
  }

  @Test(arguments: [(120, 36), (160, 30)]) func howRequestsAreSplitSaysNothingOfTraffic(_ width: Int, _ height: Int) {
    let report = TrafficReport(endpoints: [row("a.example", "GET", "/x"), row("a.example", "GET", "/y")])
    let usual = shown(report, width, height)
    for beside in [false, true] {
      let view = ViewSettings(detailBeside: beside, listShare: 20)
      #expect(shown(report, width, height, view: view).lines == usual.lines)
    }
  }

  @Test func anotherGroupingBeginsAtItsTop() {
    var (first, last) = (row("a.example", "GET", "/x"), row("b.example", "GET", "/y"))
    first.count = 5
    last.count = 1
    var (host, other) = (row("a.example"), row("b.example"))
    host.count = 5
    other.count = 1
    var driver = shown(TrafficReport(endpoints: [first, last], hosts: [host, other]))
    driver.press("G")
    #expect(driver.state.traffic.selected?.endpoint == "/y")
    driver.press("b")
    #expect(driver.state.traffic.selected?.endpoint == "/x")
  }

  @Test func theHeadOfTheChartSortsByNothing() throws {
    var driver = shown(TrafficReport(endpoints: [row("a.example", "GET", "/x")]), 170, 30)
    driver.press("tab")
    for (title, sort) in [("last 10 min", .count), ("p99", .p99), ("last 10 min", .p99)] as [(String, TrafficColumn)] {
      let head = driver.lines[2]
      let place = try #require(head.firstRange(of: title))
      let point = Point(x: textWidth(head[..<place.lowerBound]), y: 2)
      driver.send(.input(.mouse(MouseEvent(.press(.left), at: point))))
      #expect(driver.state.traffic.sort == sort)
    }
  }

  @Test func theWheelMovesTheRows() {
    let rows = (1...40).map { number in
      TrafficStatistics(host: "h", method: "GET", endpoint: "/e\(number)", count: 100 - number)
    }
    var driver = shown(TrafficReport(endpoints: rows), 120, 24)
    for (kind, name) in [(nil, "/e1 "), (.wheelDown, "/e4 "), (.wheelDown, "/e7 "), (.wheelUp, "/e4 ")]
      as [(MouseEvent.Kind?, String)]
    {
      if let kind { driver.send(.input(.mouse(MouseEvent(kind, at: Point(x: 5, y: 8))))) }
      #expect(driver.lines[3].contains(name), "\(driver.lines[3])")
    }
  }
}
