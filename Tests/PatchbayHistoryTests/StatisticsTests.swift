import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayTestSupport
import PatchbayWire
import Testing

@Suite(.bounded) struct StatisticsTests {
  @Test(arguments: ["", "status:>=400", "host:nowhere", "is:failed | method:POST", "body:ok"])
  func storeAndMemoryCountAlike(_ text: String) async throws {
    var dice = Dice(state: 5)
    let exchanges = (1...3_000).map { FilterAgreementTests.exchange(Int64($0), &dice) }
    let store = try HistoryStore.open(.memory)
    store.record(exchanges)
    try await store.flush()
    let found = try await counted(by: store, as: exchanges, text)
    #expect(text == "host:nowhere" || !found.hosts.isEmpty)
    await store.close()
  }

  /// What the store counts, which is what is counted one by one.
  private func counted(by store: HistoryStore, as exchanges: [Exchange], _ text: String) async throws -> TrafficTable {
    let now = FilterAgreementTests.now
    let span = TrafficTable.Span(from: Timestamp(microseconds: now.microseconds - 100_000_000), to: now, parts: 10)
    let filter = try Filter(parsing: text)
    var expected = TrafficTable(span: span)
    for exchange in exchanges where filter.matches(exchange, now: now) { expected.add(exchange.summary) }
    let found = try await store.statistics(filter, span: span, now: now)
    #expect(found.endpoints == expected.endpoints)
    #expect(found.hosts == expected.hosts)
    return found
  }

  @Test(arguments: ["", "status:>=400", "is:failed | method:POST", "header:x-id", "body:ok"])
  func segmentsAndMemoryCountAlike(_ text: String) async throws {
    var dice = Dice(state: 9)
    let exchanges = (1...1_500).map { FilterAgreementTests.exchange(Int64($0 * 2), &dice) }
    let store = try HistoryStore.open(.memory)
    store.record(exchanges)
    try await store.buildSegments()
    #expect(try await store.segmentCount() == 3)
    let found = try await counted(by: store, as: exchanges, text)
    #expect(!found.hosts.isEmpty)
    await store.close()
  }

  @Test(arguments: [false, true]) func errorsAreWhatFailedAndStatusFrom400(inSegments: Bool) async throws {
    var exchanges: [Exchange] = []
    for status in [200, 399, 400, 401, 599] {
      exchanges.append(.sample(id: Int64(exchanges.count + 1), status: status))
    }
    for outcome in Exchange.Outcome.allCases {
      var exchange = Exchange.sample(id: Int64(exchanges.count + 1), status: nil)
      exchange.outcome = outcome
      exchanges.append(exchange)
    }
    let store = try HistoryStore.open(.memory)
    store.record(exchanges)
    if inSegments { try await store.buildSegments() }
    try await store.flush()
    let host = try #require(try await store.statistics().hosts.first)
    #expect(host.count == exchanges.count && host.errors == 4)
    await store.close()
  }

  /// What older versions recorded of programs that lied is read as what it can be: such a history heals.
  @Test func extremesOfAnOlderHistoryAreReadAndCounted() async throws {
    let extremes: [Int64] = [
      0, 1, -1, 1 << 31, (1 << 32) - 1, 1 << 53, 1 << 62, .min, .min + 1, .max - 1, .max, -(1 << 53),
    ]
    var exchanges: [Exchange] = []
    for value in extremes {
      for field in 0..<9 {
        var exchange = Exchange.sample(id: Int64(exchanges.count) + 1)
        exchange.redirects = [RedirectHop(status: 302, url: "http://a/", at: 5)]
        switch field {
        case 0: exchange.startedAt = Timestamp(microseconds: value)
        case 1: exchange.timing.end = value
        case 2: exchange.timing.head = value
        case 3: exchange.timing.held = value
        case 4: exchange.bytesSent = value
        case 5: exchange.bytesReceived = value
        case 6: exchange.response?.status = Int(value)
        case 7: exchange.redirects = [RedirectHop(status: Int(value), url: "http://a/", at: value)]
        default:
          exchange.response = nil
          exchange.outcome = .failed
          exchange.error = RecordedError(domain: "d", code: Int(value))
        }
        exchanges.append(exchange)
      }
    }
    let store = try HistoryStore.open(.memory)
    store.record(exchanges)
    try await store.flush()
    for isSegmented in [false, true] {
      if isSegmented { try await store.buildSegments() }
      let rows = try await store.page(from: 0, count: 1_000)
      #expect(rows.count == exchanges.count)
      for row in rows {
        for number in [row.size, row.bytesSent, row.bytesReceived, row.held, row.duration ?? 0, row.head ?? 0] {
          #expect((0...1 << 53).contains(number))
        }
        #expect(Moment.rfc3339(row.startedAt).utf8.count == 24)
      }
      let span = TrafficTable.Span(from: Timestamp(microseconds: 0), to: .now, parts: 10)
      let table = try await store.statistics(.everything, span: span)
      #expect(table.hosts.first?.count == exchanges.count && (table.hosts.first?.sent ?? -1) >= 1 << 54)
      for order in HistoryOrder.allCases {
        #expect(try await store.ids(.everything, sortedBy: order).count == exchanges.count, "\(order)")
      }
      for whole in try await store.exchanges(ids: exchanges.map(\.id)) {
        #expect(!JSONLines.line(whole).isEmpty && !HARWriter.text([whole]).isEmpty)
      }
    }
    await store.close()
  }

  /// A million sizes of 2^53 are more than 63 bits.
  @Test func sumsStopAtTheHighestNumber() {
    var table = TrafficTable()
    for number in 1...2_000 {
      var row = Exchange.sample(id: Int64(number)).summary
      (row.bytesSent, row.size) = (1 << 53, 1 << 53)
      table.add(row)
    }
    #expect(table.endpoints.first?.sent == .max && table.hosts.first?.received == .max)
  }

  @Test func percentilesByNearestRank() throws {
    var table = TrafficTable()
    for number in 1...200 { table.add(Exchange.sample(id: 1, duration: Int64(201 - number)).summary) }
    table.add(Exchange.sample(id: 1, status: nil, duration: nil).summary)
    let row = try #require(table.endpoints.first)
    #expect(table.endpoints.count == 1 && row.count == 201)
    #expect(row.p50 == 100 && row.p95 == 190 && row.p99 == 198)
    #expect(row.endpoint == "/v1/users" && row.host == "api.example.com")
  }

  @Test func percentilesAreThoseOfTheSortedList() throws {
    var dice = Dice(state: 11)
    for (count, values) in [(1, 5), (2, 1), (3, 9), (17, 3), (1_000, 1_000_000), (5_000, 2), (10_000, 40)] {
      var table = TrafficTable()
      let durations = (0..<count).map { _ in Int64(dice.next() % UInt64(values)) }
      for duration in durations { table.add(Exchange.sample(id: 1, duration: duration).summary) }
      let sorted = durations.sorted()
      func rank(_ percent: Int) -> Int64 { sorted[max(0, (count * percent + 99) / 100 - 1)] }
      let row = try #require(table.endpoints.first)
      #expect([row.p50, row.p95, row.p99] == [rank(50), rank(95), rank(99)], "\(count) values")
    }
  }

  @Test(arguments: [
    ("/v1/users/17", "/v1/users/{id}"), ("", "/"), ("/", "/"), ("/a//7/", "/a//{id}/"),
    ("/f/0190c5a8-7c3e-7b1d-9f00-1234567890ab", "/f/{id}"), ("/img/123.png", "/img/{id}.png"),
    ("/c/da39a3ee5e6b4b0d3255bfef95601890afd80709", "/c/{id}"), ("/v1/deadbeef", "/v1/deadbeef"),
    ("/o/65a1f2c3d4e5f60718293a4b/items", "/o/{id}/items"), ("/ただ/v2.0", "/ただ/v2.0"),
    ("/a1b2c3d4.e5f60718/x", "/a1b2c3d4.e5f60718/x"),
    ("/" + String(repeating: "a1", count: 5_000) + ".json/x", "/{id}.json/x"),
  ])
  func endpointsFoldIDs(_ path: String, _ expected: String) {
    #expect(Endpoint.folded(path) == expected)
  }
}
