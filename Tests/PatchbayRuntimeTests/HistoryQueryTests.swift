import Foundation
import PatchbayConsole
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayRuntime

/// Reads of the history that need more than one step.
@Suite(.bounded) final class HistoryQueryTests {
  private let history: HistoryStore
  private let query: HistoryQuery

  init() throws {
    history = try HistoryStore.open(.memory, retention: Retention(count: .max, bytes: .max))
    query = HistoryQuery(history: history)
  }

  private func exchange(
    _ id: Int64, _ url: String = "http://a.example/x", _ change: (inout Exchange) -> Void = { _ in }
  )
    -> Exchange
  {
    var exchange = Exchange(
      id: id, process: HarnessProcess(name: "app", pid: 10),
      startedAt: Timestamp(microseconds: 1_700_000_000_000_000 + id),
      request: RecordedRequest(method: "GET", url: url))
    (exchange.phase, exchange.outcome) = (.ended, .responded)
    exchange.response = RecordedResponse(status: 200)
    change(&exchange)
    return exchange
  }

  private func record(_ exchanges: [Exchange], flush: Bool = true) async throws {
    for start in stride(from: 0, to: exchanges.count, by: 1_000) {
      if !history.record(Array(exchanges[start..<min(exchanges.count, start + 1_000)])) { await history.room() }
    }
    if flush { try await history.flush() }
  }

  private func filter(_ text: String) throws -> Filter { try FilterArgument.parse(text) }

  /// All batches of a search, and whether the last of them, and only that, says so.
  private func search(_ filter: Filter, after: Int64 = 0, sort: PatchbayConsole.SortOrder = .arrival) async throws
    -> [Int64]
  {
    var ids: [Int64] = []
    var ends: [Bool] = []
    for try await batch in query.ids(filter, after: after, sort: sort) {
      ids += batch.ids
      ends.append(batch.isLast)
    }
    #expect(ends.last == true && ends.count { $0 } == 1)
    return ids
  }

  // MARK: Ids

  @Test func aSearchFindsTheNewestFirstAlsoWhatWaitsToBeWritten() async throws {
    try await record((1...9).map { exchange($0, "http://\($0 % 3 == 0 ? "b" : "a").example/\($0)") }, flush: false)
    #expect(try await search(.everything) == [9, 8, 7, 6, 5, 4, 3, 2, 1])
    #expect(try await search(filter("host:b.example")) == [9, 6, 3])
    #expect(try await search(filter("host:c.example")) == [])
    for (after, found) in [(0, [9, 6, 3]), (2, [9, 6, 3]), (3, [9, 6]), (5, [9, 6]), (8, [9]), (9, [])]
      as [(Int64, [Int64])]
    {
      #expect(try await search(filter("host:b.example"), after: after) == found, "after \(after)")
    }
  }

  @Test func aSortedSearchComesAtOnce() async throws {
    let sizes: [Int64] = [30, 10, 20]
    try await record(
      sizes.enumerated().map { place, size in exchange(Int64(place + 1)) { $0.bytesReceived = size } }, flush: false)
    #expect(try await search(.everything, sort: PatchbayConsole.SortOrder(.size)) == [2, 3, 1])
    #expect(try await search(.everything, sort: PatchbayConsole.SortOrder(.size, descending: true)) == [1, 3, 2])
    #expect(try await search(.everything, after: 1, sort: PatchbayConsole.SortOrder(.size)) == [2, 3])
    #expect(try await search(.everything, sort: PatchbayConsole.SortOrder(.number, descending: true)) == [3, 2, 1])
  }

  /// Each column has an order of its own: by it, the first is first, and by no other.
  @Test(arguments: RequestColumn.allCases.filter { $0 != .number }) func eachColumnSortsByItself(
    _ column: RequestColumn
  ) async throws {
    func pair(_ change: (inout Exchange, Bool) -> Void) -> [Exchange] {
      [exchange(1) { change(&$0, false) }, exchange(2) { change(&$0, true) }]
    }
    let pairs: [Exchange] =
      switch column {
      case .number: []
      case .startedAt, .timeline: pair { $0.startedAt = Timestamp(microseconds: $1 ? 5 : 6) }
      case .process: pair { $0.process = HarnessProcess(name: $1 ? "a" : "b", pid: 10) }
      case .method: pair { $0.request.method = $1 ? "GET" : "PUT" }
      case .status: pair { $0.response?.status = $1 ? 200 : 500 }
      case .host: pair { $0.request.url = $1 ? "http://a.example/x" : "http://b.example/x" }
      case .path: pair { $0.request.url = $1 ? "http://a.example/a" : "http://a.example/b" }
      case .type:
        pair { $0.response?.headers = [HeaderField("Content-Type", $1 ? "application/json" : "text/html")] }
      case .size: pair { $0.bytesReceived = $1 ? 1 : 2 }
      case .duration: pair { $0.timing.end = $1 ? 1 : 2 }
      case .by: pair { ($0.by, $0.stub) = $1 ? (.network, nil) : (.stub, "z") }
      }
    try await record(pairs.sorted { $0.id < $1.id })
    let up = try await search(.everything, sort: PatchbayConsole.SortOrder(column))
    let down = try await search(.everything, sort: PatchbayConsole.SortOrder(column, descending: true))
    #expect(down == up.reversed())
    #expect(up == [2, 1])
    let others = RequestColumn.allCases.filter {
      $0 != .number && $0 != column && !([$0, column] as Set).isSubset(of: [.startedAt, .timeline])
    }
    for other in others {
      let order = try await search(.everything, sort: PatchbayConsole.SortOrder(other))
      #expect(order == [1, 2], "\(other) leaves them as they came")
    }
  }

  @Test(arguments: [
    (nil, [1, 2, 3, 4, 5]), (0, []), (1, [5]), (2, [4, 5]), (5, [1, 2, 3, 4, 5]), (6, [1, 2, 3, 4, 5]),
  ])
  func aLimitLeavesTheNewestOldestFirst(_ limit: Int?, _ ids: [Int64]) async throws {
    try await record((1...5).map { exchange($0, "http://a.example/\($0)") })
    #expect(try await query.ids(.everything, limit: limit) == ids)
    #expect(
      try await query.exchanges(.everything, limit: limit).map(\.request.url) == ids.map { "http://a.example/\($0)" })
  }

  @Test func aSearchThatIsCancelledIsNoAnswer() async throws {
    try await record([exchange(1)])
    let query = query
    let search = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await query.ids(.everything, limit: nil)
    }
    await #expect(throws: CancellationError.self) { try await search.value }
  }

  @Test func theNewestComeFirst() async throws {
    try await record((1...5).map { exchange($0, "http://\($0 == 4 ? "b" : "a").example/") }, flush: false)
    #expect(try await query.newest(3, filter("host:a.example")).map(\.id) == [5, 3, 2])
    #expect(try await query.newest(9, filter("host:b.example")).map(\.id) == [4])
  }

  // MARK: One by one

  @Test(arguments: [0, 1, 99, 100, 101, 250])
  func exchangesAreHandedOverInTheOrderThatWasAsked(_ count: Int) async throws {
    try await record((0..<Int64(count)).map { exchange($0 + 1) })
    let ids = (0..<Int64(count)).map { $0 + 1 }.reversed() as [Int64]
    var seen: [Int64] = []
    try await query.each(ids) { seen.append($0.id) }
    #expect(seen == ids)
  }

  // MARK: Retries

  @Test func retriesAreTheSameRequestOfTheSameProcess() async throws {
    try await record([
      exchange(1), exchange(2) { $0.request.method = "PUT" }, exchange(3, "http://a.example/y"),
      exchange(4) { $0.process = HarnessProcess(name: "app", pid: 11) }, exchange(5), exchange(6) { $0.response = nil },
    ])
    #expect(try await query.retries(of: 5).map(\.id) == [1, 5, 6])
    #expect(try await query.retries(of: 2).map(\.id) == [2])
    #expect(try await query.retries(of: 7) == [])
  }

  @Test func retriesAreWithinTenMinutesAndAThousand() async throws {
    let span: Int64 = 600_000_000
    try await record([
      exchange(1) { $0.startedAt.microseconds = 5_000_000_000 - span },
      exchange(2) { $0.startedAt.microseconds = 5_000_000_000 - span + 1 },
      exchange(3) { $0.startedAt.microseconds = 5_000_000_000 },
      exchange(4) { $0.startedAt.microseconds = 5_000_000_000 + span - 1 },
      exchange(5) { $0.startedAt.microseconds = 5_000_000_000 + span },
    ])
    #expect(try await query.retries(of: 3).map(\.id) == [2, 3, 4])
    try await record([
      exchange(2_999, "http://b.example/"), exchange(3_000, "http://b.example/"), exchange(4_000, "http://b.example/"),
      exchange(5_000, "http://b.example/"), exchange(5_001, "http://b.example/"),
    ])
    #expect(try await query.retries(of: 4_000).map(\.id) == [3_000, 4_000, 5_000])
  }

  @Test(
    arguments: [
      (1, 1...20), (5, 1...20), (11, 1...20), (12, 2...21), (20, 10...29), (30, 20...39), (31, 21...40), (32, 21...40),
      (40, 21...40),
    ] as [(Int64, ClosedRange<Int64>)])
  func ofManyRetriesTwentyAroundItAreTaken(_ id: Int64, _ found: ClosedRange<Int64>) async throws {
    try await record((1...40).map { exchange($0) })
    #expect(try await query.retries(of: id).map(\.id) == Array(found))
  }

  @Test(arguments: [19, 20, 21]) func fewRetriesAreTakenWhole(_ count: Int64) async throws {
    try await record((1...count).map { exchange($0) })
    #expect(try await query.retries(of: count).count == min(20, Int(count)))
    #expect(try await query.retries(of: 1).count == min(20, Int(count)))
  }

  // MARK: The one before

  @Test func theOneBeforeIsLookedForSoFar() async throws {
    try await record([
      exchange(1), exchange(2) { $0.phase = .receiving }, exchange(3, "http://a.example/other"), exchange(500),
      exchange(50_500, "http://b.example/"), exchange(100_499, "http://b.example/"),
      exchange(100_500, "http://b.example/"),
      exchange(150_500, "http://b.example/"), exchange(200_501, "http://b.example/"),
    ])
    #expect(try await query.previous(of: 500) == 1)
    #expect(try await query.previous(of: 1) == nil)
    #expect(try await query.previous(of: 100_500) == 100_499)
    #expect(try await query.previous(of: 100_499) == 50_500)
    #expect(try await query.previous(of: 150_500) == 100_500, "50,000 before it is near enough")
    #expect(try await query.previous(of: 200_501) == nil, "50,001 before it is not")
    #expect(try await query.lastAnswer(before: 500) == 1)
    #expect(try await query.lastAnswer(before: 100_500) == 100_499)
    #expect(try await query.lastAnswer(before: 150_500) == nil)
  }

  @Test(
    arguments: [
      (Exchange.Answerer.network, nil, 200, .responded, true), (.cache, nil, 200, .responded, true),
      (.network, "patch", 200, .responded, false), (.stub, nil, 200, .responded, false),
      (.code, nil, 200, .responded, false), (.person, nil, 200, .responded, false),
      (.console, nil, 200, .responded, false), (.network, nil, nil, .responded, false),
      (.network, nil, 500, .responded, true), (.network, nil, 200, .failed, false),
      (.network, nil, 200, .cancelled, false), (.network, nil, 200, .abandoned, false),
      (.network, nil, 200, nil, false),
    ] as [(Exchange.Answerer, String?, Int?, Exchange.Outcome?, Bool)])
  func theLastAnswerIsARealOne(
    _ by: Exchange.Answerer, _ stub: String?, _ status: Int?, _ outcome: Exchange.Outcome?, _ isReal: Bool
  ) async throws {
    let before = exchange(1) {
      ($0.by, $0.stub, $0.outcome) = (by, stub, outcome)
      $0.response = status.map { RecordedResponse(status: $0) }
    }
    try await record([before, exchange(2)])
    #expect(try await query.lastAnswer(before: 2) == (isReal ? 1 : nil))
    #expect(try await query.previous(of: 2) == 1)
  }

  // MARK: Traffic

  @Test func trafficIsCountedByEndpointAndHostInTwentyPartsOfTenMinutes() async throws {
    let now: Int64 = 1_700_000_000_000_000
    let minute: Int64 = 60_000_000
    func at(_ id: Int64, _ ago: Int64, _ url: String) -> Exchange {
      exchange(id, url) { $0.startedAt.microseconds = now - ago }
    }
    try await record(
      [
        at(1, 20 * minute, "http://a.example/u/1"), at(2, 10 * minute + 1, "http://a.example/u/2"),
        at(3, 10 * minute, "http://a.example/u/3"), at(4, 9 * minute - 1, "http://a.example/u/4"),
        at(5, 30 * 1_000_000 - 1, "http://a.example/v"), at(6, 1, "http://b.example/"),
      ], flush: false)
    let report = try await query.traffic(.everything, now: Timestamp(microseconds: now))
    func parts(_ counts: [Int: Int]) -> [Int] { (0..<20).map { counts[$0] ?? 0 } }
    let endpoints = report.endpoints.map { "\($0.method ?? "") \($0.host)\($0.endpoint ?? "") \($0.count)" }
    #expect(endpoints.sorted() == ["GET a.example/u/{id} 4", "GET a.example/v 1", "GET b.example/ 1"])
    let hosts = Dictionary(grouping: report.hosts, by: \.host).mapValues { $0[0] }
    #expect(hosts["a.example"]?.count == 5 && hosts["b.example"]?.count == 1 && hosts.count == 2)
    #expect(hosts["a.example"]?.sparkline == parts([0: 1, 2: 1, 19: 1]))
    #expect(hosts["b.example"]?.sparkline == parts([19: 1]))
    let only = try await query.traffic(filter("host:b.example"), now: Timestamp(microseconds: now))
    #expect(only.hosts.map(\.host) == ["b.example"])
  }

  @Test func theDetailOfTrafficNamesTheSlowestThree() async throws {
    try await record(
      [10, 50, 20, 40, 30].enumerated().map { place, took in
        exchange(Int64(place + 1)) { $0.timing.end = took }
      } + [exchange(6, "http://b.example/") { $0.timing.end = 90 }], flush: false)
    let detail = try await query.trafficDetail(filter("host:a.example"))
    #expect(detail.count == 5)
    #expect(detail.slowest.map(\.id) == [2, 4, 5])
    #expect(try await query.trafficDetail(filter("host:c.example")).count == 0)
  }

  @Test func theDetailOfTrafficIsOfTheNewestFiveThousand() async throws {
    try await record((1...5_001).map { id in exchange(id) { $0.timing.end = id == 1 ? 9 : 3 } })
    let detail = try await query.trafficDetail(.everything)
    #expect(detail.count == 5_000)
    #expect(detail.slowest.map(\.id).first == 1, "the slowest is of all")
    #expect(detail.slowest.count == 3)
  }

  // MARK: Previews of patterns

  @Test func aPatternIsTriedOnWhatWasRecorded() async throws {
    try await record([
      exchange(1, "http://a.example/x"), exchange(2, "http://a.example/x") { $0.request.method = "PUT" },
      exchange(3, "http://a.example/x") { $0.request.headers = [HeaderField("A", "1")] },
      exchange(4, "http://a.example/x") { $0.request.body = Data("{\"n\":1}".utf8) },
      exchange(5, "http://a.example/x") { $0.process = HarnessProcess(name: "other", pid: 2) },
    ])
    func found(_ pattern: RequestPattern) async throws -> [Int64] {
      let preview = try await self.query.preview(pattern)
      #expect(preview.of == 5 && preview.matching == preview.newest.count)
      return preview.newest
    }
    #expect(try await found(RequestPattern(url: .glob("*/x"))) == [5, 4, 3, 2, 1])
    #expect(try await found(RequestPattern(methods: ["PUT"], url: .glob("*"))) == [2])
    let none = try await query.preview(RequestPattern(url: .glob("*/none")))
    #expect(none == PreviewResult(matching: 0, of: 5))
  }

  @Test func aPatternIsTriedOnAllThatIsKnownOfARequest() async throws {
    try await record([
      exchange(1), exchange(2) { $0.request.headers = [HeaderField("A", "1")] },
      exchange(3) { $0.request.body = Data("{\"n\":1}".utf8) },
      exchange(4) { $0.process = HarnessProcess(name: "other", pid: 2) },
      exchange(5) { $0.process = HarnessProcess(name: "app", pid: 11) },
    ])
    func found(_ pattern: RequestPattern) async throws -> [Int64] { try await self.query.preview(pattern).newest }
    #expect(try await found(RequestPattern(headers: [RequestPattern.Condition("A", .glob("1"))])) == [2])
    #expect(try await found(RequestPattern(body: BodyPattern(equals: "{\"n\":1}"))) == [3])
    // Nothing asks for it but what is in it.
    let asked = RequestPattern(body: BodyPattern(equals: "{\"n\":1}"))
    #expect(try await found(RequestPattern(any: [RequestPattern(methods: ["PUT"]), asked])) == [3])
    #expect(try await found(RequestPattern(not: [asked])) == [5, 4, 2, 1])
    #expect(try await found(RequestPattern(process: .glob("other"))) == [4])
    #expect(try await found(RequestPattern(process: .glob("app 11"))) == [5])
    #expect(try await found(RequestPattern(methods: ["PUT"])) == [])
  }

  @Test func ofManyOnlyTheNewestTenThousandAreTriedAndTwoHundredNamed() async throws {
    try await record((1...10_001).map { exchange($0, "http://a.example/\($0 <= 9_801 ? "x" : "y")") })
    let x = try await query.preview(RequestPattern(url: .glob("*/x")))
    #expect(x.matching == 9_800 && x.of == 10_000)
    #expect(x.newest == (9_602...9_801).reversed())
    let y = try await query.preview(RequestPattern(url: .glob("*/y")))
    #expect(y.matching == 200 && y.newest == (9_802...10_001).reversed())
  }
}
