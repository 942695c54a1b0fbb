import PatchbayTestSupport
import PatchbayWire
import Testing

@testable import PatchbayInspect

/// Traffic counted by endpoint and by host.
@Suite(.bounded) struct TrafficTableTests {
  private static func moment(_ microseconds: Int64) -> Timestamp { Timestamp(microseconds: microseconds) }

  @Test func aSpanHasEqualParts() {
    let span = TrafficTable.Span(from: Self.moment(100), to: Self.moment(199), parts: 10)
    #expect([99, 100, 109, 110, 189, 190, 199, 200].map { span.part(of: $0) } == [nil, 0, 0, 1, 8, 9, 9, nil])
    let one = TrafficTable.Span(from: Self.moment(5), to: Self.moment(5), parts: 3)
    #expect([4, 5, 6].map { one.part(of: $0) } == [nil, 0, nil])
    let turned = TrafficTable.Span(from: Self.moment(5), to: Self.moment(2), parts: 0)
    #expect(turned == TrafficTable.Span(from: Self.moment(5), to: Self.moment(5), parts: 1) && turned.parts == 1)
    let whole = TrafficTable.Span(from: Self.moment(0), to: Self.moment(.max), parts: 7)
    #expect(whole.part(of: .max) == 6 && whole.part(of: 0) == 0 && whole.part(of: -1) == nil)
  }

  private func row(
    _ url: String, _ method: String = "GET", status: Int = 200, at: Int64 = 0, sent: Int64 = 1, size: Int64 = 2,
    duration: Int64? = 10, operation: String? = nil
  ) -> ExchangeSummary {
    var row = Exchange.sample(method: method, url: url, status: status, at: at).summary
    (row.bytesSent, row.size, row.duration, row.operation) = (sent, size, duration, operation)
    return row
  }

  @Test func rowsOfOneEndpointAreCountedTogether() {
    var table = TrafficTable(span: .init(from: Self.moment(0), to: Self.moment(9), parts: 2))
    #expect(table.endpoints.isEmpty && table.hosts.isEmpty)
    table.add(row("http://a/x/1", at: 1, duration: 30))
    table.add(row("http://a/x/2?q", status: 404, at: 5, duration: 10))
    table.add(row("http://a/x/3", at: 99, duration: nil))
    table.add(row("http://a/x/3", "POST", at: 9, sent: 5, size: 7))
    table.add(row("http://b:81/g", at: 0, operation: "Get"))
    var first = TrafficStatistics(
      host: "a", method: "GET", endpoint: "/x/{id}", count: 3, errors: 1, sent: 3, received: 6, p50: 10, p95: 30,
      p99: 30,
      sparkline: [1, 1])
    #expect(first.errorRate == 1.0 / 3)
    let second = TrafficStatistics(
      host: "a", method: "POST", endpoint: "/x/{id}", count: 1, errors: 0, sent: 5, received: 7, p50: 10, p95: 10,
      p99: 10,
      sparkline: [0, 1])
    var third = TrafficStatistics(
      host: "b:81", method: "GET", endpoint: "/g", count: 1, sent: 1, received: 2, p50: 10, p95: 10, p99: 10,
      sparkline: [1, 0])
    third.operation = "Get"
    #expect(table.endpoints == [first, second, third])
    first = TrafficStatistics(
      host: "a", count: 4, errors: 1, sent: 8, received: 13, p50: 10, p95: 30, p99: 30, sparkline: [1, 2])
    third = TrafficStatistics(
      host: "b:81", count: 1, sent: 1, received: 2, p50: 10, p95: 10, p99: 10, sparkline: [1, 0])
    #expect(table.hosts == [first, third])
  }

  @Test func groupsAreAddedToTheRows() {
    var table = TrafficTable()
    let key = TrafficTable.Key(host: "h", method: "PUT", endpoint: "/p#Op")
    table.add(TrafficGroup(count: 2, errors: 1, sent: 3, received: 4, durations: [5, 6], parts: []), to: key)
    table.add(TrafficGroup(count: 1, errors: 0, sent: 1, received: 1, durations: [1], parts: []), to: key)
    var expected = TrafficStatistics(
      host: "h", method: "PUT", endpoint: "/p", count: 3, errors: 1, sent: 4, received: 5, p50: 5, p95: 6, p99: 6)
    expected.operation = "Op"
    #expect(table.endpoints == [expected] && table.span == nil)
  }

  /// The most used first, then by host, path, operation and method.
  @Test func theMostUsedComeFirst() {
    var table = TrafficTable()
    let rows = [
      row("http://b/a"), row("http://a/b"), row("http://a/a", "PUT"), row("http://a/a"),
      row("http://a/a", operation: "A"),
      row("http://a/a", "PUT", operation: "A"), row("http://a/a", operation: "B"), row("http://c/z"), row("http://c/z"),
    ]
    for row in rows.reversed() { table.add(row) }
    let names = table.endpoints.map {
      "\($0.count) \($0.host) \($0.endpoint ?? "") \($0.operation ?? "-") \($0.method ?? "")"
    }
    #expect(
      names == [
        "2 c /z - GET", "1 a /a - GET", "1 a /a - PUT", "1 a /a A GET", "1 a /a A PUT", "1 a /a B GET", "1 a /b - GET",
        "1 b /a - GET",
      ])
    #expect(table.hosts.map(\.host) == ["a", "c", "b"])
  }

  /// With many durations several threads work; what comes out is the same.
  @Test(arguments: [19_999, 20_000]) func manyDurationsAreCountedAlike(_ count: Int) {
    var table = TrafficTable()
    for group in 0..<7 {
      let share = group == 0 ? count - 6 * 100 : 100
      let durations = (0..<share).map { Int64(($0 * 7_919 + group) % 10_007) }
      table.add(
        TrafficGroup(count: share, errors: group, sent: 0, received: 0, durations: durations, parts: []),
        to: .init(host: "h\(group)", method: "GET", endpoint: "/\(group)"))
    }
    let found = table.endpoints
    #expect(found.map(\.host) == (0..<7).map { "h\($0)" } && found.map(\.errors) == Array(0..<7))
    #expect(found.map(\.count) == [count - 600] + Array(repeating: 100, count: 6))
    for (group, row) in found.enumerated() {
      let sorted = (0..<row.count).map { Int64(($0 * 7_919 + group) % 10_007) }.sorted()
      func rank(_ percent: Int) -> Int64 { sorted[(row.count * percent + 99) / 100 - 1] }
      #expect([row.p50, row.p95, row.p99] == [rank(50), rank(95), rank(99)])
    }
  }
}
