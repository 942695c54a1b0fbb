import Foundation
import PatchbayHistory
import PatchbayInspect
import PatchbayStubs
import PatchbayTestSupport
import PatchbayWire
import Testing

@Suite(.bounded) struct SortingTests {
  /// Exchanges that differ in everything that can be sorted by, with many that are equal.
  private static let exchanges: [Exchange] = (1...400).map { id in
    let n = Int(id) * 7919 % 400
    var exchange = Exchange.sample(
      id: Int64(id), method: ["GET", "POST", "PUT"][n % 3],
      url: ["https://b.example/z/\(n)", "http://a.example:8080", "https://日本.example/a?q=\(n % 5)"][n % 3],
      status: n % 5 == 0 ? nil : 200 + n % 4, body: Data(repeating: 65, count: n % 11),
      duration: n % 7 == 0 ? nil : Int64(n % 13) * 1_000)
    exchange.process = HarnessProcess(name: ["demo", "app"][n % 2], pid: Int32(100 + n % 3))
    exchange.startedAt = Timestamp(microseconds: 1_700_000_000_000_000 + Int64(n))
    exchange.by = [.network, .stub, .person][n % 3]
    exchange.stub = exchange.by == .stub ? ["one", "two"][n % 2] : nil
    if n % 10 == 0 { exchange.error = RecordedError(domain: "NSURLErrorDomain", code: -1_001 - n % 3, name: nil) }
    exchange.response?.headers = [HeaderField("Content-Type", ["text/html", "application/json"][n % 2])]
    return exchange
  }

  private static func key(_ order: HistoryOrder, _ summary: ExchangeSummary) -> (String, String, Int64) {
    switch order {
    case .id: ("", "", summary.id)
    case .started: ("", "", summary.startedAt.microseconds)
    case .process: (summary.process.name, "", Int64(summary.process.pid))
    case .method: (summary.method, "", 0)
    case .status: ("", "", Int64(summary.status ?? 1_000 + abs(summary.error?.code ?? 0)))
    case .host: (summary.host, "", 0)
    case .path: (summary.path, "", 0)
    case .type: (summary.responseType ?? "", "", 0)
    case .size: ("", "", summary.size)
    case .duration: ("", "", summary.duration ?? .max)
    case .answerer: (summary.by.rawValue, summary.stub ?? "", 0)
    }
  }

  @Test(arguments: HistoryOrder.allCases, [false, true])
  func agreesWithSortingTheRows(order: HistoryOrder, descending: Bool) async throws {
    let store = try HistoryStore.open(.memory)
    store.record(Self.exchanges)
    try await store.flush()
    let expected = Self.exchanges.map(\.summary).sorted {
      let (left, right) = (Self.key(order, $0), Self.key(order, $1))
      return left == right ? $0.id < $1.id : (left < right) != descending
    }
    let found = try await store.ids(.everything, sortedBy: order, descending: descending)
    #expect(found == expected.map(\.id))
    await store.close()
  }

  @Test func onlyWhatFitsAndIsSeen() async throws {
    let store = try HistoryStore.open(.memory)
    store.record(Self.exchanges)
    _ = try await store.apply(.delete([201, 203]))
    try await store.flush()
    let filter = try Filter(parsing: "method:POST")
    let found = try await store.ids(filter, above: 200, sortedBy: .size)
    let fitting = Self.exchanges.filter { $0.id > 200 && ![201, 203].contains($0.id) && $0.request.method == "POST" }
    #expect(Set(found) == Set(fitting.map(\.id)) && found.count == fitting.count)
    let named = try await store.ids(try Filter(parsing: "header:x | path:/"), sortedBy: .host)
    #expect(named.count == Self.exchanges.count - 2)
    await store.close()
  }
}
